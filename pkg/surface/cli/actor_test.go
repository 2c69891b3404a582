package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The ledger keeps for ever who did something: no name of a person gets in, neither by a flag nor by a profile. An
// address becomes the id of its user.
func TestNoNameEntersTheLedgerByTheActor(t *testing.T) {
	t.Parallel()
	d := registry(t, "mara")
	by := func(line string, more ...string) *call {
		return assessctl(append(append(split(line), "--config", d.settings), more...)...)
	}
	const org = "org create %s --name Place --tenant northwind --all-orgs"
	for i, bad := range []string{"Otto Zander", "Otto", "otto zander", "otto,zander", "оtto", strings.Repeat("a", 37), "-x"} {
		got := by(strings.Replace(org, "%s", "bad"+string(rune('a'+i)), 1), "--actor="+bad)
		if got.exit != exitUsage || !strings.Contains(got.err.String(), "actor") {
			t.Errorf("%q: exit %d, %s", bad, got.exit, &got.err)
		}
	}
	if got := by(strings.Replace(org, "%s", "nobodys", 1), "--actor", "nobody@example.org"); got.exit != exitUsage || !strings.Contains(got.err.String(), "nobody") {
		t.Errorf("an address of nobody: exit %d, %s", got.exit, &got.err)
	}
	if got := by("tenant create elsewhere --name Elsewhere", "--actor", "mara@example.org"); got.exit != exitUsage {
		t.Errorf("an address in a new tenant: exit %d, %s", got.exit, &got.err)
	}
	profiled := filepath.Join(t.TempDir(), "settings.yaml")
	text, err := os.ReadFile(d.settings)
	if err == nil {
		err = os.WriteFile(profiled, append(text, "\nprofiles:\n  mine:\n    actor: Otto Zander\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := assessctl(append(split(strings.Replace(org, "%s", "profiled", 1)), "--config", profiled, "--profile", "mine")...); got.exit != exitUsage || !strings.Contains(got.err.String(), "actor") {
		t.Errorf("a profile: exit %d, %s", got.exit, &got.err)
	}
	if got := by(strings.Replace(org, "%s", "maras", 1), "--actor", "mara@example.org"); got.exit != exitDone {
		t.Errorf("an address: exit %d, %s", got.exit, &got.err)
	}
	if n := d.count("select count(*) from ledger_events where event_type like 'org%' and actor = (select 'operator:' || id from users where email = 'mara@example.org')"); n == 0 {
		t.Error("the ledger does not name the user of the address by id")
	}
	if n := d.count("select count(*) from ledger_events where actor !~ '^(operator|user|system|link):[a-z0-9._-]+$'"); n > 0 {
		t.Errorf("%d events have another actor", n)
	}
}
