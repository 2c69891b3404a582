package cli

import (
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The commands of the inventory, one after the other, as an operator uses them.
func TestInventoryCommands(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	question, evaluation := d.ids()
	at := " --tenant northwind --org north"
	q, e := question.String(), evaluation.String()
	d.say("question usage "+q+at, "question delete "+q+at, "question delete "+q+" --yes"+at, "question restore "+q+at,
		"question archive "+q+" --yes --dry-run"+at, "question usage "+unseen.String()+at, "question archive x --yes"+at,
		"evaluation usage "+e+at, "evaluation archive "+e+" --yes"+at, "evaluation archive "+e+" --yes"+at,
		"evaluation restore "+e+at, "evaluation delete "+e+" --yes -o json"+at)
	d.say("inventory bulk --action archive "+q+" "+unseen.String()+" --yes"+at,
		"inventory bulk --kind evaluations --action restore "+e+at,
		"inventory bulk --action taxonomyReplace --terms '' "+q+" --dry-run"+at,
		"inventory bulk --action archive --yes"+at, "inventory bulk --kind shelves --action archive "+q+" --yes"+at)
	d.say(`view create Drafts --filter '{"status.draft":true,"include_descendants":false}'`+at, "view create drafts"+at,
		`view create Wrong --filter '{"colour":1}'`+at, "view list"+at, "view list --kind evaluations"+at)
	d.check("inventory.txt")
}

// A file of ids, and an exit code that says that a part failed.
func TestBulkFromAFile(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	question, _ := d.ids()
	file := filepath.Join(t.TempDir(), "ids.txt")
	err := os.WriteFile(file, []byte(question.String()+"\n\n"+ids.New().String()+"\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		got := d.run("inventory bulk --action archive --yes -f " + file + " -o json --tenant northwind --org north")
		if got.exit != exitPartly {
			t.Fatalf("exit %d, want %d: %s", got.exit, exitPartly, &got.err)
		}
		if n := d.count("select count(*) from ledger_events where event_type = 'question.archived'"); n != 1 {
			t.Errorf("%d events after a call that changes %d", n, want)
		}
	}
}

// ids gives a question of the exam and the exam.
func (d *desk) ids() (ids.ID, ids.ID) {
	d.t.Helper()
	store, err := db.Open(d.t.Context(), db.Options{URL: d.urls.App})
	if err != nil {
		d.t.Fatal(err)
	}
	defer store.Close()
	var question, evaluation ids.ID
	err = store.Read(d.t.Context(), operatorScope(d.t, store), func(tx *db.Tx) error {
		found, err := authoring.FindEvaluations(d.t.Context(), tx, []string{"geo-1"})
		if err != nil {
			return err
		}
		evaluation = found["geo-1"]
		return tx.QueryRow(d.t.Context(), "select question_id from evaluation_items where tenant_id = $1 order by position limit 1", tx.Tenant()).Scan(&question)
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return question, evaluation
}
