package cli

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// Somebody shows a result to an auditor, sees that it was read, and ends the link.
func TestGlassBox(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run" + north)
	d.must("ledger sequence" + north)
	id := idOf(t, d.must("submission list --evaluation geo-1 --limit 1 -o json"+north))
	d.say("submission glass-box show "+id+north,
		"submission glass-box create "+id+" --reasons --expires 2020-05-01"+north)
	out := d.must("submission glass-box create " + id + " --idempotency-key one -o json" + north)
	if again := d.must("submission glass-box create " + id + " --idempotency-key one -o json" + north); again != out {
		t.Errorf("the repetition gives\n%s, want\n%s", again, out)
	}
	var made struct{ ID, Token, OpenURL string }
	err := json.Unmarshal([]byte(out), &made)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(made.Token, ".") != 2 || !regexp.MustCompile(`^http://\S+/api/v1/glassbox/submissions/`+id+`\?code=\S+$`).MatchString(made.OpenURL) {
		t.Errorf("got %s", out)
	}
	d.say(
		"submission glass-box list "+id+" -o csv"+north,
		"submission glass-box revoke "+id+" "+made.ID+north,
		"submission glass-box revoke "+id+" "+unseen.String()+north,
		"submission glass-box revoke "+id+north,
		"submission glass-box create "+unseen.String()+north,
		"submission glass-box create "+id+" --evidence all"+north,
	)
	d.check("glassbox.txt")
	page := d.must("submission glass-box show " + id + " --reasons --evidence files --html -" + north)
	if !strings.Contains(page, "<h2") || !strings.Contains(page, "Glass box") || strings.Contains(page, "Signed bundle") {
		t.Errorf("the page is %.300s", page)
	}
}
