package erasure

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/models"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/residue"
)

// lastTry has the queue try a job for the last time.
func (o *office) lastTry(kind compliance.Kind, job ids.ID) error {
	w := &compliance.Worker{Centre: o.centre(kind)}
	return w.Work(o.Context(), &river.Job[compliance.Args]{JobRow: &rivertype.JobRow{Attempt: 6, MaxAttempts: 6},
		Args: compliance.Args{Tenant: o.operator.Tenant, Job: job}})
}

func (o *office) place(p *person) error {
	return o.store.Write(o.Context(), o.officer, func(tx *db.Tx) error {
		_, err := hold.Place(o.Context(), tx, hold.Input{SubjectID: p.ID, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}})
		return err
	})
}

func (o *office) countSealed() int {
	o.Helper()
	var n int
	err := o.super.QueryRow(o.Context(), "select count(*) from compliance_jobs where tenant_id = $1 and sealed is not null", o.operator.Tenant).Scan(&n)
	if err != nil {
		o.Fatal(err)
	}
	return n
}

// A job that failed when the record was erased already leaves the next one the identifiers to search for.
func TestTheNextJobSearchesForWhatAFailedOneErased(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, step := range []string{"answers", "files", "mail", "residue", "receipt"} {
		ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
		o.post(ada)
		o.write(o.reviewer, func(tx *db.Tx) error {
			_, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: grace.submission, Code: "COPIED", Severity: "minor",
				Detail: "The same as " + ada.Email + " wrote."})
			return err
		})
		killed := errors.New("killed")
		kind := Forget(o.files, o.blobs, o.mail)
		at := slices.IndexFunc(kind.Steps, func(s compliance.Step) bool { return s.Name == step })
		kind.Steps[at] = compliance.Step{Name: step, Outside: fails(killed)}
		made, err := o.ask(ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.lastTry(kind, made.ID); !errors.Is(err, killed) {
			t.Fatalf("%s: %v", step, err)
		}
		if failed, err := o.Work(t.Context(), o.operator.Tenant, made.ID, nil); err != nil || failed.Status != models.ComplianceFailed || o.countSealed() != 1 {
			t.Fatalf("%s: %+v, %v, %d jobs keep something sealed", step, failed, err, o.countSealed())
		}
		if err := o.place(ada); !errors.Is(err, errs.ErasingUnderWay) {
			t.Errorf("%s: a hold of who is half erased: %v", step, err)
		}
		done := o.forget(ada)
		var report residue.Report
		err = json.Unmarshal(o.read(ada, residueFile), &report)
		if err != nil || done.Status != models.ComplianceCompleted || !done.Partial || report.Residue == 0 || report.Findings[0].Table != "findings" {
			t.Errorf("%s: the next job: %+v, the search: %+v, %v", step, done, report, err)
		}
		if left := o.marks(ada.word); len(left) != 1 || left["findings"] != 1 || o.inFolders(ada.word) {
			t.Errorf("%s: marks stay in %v, or in a file", step, left)
		}
		if n := o.countSealed(); n != 0 {
			t.Errorf("%s: %d jobs still keep something sealed", step, n)
		}
		if err := o.place(ada); err != nil {
			t.Errorf("%s: a hold at the end: %v", step, err)
		}
	}
}

// A job that failed before it erased anything prevents no hold, and no later job about its person; one that
// failed later does, until another one has come to its end.
func TestWhatAFailedJobRefuses(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for at, step := range Forget(o.files, o.blobs, o.mail).Steps {
		ada := o.newPerson("Ada")
		before := o.marks(ada.word)
		kind, killed := Forget(o.files, o.blobs, o.mail), errors.New("killed")
		kind.Steps[at] = broken(step, "inside", killed)
		made, err := o.ask(ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.lastTry(kind, made.ID); !errors.Is(err, killed) {
			t.Fatalf("%s: %v", step.Name, err)
		}
		late := step.Name != "hold" && step.Name != "access"
		if err := o.place(ada); errors.Is(err, errs.ErasingUnderWay) != late || err != nil && !late {
			t.Errorf("%s: a hold: %v", step.Name, err)
		}
		if !late {
			blocked := o.forget(ada)
			if diff := cmp.Diff(before, o.marks(ada.word)); diff != "" || !blocked.Blocked {
				t.Errorf("%s: the next job: %+v, %s", step.Name, blocked, diff)
			}
			o.write(o.officer, func(tx *db.Tx) error {
				_, err := hold.Lift(t.Context(), tx, hold.Input{SubjectID: ada.ID, Terms: hold.Terms{Kind: hold.Legal}})
				return err
			})
		}
		done := o.forget(ada)
		if left := o.marks(ada.word); done.Status != models.ComplianceCompleted || len(left) > 0 || o.countSealed() > 0 {
			t.Errorf("%s: the last job: %+v, marks stay in %v, %d jobs keep something sealed", step.Name, done, left, o.countSealed())
		}
		if err := o.place(ada); err != nil {
			t.Errorf("%s: a hold at the end: %v", step.Name, err)
		}
	}
}

// The search takes as many transactions as it needs, goes on where it was killed, and reports what one that is
// never broken off reports.
func TestTheSearchGoesOnFromPieceToPiece(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	report := func(p *person) (r residue.Report) {
		if err := json.Unmarshal(o.read(p, residueFile), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := o.forget(ada)
	want := report(ada)

	pages := 0
	kind := forgetting{o.files, o.blobs, o.mail, func(time.Time) bool { pages++; return pages%20 == 0 }}.kind()
	at := slices.IndexFunc(kind.Steps, func(s compliance.Step) bool { return s.Name == "residue" })
	do, pieces, killed := kind.Steps[at].Do, 0, errors.New("killed")
	kind.Steps[at].Do = func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
		done, err := do(ctx, tx, r)
		if pieces++; err == nil && pieces == 2 {
			err = killed
		}
		return done, err
	}
	made, err := o.ask(grace.ID)
	if err != nil {
		t.Fatal(err)
	}
	centre, kills := o.centre(kind), 0
	done, err := centre.Work(t.Context(), o.operator.Tenant, made.ID, nil)
	for ; errors.Is(err, killed); kills++ {
		done, err = centre.Work(t.Context(), o.operator.Tenant, made.ID, nil)
	}
	if err != nil || done.Status != whole.Status || done.Partial || kills != 1 || pieces < 5 {
		t.Fatalf("killed %d times: %+v, %v", kills, done, err)
	}
	got := report(grace)
	if len(got.Tables) != len(want.Tables) || got.Columns != want.Columns || got.Rows < want.Rows || got.Files < want.Files {
		t.Errorf("in %d pieces %d tables with %d columns and %d rows were searched, at once %d with %d and %d", pieces, len(got.Tables), got.Columns,
			got.Rows, len(want.Tables), want.Columns, want.Rows)
	}
	var end result
	if err := json.Unmarshal(done.Result, &end); err != nil || end.Search != nil || end.Residue == nil || end.Residue.Rows != got.Rows {
		t.Errorf("the end: %s, %v", done.Result, err)
	}
	if !got.EndedAt.After(got.StartedAt) {
		t.Errorf("the search took from %v to %v", got.StartedAt, got.EndedAt)
	}
}
