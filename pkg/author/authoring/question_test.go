package authoring_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

func TestQuestionIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("B", "C")
	in.Scoring = &authoring.QuestionScoring{Method: scoring.Partial, MinSelections: 1, MaxSelections: 3}
	in.Weight, in.ContributesToScore = ref(2.5), ref(false)
	in.Explanation = sample.Content("Because.", "Darum.")
	created := must(t, b, authoring.CreateQuestion, in)
	got := must(t, b, authoring.GetQuestion, created.ID)
	if diff := cmp.Diff(created, got); diff != "" {
		t.Errorf("read after create (-created +read):\n%s", diff)
	}
	v := got.Draft
	if got.Status != "draft" || got.Published != nil || v.Number != 1 || v.QType != scoring.MRQ || got.ExternalID != in.ExternalID {
		t.Errorf("got %+v", got)
	}
	if v.Weight != 2.5 || v.ContributesToScore || !cmp.Equal(v.Scoring, *in.Scoring) || v.Explanation == nil || v.Options[1].ID != "B" || !v.Options[1].IsCorrect {
		t.Errorf("got body %+v", v.QuestionBody)
	}
	canonical, err := content.Canonical(v.QuestionBody)
	if err != nil {
		t.Fatal(err)
	}
	if hash := content.Hash(canonical); hash != v.ContentHash {
		t.Errorf("contentHash: got %s, and the body has %s", v.ContentHash, hash)
	}
}

func TestQuestionDefaults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("B")
	in.ExternalID = ""
	for i := range in.Options {
		in.Options[i].ID = ""
	}
	got := must(t, b, authoring.CreateQuestion, in).Draft
	var optionIDs []string
	for _, o := range got.Options {
		optionIDs = append(optionIDs, o.ID)
	}
	if diff := cmp.Diff([]string{"A", "B", "C", "D"}, optionIDs); diff != "" {
		t.Errorf("option ids (-want +got):\n%s", diff)
	}
	if got.Weight != 1 || !got.ContributesToScore || got.TaxonomyTermIDs == nil {
		t.Errorf("got %+v", got)
	}
}

func TestQuestionProblemsComeAllAtOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*authoring.QuestionInput)
		want   []string
	}{
		{"mcq with two correct options", func(in *authoring.QuestionInput) { in.Options[2].IsCorrect = true }, []string{"options one_correct_option"}},
		{"mcq with one option", func(in *authoring.QuestionInput) { in.Options = in.Options[:1] }, []string{"options too_few_options"}},
		{"mcq with partial credit", func(in *authoring.QuestionInput) {
			in.Scoring = &authoring.QuestionScoring{Method: scoring.Partial, MaxSelections: 2}
		}, []string{"scoring.maxSelections unsupported", "scoring.method unsupported"}},
		{"mrq without a correct option", func(in *authoring.QuestionInput) {
			in.QType, in.Options[0].IsCorrect = scoring.MRQ, false
		}, []string{"options no_correct_option"}},
		{"mrq whose key breaks its bounds", func(in *authoring.QuestionInput) {
			in.QType, in.Options[1].IsCorrect = scoring.MRQ, true
			in.Scoring = &authoring.QuestionScoring{Method: "best", MinSelections: 3, MaxSelections: 1}
		}, []string{"scoring.method out_of_range", "scoring.minSelections out_of_range", "scoring.maxSelections out_of_range"}},
		{"no such type", func(in *authoring.QuestionInput) { in.QType = "riddle" }, []string{"qtype unsupported"}},
		{"empty stem", func(in *authoring.QuestionInput) { in.Stem = sample.Content(" ", "x") }, []string{"stem required"}},
		{"no stem", func(in *authoring.QuestionInput) { in.Stem = nil }, []string{"stem required"}},
		{"several", func(in *authoring.QuestionInput) {
			in.ExternalID = "a\x00b"
			in.Stem = json.RawMessage(`{"defaultLocale":"en","locales":{"de":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[]}}}`)
			in.Options[1].ID, in.Options[2].ID, in.Options[3].Content = "A", "not an id", nil
			in.Weight = ref(-1.0)
			in.TaxonomyTermIDs = []ids.ID{ids.None, ids.None}
		}, []string{"externalId invalid_text", "stem.defaultLocale missing_default_locale", "options[1].id duplicate_option",
			"options[2].id invalid_option_id", "options[3].content required", "weight out_of_range", "taxonomyTermIds[1] duplicate_term"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := sample.QuestionInput("A")
			test.change(&in)
			wantFields(t, errs.Invalid(in.Problems("")...), errs.ValidationFailed, test.want...)
		})
	}
}

func TestOptionsBeyondZGetTwoLetters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("A")
	for len(in.Options) < 54 {
		in.Options = append(in.Options, authoring.OptionInput{Content: in.Options[1].Content})
	}
	got := must(t, b, authoring.CreateQuestion, in).Draft.Options
	if got[25].ID != "Z" || got[26].ID != "AA" || got[53].ID != "BB" {
		t.Errorf("got %s, %s, %s", got[25].ID, got[26].ID, got[53].ID)
	}
}

func TestUpdateChangesTheDraftAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	got := must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(3.0)})
	if got.Draft.ID != q.Draft.ID || got.Draft.Number != 1 || got.Draft.Weight != 3 || got.Draft.ContentHash == q.Draft.ContentHash {
		t.Errorf("got %+v", got.Draft)
	}
	if diff := cmp.Diff(q.Draft.Options, got.Draft.Options); diff != "" {
		t.Errorf("options changed (-before +after):\n%s", diff)
	}
	if !got.UpdatedAt.After(q.UpdatedAt) {
		t.Errorf("updatedAt: got %s, before it was %s", got.UpdatedAt, q.UpdatedAt)
	}
}

func TestUpdateOfPublishedQuestionBeginsVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	got := must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Stem: sample.Content("New", "Neu")})
	if got.Draft == nil || got.Draft.Number != 2 || got.Status != "published" {
		t.Fatalf("got %+v", got)
	}
	if diff := cmp.Diff(q.Published, got.Published); diff != "" {
		t.Errorf("the published version changed (-before +after):\n%s", diff)
	}
}

func TestUpdateFromOlderStateIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	stale := q.UpdatedAt
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{UpdatedAt: &stale, Weight: ref(2.0)})
	_, err := write(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{UpdatedAt: &stale, Weight: ref(3.0)})
	wantCode(t, err, errs.StaleUpdate)
	now := must(t, b, authoring.GetQuestion, q.ID)
	told, _ := time.Parse(time.RFC3339Nano, errs.Of(err).Details["updatedAt"].(string))
	if !told.Equal(now.UpdatedAt) || now.Draft.Weight != 2 {
		t.Errorf("details say %s; the question has %s and weight %g", told, now.UpdatedAt, now.Draft.Weight)
	}
}

func TestCreateQuestionVersionCopiesThePublishedOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	got := must(t, b, authoring.CreateQuestionVersion, q.ID)
	if got.Draft.Number != 2 || got.Draft.ContentHash != q.Published.ContentHash || got.Draft.ID == q.Published.ID {
		t.Errorf("got %+v", got.Draft)
	}
	_, err := write(t, b, authoring.CreateQuestionVersion, q.ID)
	wantCode(t, err, errs.Conflict)
}

func TestExternalIDIsUniqueInOrgUnit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("A")
	must(t, b, authoring.CreateQuestion, in)
	_, err := write(t, b, authoring.CreateQuestion, in)
	wantCode(t, err, errs.ExternalIDTaken)
}

func TestArchivedQuestionCannotBeChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	b.archive(t, "questions", q.ID)
	_, err := write(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(2.0)})
	wantCode(t, err, errs.Archived)
	_, err = write(t, b, authoring.PublishQuestion, q.ID)
	wantCode(t, err, errs.Archived)
	_, err = write(t, b, authoring.CreateQuestionVersion, q.ID)
	wantCode(t, err, errs.Archived)
	in := sample.QuestionInput("B")
	in.ExternalID = q.ExternalID
	_, err = write(t, b, sample.UpsertQuestions, []authoring.QuestionInput{in})
	wantFields(t, err, errs.ValidationFailed, "questions[0].externalId archived")
}

func TestQuestionTakesActiveContentTermsOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var retired, skill, good ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		retired, skill, good = sample.Term(t, tx, "topic", "old"), sample.Term(t, tx, "level", "deep"), sample.Term(t, tx, "topic", "new")
		_, err := tx.Exec(t.Context(), "update terms set retired_at = now() where tenant_id = $1 and id = $2", tx.Tenant(), retired)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), "update facets set domain = 'skills' where tenant_id = $1 and slug = 'level'", tx.Tenant())
		return err
	})
	in := sample.QuestionInput("A")
	in.TaxonomyTermIDs = []ids.ID{good, retired, skill, ids.New()}
	_, err := write(t, b, authoring.CreateQuestion, in)
	wantFields(t, err, errs.ValidationFailed, "taxonomyTermIds[1] retired_term", "taxonomyTermIds[2] wrong_domain", "taxonomyTermIds[3] unknown_term")

	in.TaxonomyTermIDs = []ids.ID{good}
	q := must(t, b, authoring.CreateQuestion, in)
	if err := b.exec(t, "update terms set retired_at = now() where id = $1", good); err != nil {
		t.Fatal(err)
	}
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(2.0)})
}
