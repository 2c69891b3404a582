package remediation

import (
	"context"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestDraftsAreChecked(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit()
	version, nobody := r.snapshot.EvaluationVersionID, ids.New()
	tests := []struct {
		name string
		in   Input
		path string
		code errs.Code
	}{
		{"no target", Input{Rule: RuleExempt}, "evaluationVersionId", errs.ValidationFailed},
		{"two targets", Input{Rule: RuleExempt, EvaluationVersionID: &version, SubmissionIDs: []ids.ID{id}}, "evaluationVersionId", errs.ValidationFailed},
		{"an unknown version", Input{Rule: RuleExempt, EvaluationVersionID: &nobody}, "", errs.NotFound},
		{"an unknown submission", Input{Rule: RuleExempt, SubmissionIDs: []ids.ID{id, nobody}}, "submissionIds", errs.ValidationFailed},
		{"an unknown question", Input{Rule: RuleExempt, EvaluationVersionID: &version, QuestionVersionID: nobody}, "questionVersionId", errs.ValidationFailed},
		{"an unknown rule", Input{Rule: "more", EvaluationVersionID: &version}, "rule", errs.ValidationFailed},
		{"no reason", Input{Rule: RuleExempt, EvaluationVersionID: &version, Reason: " "}, "reason", errs.ValidationFailed},
		{"a key with nothing right", Input{Rule: RuleRekey, EvaluationVersionID: &version}, "parameters.correctOptionIds", errs.ValidationFailed},
		{"an unknown option", Input{Rule: RuleRekey, EvaluationVersionID: &version, Parameters: Parameters{CorrectOptionIDs: []string{"A", "Z"}}}, "parameters.correctOptionIds[1]", errs.ValidationFailed},
		{"a key of another type", Input{Rule: RuleRekey, EvaluationVersionID: &version, Parameters: Parameters{CorrectOptionIDs: []string{"A"}, Value: ptr(1.0)}}, "parameters.value", errs.ValidationFailed},
		{"a key for an essay", Input{Rule: RuleRekey, EvaluationVersionID: &version, QuestionVersionID: r.item(essay).QuestionVersionID}, "rule", errs.ValidationFailed},
		{"no score", Input{Rule: RuleAdjust, EvaluationVersionID: &version}, "parameters.score", errs.ValidationFailed},
		{"too high a score", Input{Rule: RuleAdjust, EvaluationVersionID: &version, Parameters: Parameters{Score: ptr(1.5)}}, "parameters.score", errs.ValidationFailed},
		{"a score for nothing", Input{Rule: RuleFullCredit, EvaluationVersionID: &version, Parameters: Parameters{Score: ptr(1.0)}}, "parameters.score", errs.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in.QuestionVersionID == ids.None {
				tt.in.QuestionVersionID = r.item(choice).QuestionVersionID
			}
			if tt.in.Reason == "" {
				tt.in.Reason = "because"
			}
			err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) error {
				_, err := Create(ctx, tx, tt.in)
				return err
			})
			if codeOf(err) != tt.code {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			if fields := errs.Of(err).Fields; tt.path != "" && (len(fields) != 1 || fields[0].Path != tt.path) {
				t.Errorf("got %+v, want one problem at %s", fields, tt.path)
			}
		})
	}
}

func TestOnlyADraftChangesAndGoes(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	id := r.submit(`{"optionIds":["B"]}`)
	made := r.draft(RuleRekey, choice, Parameters{CorrectOptionIDs: []string{"C"}}, id)
	update := func(p Patch) error {
		return r.write(r.reviewer, func(ctx context.Context, tx *db.Tx) error {
			_, err := Update(ctx, tx, made.ID, p)
			return err
		})
	}
	if err := update(Patch{UpdatedAt: ptr(time.Unix(0, 0)), Reason: ptr("another")}); codeOf(err) != errs.StaleUpdate {
		t.Errorf("a stale change: got %v", err)
	}
	if err := update(Patch{Parameters: &Parameters{CorrectOptionIDs: []string{"B"}}, UpdatedAt: &made.UpdatedAt}); err != nil {
		t.Fatal(err)
	}
	r.apply(made.ID)
	if got := r.get(id); *got.Score != 1 {
		t.Errorf("the changed key: got %v", *got.Score)
	}
	remove := func(id ids.ID) error {
		return r.write(r.reviewer, func(ctx context.Context, tx *db.Tx) error { return Delete(ctx, tx, id) })
	}
	if err := update(Patch{Reason: ptr("another")}); codeOf(err) != errs.RemediationNotDraft {
		t.Errorf("changing: got %v", err)
	}
	if err := remove(made.ID); codeOf(err) != errs.RemediationNotDraft {
		t.Errorf("deleting: got %v", err)
	}
	draft := r.draft(RuleExempt, choice, Parameters{}, id)
	if err := remove(draft.ID); err != nil {
		t.Error(err)
	}
	if _, err := r.ask(draft.ID, Get); codeOf(err) != errs.NotFound {
		t.Errorf("deleted: got %v", err)
	}
}

func TestOtherOrgUnitsDoNotExist(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	made := r.draft(RuleExempt, choice, Parameters{}, r.submit())
	stranger := sample.As(r.operator, r.reviewer.Actor.ID, capability.RemediationsManage)
	stranger.OrgUnit = ids.New()
	for name, do := range map[string]func(context.Context, *db.Tx, ids.ID) (Remediation, error){"get": Get, "apply": Apply, "revert": Revert} {
		err := r.write(stranger, func(ctx context.Context, tx *db.Tx) error {
			_, err := do(ctx, tx, made.ID)
			return err
		})
		if codeOf(err) != errs.NotFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
	var list db.List[Remediation]
	err := r.store.Read(t.Context(), stranger, func(tx *db.Tx) (err error) {
		list, err = List(t.Context(), tx, Filter{})
		return err
	})
	if err != nil || list.Total != 0 || list.Items == nil {
		t.Errorf("list: got %+v and error %v", list, err)
	}
}

func TestPreviewSaysWhatApplyDoes(t *testing.T) {
	t.Parallel()
	r := newRoom(t, half())
	r.submit(allRight...)
	r.submit(`{"optionIds":["B"]}`)
	made := r.draft(RuleExempt, essay, Parameters{})
	look, err := r.preview(made.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	if look.Action != ActionApply || look.Submissions != 2 || look.Changed != 2 || look.Affected.Total != 2 || len(look.Flips) != 1 ||
		look.Flips[0] != (Flip{"incomplete", "pass", 1}) {
		t.Errorf("before: got %+v", look)
	}
	first := look.Affected.Items[0]
	if first.Before.ItemStatus != "PENDING" || first.After.ItemStatus != "EXEMPT" || first.Before.MaxScore != 11 || first.After.MaxScore != 7 {
		t.Errorf("the first one: got %+v", first)
	}
	if n := r.count("select count(*) from score_versions where tenant_id = $1", r.operator.Tenant); n != 0 {
		t.Errorf("the preview wrote %d versions", n)
	}
	if done := r.apply(made.ID); done.Changed != look.Changed {
		t.Errorf("applied: got %d, want %d", done.Changed, look.Changed)
	}
	back, err := r.preview(made.ID, "")
	if err != nil || back.Action != ActionRevert || back.Changed != 2 || len(back.Flips) != 1 || back.Flips[0] != (Flip{"pass", "incomplete", 1}) {
		t.Errorf("after: got %+v and error %v", back, err)
	}
	if none, err := r.preview(made.ID, ActionApply); err != nil || none.Changed != 0 {
		t.Errorf("applying again: got %+v and error %v", none, err)
	}
}
