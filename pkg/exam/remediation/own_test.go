package remediation

import (
	"context"
	"testing"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// as runs an operation on a remediation as somebody.
func (r *room) as(who db.Scope, id ids.ID, what func(context.Context, *db.Tx, ids.ID) (Remediation, error)) error {
	return r.write(who, func(ctx context.Context, tx *db.Tx) error {
		_, err := what(ctx, tx, id)
		return err
	})
}

func TestNobodyCorrectsTheirOwnScores(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	wrong := r.submit(`{"optionIds":["B"]}`)
	taker := sample.As(r.operator, r.candidate.Actor.ID, capability.RemediationsManage)
	err := r.write(taker, func(ctx context.Context, tx *db.Tx) error {
		_, err := Create(ctx, tx, Input{SubmissionIDs: []ids.ID{wrong}, QuestionVersionID: r.item(choice).QuestionVersionID, Rule: RuleFullCredit, Reason: "mine"})
		return err
	})
	if codeOf(err) != errs.FourEyesRequired {
		t.Errorf("chosen: got %v", err)
	}
	for name, draft := range map[string]Remediation{
		"chosen by somebody else": r.draft(RuleFullCredit, choice, Parameters{}, wrong),
		"of the whole version":    r.draft(RuleFullCredit, choice, Parameters{}),
	} {
		if err := r.as(taker, draft.ID, Apply); codeOf(err) != errs.FourEyesRequired {
			t.Errorf("%s: apply: got %v", name, err)
		}
		if done := r.apply(draft.ID); done.State != models.RemediationApplied {
			t.Fatalf("%s: got %s", name, done.State)
		}
		if err := r.as(taker, draft.ID, Revert); codeOf(err) != errs.FourEyesRequired {
			t.Errorf("%s: revert: got %v", name, err)
		}
		r.revert(draft.ID)
	}
	r.candidate = sample.As(r.operator, r.anybody(), capability.SessionsTake)
	r.submit(`{"optionIds":["B"]}`)
	harmless := r.draft(RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"A"}})
	r.reviewer = taker
	preview, err := r.preview(harmless.ID, ActionApply)
	if err != nil {
		t.Fatal(err)
	}
	if done := r.apply(harmless.ID); done.Submissions != 1 || preview.Submissions != done.Submissions {
		t.Errorf("what leaves their scores alone is about %d submissions, and the preview says %d", done.Submissions, preview.Submissions)
	}
}

// Between Apply and the first step of the job there is time to hand something in.
func TestWhatIsHandedInMeanwhileIsNotCorrectedByItsTaker(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	taker := sample.As(r.operator, r.candidate.Actor.ID, capability.RemediationsManage)
	draft := r.draft(RuleFullCredit, choice, Parameters{})
	if err := r.as(taker, draft.ID, Apply); err != nil {
		t.Fatal(err)
	}
	own := r.submit(`{"optionIds":["B"]}`)
	r.candidate = sample.As(r.operator, r.anybody(), capability.SessionsTake)
	others := r.submit(`{"optionIds":["B"]}`)
	if _, err := Run(t.Context(), r.store, r.operator.Tenant, draft.ID, nil); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[ids.ID]int{own: 1, others: 2} {
		if got := r.newest(id); got != want {
			t.Errorf("%s has version %d of its scores, want %d", id, got, want)
		}
	}
}

func (r *room) newest(id ids.ID) (version int) {
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(ctx, "select score_version from submissions where tenant_id = $1 and id = $2", tx.Tenant(), id).Scan(&version)
	})
	if err != nil {
		r.t.Error(err)
	}
	return version
}

func (r *room) anybody() (id ids.ID) {
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		id = sample.User(r.t, tx).ID
		return nil
	})
	return id
}
