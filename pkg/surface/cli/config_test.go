package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A profile says where to work; a flag beats it, an empty one too.
func TestProfileSaysWhereToWork(t *testing.T) {
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	text, err := os.ReadFile(d.settings)
	if err == nil {
		text = fmt.Appendf(text, "profiles:\n  school: {tenant: northwind, org: north, database_url: %q, actor: ada}\n  lost: {tenant: nowhere, org: north}\n", d.urls.App)
		err = os.WriteFile(d.settings, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSESS_TENANT", "elsewhere")
	t.Setenv("ASSESS_ORG", "north")
	t.Setenv("ASSESS_PROFILE", "lost")
	for line, want := range map[string]string{
		"question list --profile school":             "",
		"question list":                              `There is no tenant "nowhere"`,
		"question list --profile school --tenant ''": "say which tenant",
		"question list --profile school --org ''":    "say which org unit",
		"question list --profile home":               "there is no profile home",
		"question list --profile ''":                 `There is no tenant "elsewhere"`,
	} {
		got := d.run(line)
		if (want == "") != (got.exit == exitDone) || !strings.Contains(got.err.String(), want) {
			t.Errorf("%s: exit %d, %s; want %q", line, got.exit, &got.err, want)
		}
	}
	shown := d.must("config show --profile school -o json")
	for _, want := range []string{`"profile school"`, `"file ` + d.settings + `"`, `"default"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("config show does not name %s", want)
		}
	}
}
