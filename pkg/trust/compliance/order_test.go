package compliance_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// diary notes the steps that jobs take, in their order.
type diary struct {
	sync.Mutex
	steps []string
	// during is called in the middle of the first step.
	during func(tx *db.Tx, job ids.ID)
}

func (d *diary) kind() compliance.Kind {
	note := func(step string) compliance.Step {
		return compliance.Step{Name: step, Do: func(_ context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
			d.Lock()
			d.steps = append(d.steps, r.Job.ID.String()+" "+step)
			d.Unlock()
			if step == "first" && d.during != nil {
				d.during(tx, r.Job.ID)
			}
			return true, nil
		}}
	}
	return compliance.Kind{Type: compliance.Forget, Subject: true, Steps: []compliance.Step{note("first"), note("second"), note("third")}}
}

func (d *diary) of(jobs ...ids.ID) (want []string) {
	for _, job := range jobs {
		for _, step := range []string{"first", "second", "third"} {
			want = append(want, job.String()+" "+step)
		}
	}
	return want
}

// The first request may be committed last: the job that began goes on to its end before the other one begins.
func TestAJobThatIsOlderAndComesLaterWaits(t *testing.T) {
	t.Parallel()
	book := &diary{}
	d := newDesk(t, book.kind())
	var older, younger compliance.Job
	var over <-chan error
	// The transaction of the older one begins first and ends while the younger one is in its first step.
	asked, commit, committed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		committed <- d.Store.Write(t.Context(), d.officer, func(tx *db.Tx) (err error) {
			older, err = d.Create(t.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: d.person})
			close(asked)
			<-commit
			return err
		})
	}()
	<-asked
	younger = d.ask(compliance.Forget)
	book.during = func(tx *db.Tx, job ids.ID) {
		if job != younger.ID {
			return
		}
		close(commit)
		if err := <-committed; err != nil {
			t.Error(err)
		}
		over = sample.Blocked(t, tx, func() error {
			_, err := d.Work(d.Context(), d.operator.Tenant, older.ID, nil)
			return err
		})
	}
	d.work(younger)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if !older.CreatedAt.Before(younger.CreatedAt) {
		t.Fatalf("the older job is of %v, the younger one of %v", older.CreatedAt, younger.CreatedAt)
	}
	if got, want := book.steps, book.of(younger.ID, older.ID); !slices.Equal(got, want) {
		t.Errorf("the steps were taken so:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// However many work on two jobs about one person, each step is taken once and no job comes into another one.
func TestJobsAboutOnePersonDoNotInterleave(t *testing.T) {
	t.Parallel()
	book := &diary{}
	d := newDesk(t, book.kind())
	for round := range 20 {
		book.steps = nil
		jobs := []ids.ID{d.ask(compliance.Forget).ID, d.ask(compliance.Forget).ID}
		worked := make(chan error, 4)
		for n := range cap(worked) {
			go func() {
				_, err := d.Work(d.Context(), d.operator.Tenant, jobs[(n+round)%2], nil)
				worked <- err
			}()
		}
		for range cap(worked) {
			if err := <-worked; err != nil {
				t.Fatal(err)
			}
		}
		if got, want := book.steps, book.of(jobs...); !slices.Equal(got, want) {
			t.Errorf("round %d: the steps were taken so:\n%s\nwant\n%s", round, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
