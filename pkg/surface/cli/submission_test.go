package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// The work of an assessor at the terminal: look, decide, correct a key and take that back.
func TestSubmissionsAndRemediations(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	var shown struct {
		ID, EvaluationVersionID string
		Items                   []struct{ QuestionVersionID, QType string }
	}
	id := idOf(t, d.must("submission list --evaluation geo-1 --limit 1 -o json"+north))
	err := json.Unmarshal([]byte(d.must("submission show "+id+" -o json"+north)), &shown)
	if err != nil {
		t.Fatal(err)
	}
	question := shown.Items[0].QuestionVersionID
	d.say(
		"submission list --evaluation geo-1 --limit 2"+north,
		"submission list --evaluation geo-1 --outcome none"+north,
		"submission list"+north,
		"submission list --evaluation geo-1 --evaluation-version geo-1 --group nobody"+north,
		"submission export --evaluation geo-1 --outcome none"+north,
		"submission export --evaluation geo-1 --format pdf"+north,
		"submission export --evaluation geo-1 --evaluation-version "+unseen.String()+north,
		"submission export"+north,
		"submission show "+id+north,
		"submission show "+id+" --view candidate"+north,
		"submission show "+unseen.String()+north,
		"submission approve "+id+north,
		"submission void "+id+" --comment copied"+north,
		"submission void "+id+" --yes"+north,
		"submission void "+id+" --comment copied --dry-run"+north,
		"submission void "+id+" --comment copied --yes -o csv"+north,
		"submission void "+id+" --comment copied --yes"+north,
		"submission list --evaluation geo-1 --status voided -o yaml"+north,
	)
	d.hashes(id)
	draft := "remediation create full_credit " + question + " --reason 'Bad picture' --evaluation-version-id " + shown.EvaluationVersionID
	fix := idOf(t, d.must(draft+" -o json"+north))
	d.say(
		draft+" --dry-run"+north,
		"remediation preview "+fix+" --limit 2"+north,
		"remediation revert "+fix+" --yes"+north,
		"remediation apply "+fix+north,
		"remediation apply "+fix+" --dry-run --yes"+north,
		"remediation apply "+fix+" --yes"+north,
		"remediation apply "+fix+" --yes -o yaml"+north,
		"remediation delete "+fix+" --yes"+north,
		"remediation preview "+fix+" --limit 1 -o json"+north,
		"remediation revert "+fix+" --yes -o csv"+north,
		"remediation list --state reverted"+north,
		"remediation apply "+unseen.String()+" --yes"+north,
	)
	d.check("submission.txt")
	if out := d.must("submission list --evaluation geo-1 --status voided -o csv" + north); strings.Count(out, "\n") != 2 {
		t.Errorf("not one voided submission:\n%s", out)
	}
}

// hashes hashes a submission without and with an event; the state is the same.
func (d *desk) hashes(id string) {
	d.t.Helper()
	var first, second struct{ StateHash string }
	for flag, hash := range map[string]any{" --dry-run": &first, "": &second} {
		err := json.Unmarshal([]byte(d.must("submission hash "+id+flag+" -o json"+north)), hash)
		if err != nil {
			d.t.Fatal(err)
		}
	}
	if first.StateHash == "" || first != second {
		d.t.Errorf("the same state hashes to %q and %q", first, second)
	}
	if n := d.count("select count(*) from ledger_events where event_type = 'submission.state.hashed'"); n != 1 {
		d.t.Errorf("%d events, want 1: none of the dry run", n)
	}
}
