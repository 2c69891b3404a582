package remediation

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var errKilled = errors.New("killed")

// steps does some steps of two submissions each; the last one is rolled back, as if the
// process had died in it.
func (r *room) steps(id ids.ID, n int) {
	r.t.Helper()
	for i := range n {
		err := r.write(r.reviewer, func(ctx context.Context, tx *db.Tx) error {
			row, err := read(ctx, tx, id, false)
			if err != nil {
				return err
			}
			_, err = newScorer(row.QuestionVersionID).step(ctx, tx, id, 2)
			if err == nil && i == n-1 {
				return errKilled
			}
			return err
		})
		if err != nil && !errors.Is(err, errKilled) {
			r.t.Fatal(err)
		}
	}
}

func TestARemediationSurvivesACrashInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	var all []ids.ID
	for range 7 {
		all = append(all, r.submit())
	}
	made := r.draft(RuleFullCredit, choice, Parameters{})
	if _, err := r.ask(made.ID, Apply); err != nil {
		t.Fatal(err)
	}
	r.steps(made.ID, 3)
	half, err := r.ask(made.ID, Get)
	if err != nil || half.State != models.RemediationApplying || half.Done != 4 || half.Submissions != 7 {
		t.Fatalf("after two steps and a crash: got %+v and error %v", half, err)
	}
	if _, err := r.ask(made.ID, Revert); codeOf(err) != errs.RemediationUnderWay {
		t.Errorf("reverting in the middle: got %v", err)
	}
	worker := &Worker{Store: r.store}
	err = worker.Work(t.Context(), &river.Job[Job]{JobRow: &rivertype.JobRow{Attempt: 1, MaxAttempts: 6},
		Args: Job{Tenant: r.operator.Tenant, Remediation: made.ID}})
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.ask(made.ID, Get)
	if err != nil || done.State != models.RemediationApplied || done.Done != 7 || done.Changed != 7 {
		t.Errorf("at the end: got %+v and error %v", done, err)
	}
	for _, id := range all {
		if got := r.get(id); got.ScoreVersion != 2 || *got.Score != 1 {
			t.Errorf("got version %d with %v", got.ScoreVersion, *got.Score)
		}
	}
	if n := r.count("select count(*) from ledger_events where event_type = 'remediation.applied' and subject_id = $1", made.ID); n != 1 {
		t.Errorf("ledger events: got %d, want 1", n)
	}
}

func TestWhatStandsStillIsTakenUp(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	made := r.draft(RuleFullCredit, choice, Parameters{})
	if _, err := r.ask(made.ID, Apply); err != nil {
		t.Fatal(err)
	}
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update remediations set stepped_at = later_by(stepped_at, -3600) where tenant_id = $1 and id = $2", tx.Tenant(), made.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = (&Worker{Store: r.store}).Work(t.Context(), &river.Job[Job]{JobRow: &rivertype.JobRow{Attempt: 1, MaxAttempts: 6}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.get(id); *got.Score != 1 {
		t.Errorf("got %v", *got.Score)
	}
}

func TestAFailedRemediationBeginsAnew(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	var all []ids.ID
	for range 3 {
		all = append(all, r.submit())
	}
	made := r.draft(RuleFullCredit, choice, Parameters{})
	if _, err := r.ask(made.ID, Apply); err != nil {
		t.Fatal(err)
	}
	r.steps(made.ID, 2)
	if err := giveUp(t.Context(), r.store, Job{Tenant: r.operator.Tenant, Remediation: made.ID}); err != nil {
		t.Fatal(err)
	}
	failed, err := r.ask(made.ID, Get)
	if err != nil || failed.State != models.RemediationFailed {
		t.Fatalf("got %+v and error %v", failed, err)
	}
	if back := r.revert(made.ID); back.State != models.RemediationReverted {
		t.Errorf("reverted: got %+v", back)
	}
	r.apply(made.ID)
	for _, id := range all {
		if got := r.get(id); *got.Score != 1 {
			t.Errorf("got %v", *got.Score)
		}
	}
}

func TestApplyingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	made := r.draft(RuleFullCredit, choice, Parameters{})
	first := r.apply(made.ID)
	second := r.apply(made.ID)
	if first.State != second.State || first.Changed != second.Changed || !first.UpdatedAt.Equal(second.UpdatedAt) {
		t.Errorf("got %+v, then %+v", first, second)
	}
	if got := r.get(id); got.ScoreVersion != 2 {
		t.Errorf("got version %d", got.ScoreVersion)
	}
	if _, err := r.ask(r.draft(RuleExempt, choice, Parameters{}).ID, Revert); codeOf(err) != errs.RemediationNotApplied {
		t.Errorf("reverting a draft: got %v", err)
	}
}

// Several remediations at once, marks and new submissions in between: every submission
// ends as base and active remediations say, in the order in which they were requested.
func TestRemediationsAtOnceHaveOneOutcome(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	var all []ids.ID
	for range 12 {
		all = append(all, r.submit(allRight...))
	}
	last := r.draft(RuleAdjust, choice, Parameters{Score: ptr(0.5)})
	drafts := []Remediation{r.draft(RuleExempt, choice, Parameters{}), r.draft(RuleFullCredit, essay, Parameters{}), last}
	for _, d := range drafts {
		if _, err := r.ask(d.ID, Apply); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for _, d := range drafts {
		for range 2 {
			wg.Go(func() {
				if _, err := Run(t.Context(), r.store, r.operator.Tenant, d.ID, nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	for _, id := range all[:6] {
		wg.Go(func() {
			if _, err := r.mark(r.reviewer, id, text, 0.25); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, id := range all {
		got, ofText := r.get(id), 1.0
		if i < 6 {
			ofText = 0.25
		}
		if c, e, w := *r.at(got, choice).Score, *r.at(got, essay).Score, *r.at(got, text).Score; c != 0.5 || e != 4 || w != ofText ||
			*got.Score != 0.5+2+ofText+3+4 || *got.MaxScore != 11 {
			t.Errorf("got %v, %v and %v, in all %v of %v", c, e, w, *got.Score, *got.MaxScore)
		}
	}
}
