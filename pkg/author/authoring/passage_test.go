package authoring_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (b bench) updatePassage(id ids.ID) func(context.Context, *db.Tx, authoring.PassagePatch) (authoring.Passage, error) {
	return func(ctx context.Context, tx *db.Tx, patch authoring.PassagePatch) (authoring.Passage, error) {
		return authoring.UpdatePassage(ctx, tx, id, patch)
	}
}

func (b bench) setQuestions(passage ids.ID) func(context.Context, *db.Tx, []ids.ID) (authoring.PassageQuestions, error) {
	return func(ctx context.Context, tx *db.Tx, questions []ids.ID) (authoring.PassageQuestions, error) {
		return authoring.SetPassageQuestions(ctx, tx, passage, authoring.PassageQuestionsInput{QuestionIDs: questions})
	}
}

func (b bench) passage(t *testing.T, publish bool) authoring.Passage {
	t.Helper()
	p := must(t, b, authoring.CreatePassage, sample.PassageInput())
	if publish {
		p = must(t, b, sample.PublishPassage, p.ID)
	}
	return p
}

func getPassage(id ids.ID) authoring.GetPassageInput { return authoring.GetPassageInput{ID: id} }

func TestPassageGoesFromDraftToTheSecondVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	draft := b.passage(t, false)
	if draft.Status != "draft" || draft.Draft.Number != 1 || draft.Published != nil || len(draft.Draft.Content.Locales) != 2 {
		t.Errorf("got %+v", draft)
	}
	published := must(t, b, sample.PublishPassage, draft.ID)
	if published.Status != "published" || published.Draft != nil || published.Published.ID != draft.Draft.ID ||
		published.Published.CanonicalScheme != content.CanonicalScheme || published.Published.HashScheme != content.HashScheme {
		t.Errorf("got %+v", published)
	}
	_, err := write(t, b, sample.PublishPassage, draft.ID)
	wantCode(t, err, errs.NothingToPublish)
	copied := must(t, b, authoring.CreatePassageVersion, draft.ID)
	if copied.Draft.Number != 2 || copied.Draft.ContentHash != published.Published.ContentHash {
		t.Errorf("got %+v", copied.Draft)
	}
	_, err = write(t, b, authoring.CreatePassageVersion, draft.ID)
	wantCode(t, err, errs.Conflict)
	changed := must(t, b, b.updatePassage(draft.ID), authoring.PassagePatch{Title: ref("New"), Content: sample.Content("Sea", "Meer")})
	if changed.Title != "New" || changed.Draft.Number != 2 || changed.Published.Title != "Sample passage" {
		t.Errorf("got %+v", changed)
	}
	if diff := cmp.Diff(changed, must(t, b, authoring.GetPassage, getPassage(draft.ID))); diff != "" {
		t.Errorf("read after update (-updated +read):\n%s", diff)
	}
}

func TestPassageTakesContentWithoutEnvelopeAsEnglish(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, sent := range map[string]string{
		"payload": `{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[{"type":"paragraph","children":[{"text":"River"}]}]}`,
		"text":    `"River"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := must(t, b, authoring.CreatePassage, authoring.PassageInput{Title: "T", Content: json.RawMessage(sent)})
			got := p.Draft.Content
			if got.DefaultLocale != "en" || got.Locales["en"].PlainText() != "River" || len(got.Locales) != 1 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestPassageProblemsComeAllAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := write(t, b, authoring.CreatePassage, authoring.PassageInput{ExternalID: "a\x00", Title: " ", Content: sample.Content(" ", "x")})
	wantFields(t, err, errs.ValidationFailed, "externalId invalid_text", "title required", "content required")
}

func TestPassageResolvesToALanguage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.passage(t, true)
	for lang, want := range map[string]string{"de": "de", "de-AT": "de", "fr": "en", "": ""} {
		got := must(t, b, authoring.GetPassage, authoring.GetPassageInput{ID: p.ID, LangQuery: authoring.LangQuery{Lang: lang}})
		shown := got.Published.Content
		if got.Locale != want || shown.Locale != want || (lang == "") != (len(shown.Locales) == 2) || (lang == "") != (shown.Blocks == nil) {
			t.Errorf("%q: got %q, %+v", lang, got.Locale, shown)
		}
	}
	list := must(t, b, authoring.ListPassages, authoring.PassageFilter{LangQuery: authoring.LangQuery{Lang: "de-CH"}})
	if got := list.Items[0]; got.Locale != "de" || got.Text != "Der Fluss steigt." {
		t.Errorf("list: got %+v", got)
	}
}

func TestPassageUpdateFromOlderStateIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.passage(t, false)
	must(t, b, b.updatePassage(p.ID), authoring.PassagePatch{UpdatedAt: &p.UpdatedAt, Title: ref("A")})
	_, err := write(t, b, b.updatePassage(p.ID), authoring.PassagePatch{UpdatedAt: &p.UpdatedAt, Title: ref("B")})
	wantCode(t, err, errs.StaleUpdate)
	_, err = write(t, b, func(ctx context.Context, tx *db.Tx, in authoring.PassageQuestionsInput) (authoring.PassageQuestions, error) {
		return authoring.SetPassageQuestions(ctx, tx, p.ID, in)
	}, authoring.PassageQuestionsInput{UpdatedAt: &p.UpdatedAt})
	wantCode(t, err, errs.StaleUpdate)
}

func TestPassageQuestionsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, first, second, third := b.passage(t, true), b.question(t, true, "A"), b.question(t, false, "B"), b.question(t, false, "C")
	order := func(got authoring.PassageQuestions) []ids.ID {
		all := []ids.ID{}
		for _, q := range got.Questions {
			all = append(all, q.ID)
		}
		return all
	}
	for _, wanted := range [][]ids.ID{{third.ID, first.ID, second.ID}, {first.ID, third.ID}, {}} {
		set := must(t, b, b.setQuestions(p.ID), wanted)
		if diff := cmp.Diff(wanted, order(set)); diff != "" {
			t.Errorf("set (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(set, must(t, b, authoring.GetPassageQuestions, p.ID)); diff != "" {
			t.Errorf("read (-set +read):\n%s", diff)
		}
		if got := must(t, b, authoring.ListPassages, authoring.PassageFilter{}).Items[0].Questions; got != len(wanted) {
			t.Errorf("the list counts %d questions, want %d", got, len(wanted))
		}
	}
}

func TestQuestionBelongsToAtMostOnePassage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, other, q, gone := b.passage(t, false), b.passage(t, false), b.question(t, false, "A"), b.question(t, false, "B")
	b.archive(t, "questions", gone.ID)
	must(t, b, b.setQuestions(one.ID), []ids.ID{q.ID})
	must(t, b, b.setQuestions(one.ID), []ids.ID{q.ID})
	_, err := write(t, b, b.setQuestions(other.ID), []ids.ID{q.ID})
	wantCode(t, err, errs.QuestionInOtherPassage)
	if diff := cmp.Diff([]ids.ID{q.ID}, errs.Of(err).Details["questionIds"]); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	_, err = write(t, b, b.setQuestions(other.ID), []ids.ID{ids.New(), gone.ID, q.ID, q.ID})
	wantFields(t, err, errs.ValidationFailed, "questionIds[0] unknown_question", "questionIds[1] archived", "questionIds[3] duplicate_question")
	_, err = write(t, b, b.setQuestions(other.ID), make([]ids.ID, 201))
	wantFields(t, err, errs.ValidationFailed, "questionIds too_many")
}

// Two passages take the same question at once: the constraint lets one of them have it.
func TestTwoPassagesAtOnceTakeAQuestionOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	passages := []authoring.Passage{b.passage(t, false), b.passage(t, false), b.passage(t, false)}
	wins := race(t, len(passages), errs.QuestionInOtherPassage, func(i int) error {
		_, err := write(t, b, b.setQuestions(passages[i].ID), []ids.ID{q.ID})
		return err
	})
	if wins != 1 {
		t.Errorf("%d passages have the question", wins)
	}
}

// race runs calls at once and gives how many succeeded; the others must fail with the code.
func race(t *testing.T, n int, code errs.Code, call func(i int) error) int {
	t.Helper()
	failures := make([]error, n)
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			failures[i] = call(i)
		})
	}
	close(start)
	all.Wait()
	wins := 0
	for _, err := range failures {
		if err == nil {
			wins++
			continue
		}
		wantCode(t, err, code)
	}
	return wins
}

func TestManyPublishesAtOnceMakeOneVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, q := b.passage(t, false), b.question(t, false, "A")
	for name, publish := range map[string]func() error{
		"passage":  func() error { _, err := write(t, b, sample.PublishPassage, p.ID); return err },
		"question": func() error { _, err := write(t, b, authoring.PublishQuestion, q.ID); return err },
	} {
		if wins := race(t, 6, errs.NothingToPublish, func(int) error { return publish() }); wins != 1 {
			t.Errorf("%s: published %d times", name, wins)
		}
	}
	if got := must(t, b, authoring.GetPassage, getPassage(p.ID)); got.Published.Number != 1 || got.Draft != nil {
		t.Errorf("got %+v", got)
	}
}

func TestOfTwoAuthorsAtOnceOneWins(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, q := b.passage(t, true), b.question(t, true, "A")
	if wins := race(t, 6, errs.StaleUpdate, func(int) error {
		_, err := write(t, b, b.updatePassage(p.ID), authoring.PassagePatch{UpdatedAt: &p.UpdatedAt, Title: ref("Mine")})
		return err
	}); wins != 1 {
		t.Errorf("passage: %d authors won", wins)
	}
	if wins := race(t, 6, errs.StaleUpdate, func(i int) error {
		_, err := write(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{UpdatedAt: &q.UpdatedAt, Weight: ref(float64(i + 2))})
		return err
	}); wins != 1 {
		t.Errorf("question: %d authors won", wins)
	}
}

func TestUpsertPassagesAgainChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	inputs := []authoring.PassageInput{sample.PassageInput(), sample.PassageInput(), sample.PassageInput()}
	first := must(t, b, authoring.UpsertPassages, inputs)
	if diff := cmp.Diff(map[authoring.Change]int{authoring.Created: 3}, changes(first)); diff != "" {
		t.Errorf("first time (-want +got):\n%s", diff)
	}
	must(t, b, sample.PublishPassage, first[0].ID)
	must(t, b, sample.PublishPassage, first[1].ID)
	inputs[1].Title = "Another title"
	again := must(t, b, authoring.UpsertPassages, inputs)
	if diff := cmp.Diff(map[authoring.Change]int{authoring.Unchanged: 2, authoring.Changed: 1}, changes(again)); diff != "" {
		t.Errorf("second time (-want +got):\n%s", diff)
	}
	if got := must(t, b, authoring.GetPassage, getPassage(first[1].ID)); got.Draft.Number != 2 || got.Published.Title != "Sample passage" {
		t.Errorf("got %+v", got)
	}
	found := must(t, b, authoring.FindPassages, []string{inputs[0].ExternalID, "none"})
	if diff := cmp.Diff(map[string]ids.ID{inputs[0].ExternalID: first[0].ID}, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestUpsertPassagesIsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good, archived := sample.PassageInput(), sample.PassageInput()
	b.archive(t, "passages", must(t, b, authoring.CreatePassage, archived).ID)
	archived.Title = "Another title"
	nameless, twice := sample.PassageInput(), good
	nameless.ExternalID, nameless.Title = "", ""
	_, err := write(t, b, authoring.UpsertPassages, []authoring.PassageInput{good, nameless, twice, archived})
	wantFields(t, err, errs.ValidationFailed, "passages[1].externalId required", "passages[2].externalId duplicate_external_id",
		"passages[1].title required", "passages[3].externalId archived")
	if n := must(t, b, authoring.ListPassages, authoring.PassageFilter{}).Total; n != 0 {
		t.Errorf("%d passages were written", n)
	}
}

func TestOthersSeeNoPassages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.passage(t, true)
	for name, other := range strangers(t, b) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := write(t, other, authoring.GetPassage, getPassage(p.ID))
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, other.updatePassage(p.ID), authoring.PassagePatch{Title: ref("x")})
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, other.setQuestions(p.ID), []ids.ID{})
			wantCode(t, err, errs.NotFound)
			for _, search := range []string{"", "river"} {
				if n := must(t, other, authoring.ListPassages, authoring.PassageFilter{Search: search}).Total; n != 0 {
					t.Errorf("%q finds %d passages", search, n)
				}
			}
		})
	}
}

func TestListPassagesFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	draft, published, gone := b.passage(t, false), b.passage(t, true), b.passage(t, true)
	must(t, b, b.updatePassage(published.ID), authoring.PassagePatch{Title: ref("Glaciers")})
	b.archive(t, "passages", gone.ID)
	for _, test := range []struct {
		name   string
		filter authoring.PassageFilter
		want   []ids.ID
	}{
		{"all but archived", authoring.PassageFilter{Sort: "createdAt"}, []ids.ID{draft.ID, published.ID}},
		{"archived", authoring.PassageFilter{Status: "archived"}, []ids.ID{gone.ID}},
		{"by text", authoring.PassageFilter{Search: "fluss stei", Sort: "-createdAt"}, []ids.ID{published.ID, draft.ID}},
		{"by title", authoring.PassageFilter{Search: "glacier"}, []ids.ID{published.ID}},
		{"by title and status", authoring.PassageFilter{Search: "glacier", Status: "draft"}, nil},
	} {
		var got []ids.ID
		for _, item := range must(t, b, authoring.ListPassages, test.filter).Items {
			got = append(got, item.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
