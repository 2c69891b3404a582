package review_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
)

// The person who got a bad result cannot get rid of it, whatever they may do to the results of others.
func TestNobodyReopensOrVoidsTheirOwnSubmission(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	self := sample.As(r.operator, r.candidate.Actor.ID, capability.SubmissionsReview, capability.SubmissionsVoid)
	id := r.submission("four_eyes")
	if _, err := r.decide(r.reviewer, "reject", id); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"reopen", "void"} {
		if _, err := r.decide(self, what, id); codeOf(err) != errs.FourEyesRequired {
			t.Errorf("%s: got %v, want %s", what, err, errs.FourEyesRequired)
		}
		if _, err := r.decide(r.operator, what, id); err != nil {
			t.Errorf("%s by an operator: %v", what, err)
		}
	}
}
