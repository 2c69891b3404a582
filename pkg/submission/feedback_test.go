package submission_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/authoring"
	"assess/pkg/submission"
)

func TestCandidateViewObeysFeedbackPolicy(t *testing.T) {
	t.Parallel()
	no, soon, past := false, time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	type view struct{ Total, Item, Correct, Explanation bool }
	tests := []struct {
		name   string
		mode   string
		policy authoring.FeedbackPolicy
		want   view
	}{
		{"items by default", "items", authoring.FeedbackPolicy{}, view{Total: true, Item: true}},
		{"right options", "items", authoring.FeedbackPolicy{ShowCorrect: true}, view{Total: true, Item: true, Correct: true}},
		{"explanations alone", "items", authoring.FeedbackPolicy{ShowScore: &no, ShowExplanation: true}, view{Total: true, Explanation: true}},
		{"another mode shows no item", "overall", authoring.FeedbackPolicy{ShowCorrect: true, ShowExplanation: true}, view{Total: true}},
		{"before its time", "items", authoring.FeedbackPolicy{ShowCorrect: true, ShowExplanation: true, AvailableAfter: &soon}, view{}},
		{"after its time", "items", authoring.FeedbackPolicy{AvailableAfter: &past}, view{Total: true, Item: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, authoring.Settings{FeedbackMode: test.mode, FeedbackPolicy: test.policy})
			id := s.submit(`{"optionIds":["A"]}`)
			shown, err := s.get(s.candidate, submission.GetInput{ID: id})
			if err != nil {
				t.Fatal(err)
			}
			item := shown.Items[0]
			got := view{shown.Score != nil, item.Score != nil, cmp.Equal(item.CorrectOptionIDs, []string{"A"}), item.Explanation != nil}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("what is shown (-want +got):\n%s", diff)
			}
		})
	}
}
