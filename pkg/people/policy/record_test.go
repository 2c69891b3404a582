package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	"assess/pkg/people/policy"
)

// Readers of submissions see how the submit and the review were verified; the candidate does
// not, and the candidate view does not.
func TestTheRecordSaysHowItWasVerified(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id, err := o.session("L2", "four_eyes")(says(o.candidate, map[string]string{"room": "twelve"}))
	if err != nil {
		t.Fatal(err)
	}
	o.must(o.proof(says(o.proctor, nil), access.ByMagicLink), func(tx *db.Tx) error {
		_, err := review.Void(t.Context(), tx, review.Input{SubmissionID: id, Comment: "because"})
		return err
	})
	get := func(as db.Scope, view string) submission.Submission {
		t.Helper()
		var got submission.Submission
		o.must(as, func(tx *db.Tx) (err error) {
			got, err = submission.Get(t.Context(), tx, submission.GetInput{ID: id, View: view})
			return err
		})
		return got
	}
	got := get(o.proctor, "").Verifications
	if len(got) != 2 {
		t.Fatalf("%d verifications, want 2", len(got))
	}
	voided, submitted := got[0], got[1]
	if voided.AppliesTo != policy.ReviewActions || voided.Kind != policy.ByStepUp || voided.Method != access.ByMagicLink ||
		voided.VerifiedBy != o.proctor.Actor.String() || voided.VerifiedAt.IsZero() {
		t.Errorf("voiding: got %+v", voided)
	}
	if submitted.AppliesTo != policy.Submissions || submitted.Kind != policy.BySession || submitted.Method != "" || submitted.Fields["room"] != "twelve" ||
		submitted.VerifiedBy != o.candidate.Actor.String() || !strings.HasPrefix(submitted.PolicyRef, "verification_policy/v1/level_2/") {
		t.Errorf("submitting: got %+v", submitted)
	}
	o.must(o.proctor, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			insert into verifications (tenant_id, subject_id, id, org_unit_id, applies_to, policy_ref, kind, fields, actor, verified_at)
			select v.tenant_id, v.subject_id, gen_random_uuid(), v.org_unit_id, v.applies_to, v.policy_ref, v.kind, v.fields, v.actor, v.verified_at
			from verifications v, generate_series(1, 120) where v.tenant_id = $1 and v.subject_id = $2 and v.kind = 'auth.session' returning true`, tx.Tenant(), id)
		return err
	})
	if many := get(o.proctor, ""); len(many.Verifications) != 100 || many.VerificationsTotal != 122 {
		t.Errorf("%d verifications of %d, want 100 of 122", len(many.Verifications), many.VerificationsTotal)
	}
	for who, shown := range map[string]submission.Submission{"the candidate": get(o.candidate, ""), "the candidate view": get(o.proctor, submission.ViewCandidate)} {
		text, err := json.Marshal(shown)
		if err != nil || strings.Contains(string(text), "erification") || strings.Contains(string(text), "twelve") {
			t.Errorf("%s sees %s, %v", who, text, err)
		}
	}
	err = o.try(o.candidate, func(tx *db.Tx) error {
		_, _, err := policy.Verifications(t.Context(), tx, id)
		return err
	})
	if errs.Of(err).Code != errs.Forbidden {
		t.Errorf("asked by the candidate: %v", err)
	}
}
