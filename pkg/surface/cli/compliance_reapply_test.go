package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Anyone who makes an export signs it with a key of their own and puts that key into it: only the tenant's own keys and
// the named keys count.
func TestReapplyTakesNoExportSignedBySomebodyElse(t *testing.T) {
	t.Parallel()
	here, elsewhere := registry(t, "mara"), registry(t, "mara")
	folder := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	export := func(d *desk, name string) string {
		path := filepath.Join(folder, name)
		d.comply("forget --subject mara@example.org --yes --reason art_17_request")
		d.must("ledger sequence --tenant northwind")
		d.must("ledger export --file " + path + " --tenant northwind")
		return path
	}
	tenant := func(d *desk) string { return strings.TrimSpace(d.must("tenant list --jq .[0].id")) }
	others := export(elsewhere, "others.ndjson")
	text, err := os.ReadFile(others)
	if err != nil {
		t.Fatal(err)
	}
	forged := put("forged.ndjson", strings.Replace(string(text), tenant(elsewhere), tenant(here), 1))
	if got := here.run("compliance reapply --ledger " + forged + " --yes --tenant northwind"); got.exit != exitUsage {
		t.Errorf("where the tenant has no key yet: exit %d, %s", got.exit, &got.err)
	}
	own := export(here, "own.ndjson")
	keys := put("keys.json", elsewhere.must("ledger keys list -o json --tenant northwind"))
	for line, want := range map[string]int{
		own:                                      exitDone,
		own + " --key " + keys:                   exitDone,
		forged:                                   exitFailed,
		forged + " --key " + keys + " --dry-run": exitDone, // somebody says so
		others + " --key " + keys:                exitUsage,
	} {
		dry := line
		if !strings.HasSuffix(line, "--dry-run") {
			dry += " --yes"
		}
		if got := here.run("compliance reapply --tenant northwind --ledger " + dry); got.exit != want {
			t.Errorf("%s: exit %d, want %d: %s%s", line, got.exit, want, &got.out, &got.err)
		}
	}
}
