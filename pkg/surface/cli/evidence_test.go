package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// submitted makes a submission in the org unit north of northwind.
func (d *desk) submitted() string {
	d.t.Helper()
	store := dbtest.Open(d.t, db.Options{URL: d.urls.App})
	scope := db.Scope{Actor: db.Actor{Kind: db.OperatorActor, Name: "sample"}}
	var err error
	scope.Tenant, err = store.TenantBySlug(d.t.Context(), "northwind")
	if err != nil {
		d.t.Fatal(err)
	}
	scope.OrgUnit, err = ids.Parse("id", idOf(d.t, d.must("org list --tenant northwind -o json")))
	if err != nil {
		d.t.Fatal(err)
	}
	var submission ids.ID
	sample.Write(d.t, store, scope, func(tx *db.Tx) error {
		exam := sample.Published(d.t, tx, authoring.Settings{}, sample.Choice("A"))
		user, desk := sample.User(d.t, tx).ID, session.NewDesk()
		open, err := desk.Start(d.t.Context(), tx, session.StartInput{EvaluationID: exam.EvaluationID, UserID: &user})
		if err != nil {
			return err
		}
		done, err := desk.Submit(d.t.Context(), tx, session.SubmitInput{EvaluationID: exam.EvaluationID, SessionID: open.ID})
		submission = done.SubmissionID
		return err
	})
	return submission.String()
}

// idOf reads the id of a record that was printed as JSON, or of the first in a list.
func idOf(t *testing.T, printed string) string {
	t.Helper()
	var one struct {
		ID    string
		Items []struct{ ID string }
	}
	err := json.Unmarshal([]byte(printed), &one)
	if err == nil && len(one.Items) > 0 {
		one.ID = one.Items[0].ID
	}
	if err != nil || one.ID == "" {
		t.Fatalf("no id in %q: %v", printed, err)
	}
	return one.ID
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	submission := d.submitted()
	about := " --submission " + submission + north
	photo, script := d.file("desk.png", onePixel), d.file("desk.svg", "\x00<svg/>")
	d.say("evidence add " + photo + about + " --dry-run")
	if n := d.count("select (select count(*) from evidence) + (select count(*) from evidence_blobs)"); n != 0 {
		t.Errorf("the dry run left %d rows", n)
	}
	d.say(
		"evidence add "+photo+" --kind photo --idempotency-key once"+about,
		"evidence add "+photo+" --kind photo --idempotency-key once"+about,
		"evidence add "+script+about,
		"evidence add "+photo+" --kind selfie"+about,
		"evidence add "+photo+north,
		"evidence add "+photo+" --submission "+unseen.String()+north,
		"evidence list "+submission+north,
		"evidence list "+submission+" -o csv"+north,
	)
	id := idOf(t, d.must("evidence add "+d.file("log.txt", "started\n")+" --kind log -o json"+about))
	fetched := filepath.Join(t.TempDir(), "fetched")
	d.say(
		"evidence show "+id+north,
		"evidence get "+id+north,
		"evidence get "+id+" --file "+fetched+north,
		"evidence get "+id+" --file "+fetched+north,
		"evidence get "+unseen.String()+" --file /nowhere/x"+north,
		"evidence tier "+id+" COLD -o json"+north,
		"evidence verify "+id+north,
		"evidence void "+id+" --reason 'the wrong person'"+north,
		"evidence void "+id+" --reason 'the wrong person' --dry-run -o json"+north,
		"evidence void "+id+" --reason 'the wrong person' --yes -o json"+north,
		"evidence void "+id+" --reason again --yes"+north,
		"evidence verify --submission "+submission+north,
	)
	if got, err := os.ReadFile(fetched); err != nil || string(got) != "started\n" {
		t.Errorf("fetched %q and error %v", got, err)
	}
	d.damageEvidence(t)
	d.say(
		"evidence verify --all --dry-run --tenant northwind --all-orgs",
		"evidence verify --all --tenant northwind --all-orgs",
		"evidence verify --all --not-within 1h -o json --tenant northwind --all-orgs",
		"evidence verify "+id+" -o json"+north,
		"evidence get "+id+" --file "+fetched+"2"+north,
		"evidence verify"+north,
		"evidence verify "+id+" --all"+north,
	)
	d.check("evidence.txt")
}

// as runs a line that has to succeed as somebody else.
func (d *desk) as(actor, line string) string {
	d.t.Helper()
	got := assessctl(append(split(line), "--config", d.settings, "--actor", actor)...)
	if got.exit != exitDone {
		d.t.Fatalf("assessctl %s: exit %d, stderr %q", line, got.exit, &got.err)
	}
	return got.out.String()
}

// damageEvidence turns a bit in one of the two stored files and deletes the other.
func (d *desk) damageEvidence(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(d.settings), "blob", "*", "evidence", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("got files %v and error %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil && string(content) == "started\n" {
			content[0] ^= 1
			err = os.WriteFile(file, content, 0o600)
		} else if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindingsClaimsAndDisputes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	submission := d.submitted()
	about := " --submission " + submission + north
	photo := idOf(t, d.must("evidence add "+d.file("desk.png", onePixel)+" -o json"+about))
	d.say(
		"finding add "+submission+" PHONE_SEEN --severity minor --detail 'left of the screen' --evidence-ids "+photo+north,
		"finding add "+submission+" phone --severity minor"+north,
		"finding add "+submission+" PHONE --severity grave"+north,
		"finding list "+submission+north,
		"finding list "+submission+" -o json"+north,
	)
	finding := idOf(t, d.must("finding list "+submission+" -o json"+north))
	d.say(
		"finding show "+finding+north,
		"claim raise "+submission+" 'It was looked up.'"+north,
	)
	claim := "claim raise " + submission + " 'It was looked up.' -o json --finding-ids " + finding + north
	dispute := "dispute raise " + submission + " 'It was my clock.' -o json" + north
	anns, own := idOf(t, d.as("ann", claim)), idOf(t, d.must(claim))
	annsDispute, ownDispute := idOf(t, d.as("ann", dispute)), idOf(t, d.must(dispute))
	d.say(
		"claim uphold "+own+" --comment 'It was.'"+north,
		"claim uphold "+annsDispute+" --comment 'It was.'"+north,
		"claim uphold "+anns+north,
		"claim uphold "+anns+" --comment 'It was.' --dry-run"+north,
		"claim uphold "+anns+" --comment 'It was.'"+north,
		"claim reject "+anns+" --comment 'It was not.'"+north,
		"claim list "+submission+north,
		"claim show "+anns+" -o yaml"+north,
		"dispute raise "+submission+" 'Once more.'"+north,
		"dispute withdraw "+annsDispute+north,
		"dispute withdraw "+ownDispute+" -o json"+north,
		"dispute reject "+annsDispute+" --comment 'It was not.' -o csv"+north,
		"dispute list "+submission+" --state open"+north,
		"dispute raise nothing x"+north,
	)
	d.check("findings.txt")
}
