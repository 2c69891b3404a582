package submission_test

import (
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func (s *shelf) taken(person ids.ID) []submission.Taken {
	s.t.Helper()
	var all []submission.Taken
	err := s.store.Read(s.t.Context(), db.System(s.operator.Tenant, "test"), func(tx *db.Tx) error {
		return submission.TakenBy(s.t.Context(), tx, person, func(t submission.Taken) error {
			all = append(all, t)
			return nil
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// An attempt is told as the person saw it: options in their order, with the chosen ones marked.
func TestTakenTellsWhatThePersonSaw(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{ShuffleOptions: true})
	for range 5 {
		id := s.submit(`{"optionIds":["B"]}`)
		detail, err := s.get(s.reader(), submission.GetInput{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		told := s.taken(s.candidate.Actor.ID)[0]
		if told.ID != id || told.Title != s.snapshot.Title || len(told.Items) != 2 || told.MaxScore != 2 || told.Outcome == "" {
			t.Fatalf("got %+v", told)
		}
		item, question := told.Items[0], s.snapshot.Questions[detail.Items[0].QuestionVersionID.String()]
		var want, got []string
		for _, option := range detail.Items[0].OptionOrder {
			at := slices.IndexFunc(question.Options, func(o authoring.SnapshotOption) bool { return o.ID == option })
			want = append(want, question.Options[at].Content.PlainText()["en"])
		}
		for _, o := range item.Options {
			got = append(got, o.Text)
			if (o.Text == question.Options[1].Content.PlainText()["en"]) != o.Chosen {
				t.Errorf("%q: chosen is %v", o.Text, o.Chosen)
			}
		}
		if !slices.Equal(got, want) || item.Stem != question.Stem.PlainText()["en"] || item.Omitted || !told.Items[1].Omitted {
			t.Errorf("got %+v, want the options %q", told.Items, want)
		}
	}
}

// The attempts are read piece by piece; each comes once, the newest first, and attempts of others never.
func TestTakenGivesEachAttemptOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	var want []ids.ID
	for range 103 {
		want = append(want, s.submit(`{"optionIds":["A"]}`))
	}
	slices.Reverse(want)
	var got []ids.ID
	for _, told := range s.taken(s.candidate.Actor.ID) {
		got = append(got, told.ID)
		if len(told.Items) != 2 || !told.Items[0].Options[0].Chosen {
			t.Errorf("got %+v", told.Items)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d attempts, want %d in the order of their ends", len(got), len(want))
	}
	if other := s.taken(ids.New()); len(other) > 0 {
		t.Errorf("somebody else has %d", len(other))
	}
}
