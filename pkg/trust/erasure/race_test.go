package erasure

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
)

// A job that meets a hold in the middle of being placed waits for it, and does nothing.
func TestAJobWaitsForAHold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, ended := range []int{0, 1} { // steps of the job
		p := o.newPerson("Ada")
		before := o.marks(p.word)
		kind, killed := Forget(o.files, o.blobs, o.mail), errors.New("killed")
		kind.Steps[ended].Outside = fails(killed)
		made, err := o.ask(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.centre(kind).Work(t.Context(), o.operator.Tenant, made.ID, nil); !errors.Is(err, killed) {
			t.Fatal(err)
		}
		var done compliance.Job
		var worked <-chan error
		o.write(o.officer, func(tx *db.Tx) error {
			_, err := hold.Place(t.Context(), tx, hold.Input{SubjectID: p.ID, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}})
			worked = sample.Blocked(t, tx, func() error {
				var err error
				done, err = o.Work(o.Context(), o.operator.Tenant, made.ID, nil)
				return err
			})
			return err
		})
		if err := <-worked; err != nil || !done.Blocked {
			t.Errorf("after %d steps: %+v, %v", ended, done, err)
		}
		if diff := cmp.Diff(before, o.marks(p.word)); diff != "" {
			t.Errorf("after %d steps the job erased: %s", ended, diff)
		}
	}
}

// A hold that meets a job in the middle of its first erasing step waits for it, and comes too late.
func TestAHoldWaitsForAJob(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	p := o.newPerson("Ada")
	kind := Forget(o.files, o.blobs, o.mail)
	var placed <-chan error
	do := kind.Steps[1].Do
	kind.Steps[1].Do = func(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
		done, err := do(ctx, tx, r)
		placed = sample.Blocked(t, tx, func() error { return o.place(p) })
		return done, err
	}
	made, err := o.ask(p.ID)
	if err != nil {
		t.Fatal(err)
	}
	done, err := o.centre(kind).Work(t.Context(), o.operator.Tenant, made.ID, nil)
	if held := <-placed; !errors.Is(held, errs.ErasingUnderWay) || err != nil || done.Status != models.ComplianceCompleted || len(o.marks(p.word)) > 0 {
		t.Errorf("the hold: %v, the job: %+v, %v", held, done, err)
	}
}

// However a hold and a job meet, either the hold is in force and nothing is erased, or the person
// is forgotten.
func TestAHoldAndAJobInARace(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	steps := len(o.Kinds[0].Steps)
	ends := map[string]int{}
	for round := range 3 * (steps + 3) {
		p := o.newPerson("Ada")
		before := o.marks(p.word)
		made, err := o.ask(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		// The hold is placed when so many steps have ended; two work on the job.
		begin, placed, worked := make(chan struct{}), make(chan error, 1), make(chan error, 2)
		at, seen := max(0, round%(steps+3)-2), 0
		go func() {
			<-begin
			placed <- o.place(p)
		}()
		if at == 0 {
			close(begin)
		}
		progress := func(compliance.Job) {
			if seen++; seen == at {
				close(begin)
			}
		}
		for n := range cap(worked) {
			heard := progress
			if n > 0 {
				heard = nil
			}
			go func() {
				_, err := o.Work(o.Context(), o.operator.Tenant, made.ID, heard)
				worked <- err
			}()
		}
		for range cap(worked) {
			if err := <-worked; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if seen < at { // the other one took the steps
			close(begin)
		}
		held := <-placed
		done, err := o.Work(t.Context(), o.operator.Tenant, made.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		left := o.marks(p.word)
		switch {
		case done.Status == models.ComplianceBlocked && held == nil && len(left) == len(before):
		case done.Status == models.ComplianceCompleted && len(left) == 0 && (held == nil || errors.Is(held, errs.ErasingUnderWay)):
		default:
			t.Errorf("round %d: the job is %s, the hold %v, marks stand in %v", round, done.Status, held, left)
		}
		ends[done.Status]++
		if held != nil {
			ends["refused"]++
		}
	}
	t.Log(ends)
	if ends[models.ComplianceCompleted] == 0 || ends[models.ComplianceBlocked] == 0 || ends["refused"] == 0 {
		t.Errorf("the race always ends in the same way: %v", ends)
	}
}
