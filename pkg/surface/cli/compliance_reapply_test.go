package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever makes an export puts in what keys they like: only the tenant's own keys and those that are named count.
func TestReapplyTakesNoExportSignedBySomebodyElse(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	folder := t.TempDir()
	export := func(tenant string) (path, id string) {
		path = filepath.Join(folder, tenant)
		d.must("ledger sequence --tenant " + tenant)
		d.must("ledger export --file " + path + " --tenant " + tenant)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, id, _ = strings.Cut(string(text), `"tenantId":"`)
		return path, id[:36]
	}
	for _, tenant := range []string{"northwind", "fabrikam", "unsigned"} {
		d.must("tenant create " + tenant + " --name '" + tenant + " College'")
		d.must("org create north --name 'North campus' --tenant " + tenant)
	}
	own, id := export("northwind")
	others, other := export("fabrikam")
	text, err := os.ReadFile(others)
	if err != nil {
		t.Fatal(err)
	}
	forged, keys := filepath.Join(folder, "forged"), filepath.Join(folder, "keys")
	for path, text := range map[string]string{forged: strings.Replace(string(text), other, id, 1), keys: d.must("ledger keys list -o json --tenant fabrikam")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]int{
		"--ledger " + own + " --tenant northwind":                       exitDone,
		"--ledger " + own + " --key " + keys + " --tenant northwind":    exitDone,
		"--ledger " + forged + " --tenant northwind":                    exitFailed,
		"--ledger " + forged + " --dry-run --tenant northwind":          exitFailed,
		"--ledger " + forged + " --tenant unsigned":                     exitUsage,
		"--ledger " + others + " --key " + keys + " --tenant northwind": exitUsage,
	} {
		if got := d.run("compliance reapply --yes " + line); got.exit != want {
			t.Errorf("reapply %s: exit %d, want %d: %s%s", line, got.exit, want, &got.out, &got.err)
		}
	}
}
