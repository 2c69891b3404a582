package submission_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/scoring"
)

// always are the fields that every candidate sees of their own submission and its items.
var always = []string{"assignment_id", "completedAt", "completionMethod", "evaluationId", "evaluationTitle", "evaluationVersionId", "id", "items", "run_label",
	"startedAt", "status", "userId",
	"items.answered_at", "items.id", "items.isOmitted", "items.itemId", "items.optionOrder", "items.position", "items.qtype",
	"items.questionVersionId", "items.response", "items.sectionId", "items.started_at", "items.time_spent_ms"}

// The fields that a mode or a policy adds to them.
var (
	totals      = []string{"maxScore", "outcome_code", "outcome_label", "score"}
	tags        = []string{"feedbackTags"}
	itemScores  = []string{"items.is_correct", "items.max_score", "items.score", "items.scoreMethod", "items.scoreStatus"}
	correct     = []string{"items.correctOptionIds"}
	explanation = []string{"items.explanation"}
)

// Every field of the candidate view, under every mode and policy: the named ones and no others.
func TestCandidateViewObeysFeedbackModeFieldByField(t *testing.T) {
	t.Parallel()
	no, soon, past := false, time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	everything := authoring.FeedbackPolicy{ShowCorrect: true, ShowExplanation: true}
	notYet, already := everything, everything
	notYet.AvailableAfter, already.AvailableAfter = &soon, &past
	tests := []struct {
		name, mode string
		policy     authoring.FeedbackPolicy
		want       [][]string
	}{
		{"none", "none", authoring.FeedbackPolicy{}, nil},
		{"none, whatever the policy", "none", everything, nil},
		{"overall", "overall", authoring.FeedbackPolicy{}, [][]string{totals}},
		{"overall, whatever the policy", "overall", everything, [][]string{totals}},
		{"overall before its time", "overall", notYet, nil},
		{"overall after its time", "overall", already, [][]string{totals}},
		{"tags", "tags", authoring.FeedbackPolicy{}, [][]string{totals, tags}},
		{"tags, whatever the policy", "tags", everything, [][]string{totals, tags}},
		{"tags before their time", "tags", notYet, nil},
		{"tags after their time", "tags", already, [][]string{totals, tags}},
		{"items", "items", authoring.FeedbackPolicy{}, [][]string{totals, itemScores}},
		{"items without their scores", "items", authoring.FeedbackPolicy{ShowScore: &no}, [][]string{totals}},
		{"items with right options", "items", authoring.FeedbackPolicy{ShowCorrect: true}, [][]string{totals, itemScores, correct}},
		{"right options alone", "items", authoring.FeedbackPolicy{ShowScore: &no, ShowCorrect: true}, [][]string{totals, correct}},
		{"items with explanations", "items", authoring.FeedbackPolicy{ShowExplanation: true}, [][]string{totals, itemScores, explanation}},
		{"items before their time", "items", notYet, nil},
		{"items after their time", "items", already, [][]string{totals, itemScores, correct, explanation}},
		{"a mode of tomorrow", "everything", everything, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, authoring.Settings{FeedbackMode: test.mode, FeedbackPolicy: test.policy, FeedbackTagKeys: []string{"topic"}})
			id := s.submit(`{"optionIds":["A"]}`)
			want := slices.Sorted(slices.Values(slices.Concat(append(test.want, always)...)))
			for who, ask := range map[string]struct {
				as db.Scope
				in submission.GetInput
			}{
				"the candidate":              {s.candidate, submission.GetInput{ID: id}},
				"the candidate, by the view": {s.candidate, submission.GetInput{ID: id, View: submission.ViewCandidate}},
				"a reader, by the view":      {s.reader(), submission.GetInput{ID: id, View: submission.ViewCandidate}},
			} {
				got, err := s.get(ask.as, ask.in)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, fields(t, got)); diff != "" {
					t.Errorf("what %s sees (-want +got):\n%s", who, diff)
				}
			}
			own := s.own()
			if shown := own.Score != nil && own.OutcomeCode != ""; shown != slices.Contains(want, "score") {
				t.Errorf("one's own list shows the score: %t", shown)
			}
			if shown := own.FeedbackTags != nil; shown != slices.Contains(want, "feedbackTags") {
				t.Errorf("one's own list shows the tags: %t", shown)
			}
		})
	}
}

// fields lists the JSON fields of a submission and of its first item.
func fields(t *testing.T, s submission.Submission) []string {
	t.Helper()
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &top); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(top["items"], &items); err != nil {
		t.Fatal(err)
	}
	var all []string
	for name := range top {
		all = append(all, name)
	}
	for name := range items[0] {
		all = append(all, "items."+name)
	}
	slices.Sort(all)
	return all
}

// own gives the only row of the candidate's own list.
func (s *shelf) own() submission.OwnSummary {
	s.t.Helper()
	var list db.List[submission.OwnSummary]
	err := s.store.Read(s.t.Context(), s.candidate, func(tx *db.Tx) error {
		var err error
		list, err = submission.ListOwn(s.t.Context(), tx, db.Page{})
		return err
	})
	if err != nil || len(list.Items) != 1 {
		s.t.Fatalf("one's own list: %+v, %v", list, err)
	}
	return list.Items[0]
}

func TestTagsAreCountedAsTheTotalIs(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{FeedbackMode: "tags", FeedbackTagKeys: []string{"topic"}})
	survey := sample.Choice("A")
	survey.ContributesToScore = false
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		s.snapshot = sample.Published(t, tx, authoring.Settings{FeedbackMode: "tags", FeedbackTagKeys: []string{"topic"}},
			sample.Choice("A"), sample.Choice("B"), survey, scoring.Key{QType: scoring.Essay, ContributesToScore: true})
		return nil
	})
	id := s.submit(`{"optionIds":["A"]}`, "", `{"optionIds":["A"]}`, `{"text":"So it is."}`)
	got, err := s.get(s.candidate, submission.GetInput{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	want := []submission.TagScore{{FeedbackTag: s.snapshot.FeedbackTags[0], Score: 1, MaxScore: 3, Items: 3, Pending: true}}
	if diff := cmp.Diff(want, got.FeedbackTags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if *got.Score != 1 || *got.MaxScore != 3 {
		t.Errorf("total: got %v of %v", *got.Score, *got.MaxScore)
	}
}

// Where right answers are shown, so are right texts and the right number; a text that a person scores has none.
func TestRightTextsAndNumbersAreShown(t *testing.T) {
	t.Parallel()
	settings := authoring.Settings{FeedbackMode: "items", FeedbackPolicy: authoring.FeedbackPolicy{ShowCorrect: true}}
	s := newShelf(t, settings)
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		s.snapshot = sample.Published(t, tx, settings, scoring.Key{QType: scoring.ShortText, Weight: 1, Accepted: []string{"Rhine", "Rhin"}},
			scoring.Key{QType: scoring.Numeric, Weight: 1, Value: 9.81}, scoring.Key{QType: scoring.Numeric, Weight: 1, Unkeyed: true},
			scoring.Key{QType: scoring.Essay, Weight: 1})
		return nil
	})
	got, err := s.get(s.candidate, submission.GetInput{ID: s.submit(`{"text":"Elbe"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var right [][]string
	for _, item := range got.Items {
		right = append(right, item.CorrectAnswers)
	}
	if diff := cmp.Diff([][]string{{"Rhine", "Rhin"}, {"9.81"}, nil, nil}, right); diff != "" {
		t.Errorf("what is right (-want +got):\n%s", diff)
	}
}
