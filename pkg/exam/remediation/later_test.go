package remediation

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// later hands in, and has the remediations cover it as the projector does.
func (r *room) later(responses ...string) ids.ID {
	r.t.Helper()
	id := r.submit(responses...)
	r.takeUp(id)
	return id
}

func (r *room) takeUp(all ...ids.ID) {
	r.t.Helper()
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) error { return TakeUp(ctx, tx, all) })
	if err != nil {
		r.t.Fatal(err)
	}
}

// catchUp does the work of the jobs.
func (r *room) catchUp(id ids.ID) Remediation {
	r.t.Helper()
	got, err := Run(r.t.Context(), r.store, r.operator.Tenant, id, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *room) scores(all ...ids.ID) []float64 {
	r.t.Helper()
	var scores []float64
	for _, id := range all {
		scores = append(scores, *r.get(id).Score)
	}
	return scores
}

// Every rule covers what comes after it, once each and as a version of the scores, until it is taken back; applied again, it
// covers them all.
func TestARemediationCoversLaterSubmissions(t *testing.T) {
	t.Parallel()
	wrong := `{"optionIds":["B"]}`
	for name, c := range map[string]struct {
		p     Parameters
		score float64
		most  float64
	}{
		RuleRekey:      {Parameters{CorrectOptionIDs: []string{"B"}}, 1, 11},
		RuleExempt:     {Parameters{}, 0, 10},
		RuleFullCredit: {Parameters{}, 1, 11},
		RuleAdjust:     {Parameters{Score: ptr(0.5)}, 0.5, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t, half())
			before := r.submit(wrong)
			made := r.draft(name, choice, c.p)
			if !made.AlsoLater {
				t.Error("a remediation of a version does not cover later submissions by itself")
			}
			r.apply(made.ID)
			after := []ids.ID{r.later(wrong), r.later(wrong), r.later(wrong)}
			r.void(after[2])
			got := r.catchUp(made.ID)
			if got.Submissions != 4 || got.Done != 4 || got.Changed != 3 || got.State != models.RemediationApplied {
				t.Errorf("covered: got %+v", got)
			}
			r.takeUp(append(after, before)...)
			if again := r.catchUp(made.ID); again.Submissions != 4 || again.Changed != 3 {
				t.Errorf("covered again: got %+v", again)
			}
			for _, id := range []ids.ID{before, after[0], after[1]} {
				s := r.get(id)
				if *s.Score != c.score || *s.MaxScore != c.most || s.ScoreVersion != 2 {
					t.Errorf("got %v of %v in version %d, want %v of %v in version 2", *s.Score, *s.MaxScore, s.ScoreVersion, c.score, c.most)
				}
			}
			if s := r.get(after[2]); s.ScoreVersion != 1 {
				t.Errorf("the voided one got version %d", s.ScoreVersion)
			}
			r.revert(made.ID)
			last := r.later(wrong)
			if reverted := r.catchUp(made.ID); reverted.Submissions != 4 {
				t.Errorf("taken back: got %+v", reverted)
			}
			base := *r.get(last).Score
			if diff := cmp.Diff([]float64{base, base, base}, r.scores(before, after[0], last)); diff != "" {
				t.Errorf("taken back: %s", diff)
			}
			r.apply(made.ID)
			if diff := cmp.Diff([]float64{c.score, c.score, c.score}, r.scores(before, after[0], last)); diff != "" {
				t.Errorf("applied again: %s", diff)
			}
		})
	}
}

// A remediation does not cover later submissions if it is told not to, if it is of chosen submissions, or if it is of
// another version.
func TestWhatCoversNothingLater(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	first := r.submit()
	later := func(also *bool, chosen ...ids.ID) (Remediation, error) {
		in := Input{QuestionVersionID: r.item(choice).QuestionVersionID, Rule: RuleFullCredit, Reason: "the key was wrong", SubmissionIDs: chosen, AlsoLater: also}
		if len(chosen) == 0 {
			in.EvaluationVersionID = &r.snapshot.EvaluationVersionID
		}
		var made Remediation
		err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) (err error) {
			made, err = Create(ctx, tx, in)
			return err
		})
		return made, err
	}
	only, err := later(ptr(false))
	if err != nil || only.AlsoLater {
		t.Fatalf("got %+v and error %v", only, err)
	}
	chosen, err := later(nil, first)
	if err != nil || chosen.AlsoLater {
		t.Fatalf("chosen: got %+v and error %v", chosen, err)
	}
	if _, err := later(ptr(true), first); codeOf(err) != errs.ValidationFailed || errs.Of(err).Fields[0].Path != "also_later" {
		t.Errorf("later ones of chosen submissions: got %v", err)
	}
	other := newRoomIn(t, r.store, half())
	r.apply(only.ID)
	r.apply(chosen.ID)
	other.apply(other.draft(RuleFullCredit, choice, Parameters{}).ID)
	if id := r.later(); *r.get(id).Score != 0 {
		t.Errorf("got %v", *r.get(id).Score)
	}
	if n := r.count("select count(*) from remediation_submissions where tenant_id = $1 and waiting", r.operator.Tenant); n != 0 {
		t.Errorf("%d wait", n)
	}
	// A draft may change its mind.
	draft := r.draft(RuleExempt, choice, Parameters{})
	err = r.write(r.operator, func(ctx context.Context, tx *db.Tx) (err error) {
		draft, err = Update(ctx, tx, draft.ID, Patch{AlsoLater: ptr(false)})
		return err
	})
	if err != nil || draft.AlsoLater {
		t.Errorf("changed: got %+v and error %v", draft, err)
	}
}

// The one who applied a remediation hands in later: their score stays as it is.
func TestALaterSubmissionOfTheOneWhoAppliedIsLeftOut(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	r.submit()
	made := r.draft(RuleFullCredit, choice, Parameters{})
	r.reviewer = sample.As(r.operator, r.candidate.Actor.ID, "remediations.manage")
	if _, err := r.ask(made.ID, Apply); codeOf(err) != errs.FourEyesRequired {
		t.Fatalf("got %v", err)
	}
	other := newRoomIn(t, r.store, half())
	other.reviewer = sample.As(other.operator, other.candidate.Actor.ID, "remediations.manage")
	made = other.draft(RuleFullCredit, choice, Parameters{})
	other.apply(made.ID)
	own := other.later()
	if got := other.catchUp(made.ID); got.Submissions != 0 || *other.get(own).Score != 0 {
		t.Errorf("got %+v and score %v", got, *other.get(own).Score)
	}
}

// Submissions that come while a remediation is being applied are met once, whether it has passed their place or not.
func TestSubmissionsInTheMiddleOfAnApply(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	for range 5 {
		r.submit()
	}
	made := r.draft(RuleFullCredit, choice, Parameters{})
	if _, err := r.ask(made.ID, Apply); err != nil {
		t.Fatal(err)
	}
	beforeEnrolling := r.later()
	r.steps(made.ID, 2)
	inTheMiddle := r.later()
	if got := r.catchUp(made.ID); got.Submissions != 7 || got.Done != 7 || got.Changed != 7 || got.State != models.RemediationApplied {
		t.Errorf("got %+v", got)
	}
	for _, id := range []ids.ID{beforeEnrolling, inTheMiddle} {
		if s := r.get(id); s.ScoreVersion != 2 || *s.Score != 1 {
			t.Errorf("got version %d with %v", s.ScoreVersion, *s.Score)
		}
	}
	if n := r.count("select count(*) from remediation_submissions where tenant_id = $1 and waiting", r.operator.Tenant); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// Preview and apply say how many people still write the version.
func TestOpenSessionsAreCounted(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	for range 2 {
		sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
			r.candidate = sample.As(r.operator, sample.User(t, tx).ID, "sessions.take")
			return nil
		})
		sample.Write(t, r.store, r.candidate, func(tx *db.Tx) error {
			sample.Session(t, tx, r.desk, r.snapshot.EvaluationID)
			return nil
		})
	}
	made := r.draft(RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}})
	p, err := r.preview(made.ID, ActionApply)
	if err != nil || p.OpenSessions != 2 {
		t.Errorf("preview: got %+v and error %v", p, err)
	}
	if got := r.apply(made.ID); got.OpenSessions != 2 {
		t.Errorf("apply: got %+v", got)
	}
	chosen := r.draft(RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"B"}}, id)
	if p, err := r.preview(chosen.ID, ActionApply); err != nil || p.OpenSessions != 0 {
		t.Errorf("of chosen submissions: got %+v and error %v", p, err)
	}
}
