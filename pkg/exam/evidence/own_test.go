package evidence_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// A proctor who sat the exam voids no evidence about themselves, and withdraws no claim.
func TestNobodyDoesAwayWithWhatSpeaksAboutThem(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	self := sample.As(r.operator, r.candidate.Actor.ID, capability.EvidenceManage)
	picture := r.picture()
	claim := must(r, r.proctor, func(tx *db.Tx) (evidence.Case, error) {
		f, err := evidence.Detect(t.Context(), tx, evidence.FindingInput{SubmissionID: r.submission, Code: "IDENTITY_MISMATCH", Severity: "major"})
		if err != nil {
			return evidence.Case{}, err
		}
		return evidence.Raise(t.Context(), tx, evidence.Claims,
			evidence.RaiseInput{SubmissionID: r.submission, Statement: "Somebody else sat there.", FindingIDs: []ids.ID{f.ID}})
	})
	for _, who := range []struct {
		db.Scope
		want errs.Code
	}{{self, errs.FourEyesRequired}, {r.proctor, ""}} {
		_, err := try(r, who.Scope, func(tx *db.Tx) (evidence.Evidence, error) {
			return evidence.Void(t.Context(), tx, evidence.VoidInput{ID: picture.ID, Reason: "blurred"})
		})
		wantCode(t, err, who.want)
		_, err = try(r, who.Scope, func(tx *db.Tx) (evidence.Case, error) {
			return evidence.Withdraw(t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: claim.ID})
		})
		wantCode(t, err, who.want)
	}
}
