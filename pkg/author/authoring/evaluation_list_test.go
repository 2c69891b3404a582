package authoring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestListEvaluationsFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	make := func(title, externalID string, terms ...ids.ID) ids.ID {
		return must(t, b, authoring.CreateEvaluation, authoring.EvaluationInput{Title: title, ExternalID: externalID, TaxonomyTermIDs: terms}).ID
	}
	river := make("The river: final exam", "geo-1", terms.dna, terms.hard)
	cell := make("Die Zelle", "bio-7", terms.genetics)
	gone := make("River, old", "geo-0", terms.dna)
	b.archive(t, "evaluations", gone)
	must(t, b, b.updateEvaluation(cell), authoring.EvaluationPatch{Title: ref("Die Zelle im Fluss")})
	tests := []struct {
		name   string
		filter authoring.EvaluationFilter
		want   []ids.ID
	}{
		{"all but archived ones", authoring.EvaluationFilter{}, []ids.ID{cell, river}},
		{"archived", authoring.EvaluationFilter{Status: "archived"}, []ids.ID{gone}},
		{"words of the title", authoring.EvaluationFilter{Search: "EXAM riv"}, []ids.ID{river}},
		{"a new title", authoring.EvaluationFilter{Search: "fluss"}, []ids.ID{cell}},
		{"external id", authoring.EvaluationFilter{Search: "geo-1"}, []ids.ID{river}},
		{"nothing to search for", authoring.EvaluationFilter{Search: "?!"}, []ids.ID{}},
		{"any term", authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAny: []ids.ID{terms.dna, terms.genetics}}}, []ids.ID{cell, river}},
		{"all terms", authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAll: []ids.ID{terms.dna, terms.hard}}}, []ids.ID{river}},
		{"a term alone", authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAll: []ids.ID{terms.biology}}}, []ids.ID{}},
		{"with what is below", authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAll: []ids.ID{terms.biology, terms.hard}, IncludeDescendants: true}}, []ids.ID{river}},
		{"together", authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAny: []ids.ID{terms.dna}}, Search: "zelle", Sort: "createdAt"}, []ids.ID{}},
		{"oldest first", authoring.EvaluationFilter{Sort: "createdAt"}, []ids.ID{river, cell}},
	}
	for _, test := range tests {
		list := must(t, b, authoring.ListEvaluations, test.filter)
		got := []ids.ID{}
		for _, e := range list.Items {
			got = append(got, e.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || list.Total != len(test.want) {
			t.Errorf("%s: total %d (-want +got):\n%s", test.name, list.Total, diff)
		}
	}
	for name, other := range strangers(t, b) {
		if n := must(t, other, authoring.ListEvaluations, authoring.EvaluationFilter{Search: "river"}).Total; n != 0 {
			t.Errorf("%s finds %d evaluations", name, n)
		}
	}
	_, err := write(t, b, authoring.ListEvaluations, authoring.EvaluationFilter{TermsFilter: authoring.TermsFilter{TermsAny: make51()}})
	wantFields(t, err, errs.ValidationFailed, "terms_any too_many")
}

func make51() []ids.ID {
	var all []ids.ID
	for range 51 {
		all = append(all, ids.New())
	}
	return all
}

func TestPublishProblemsOfGroups(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	var empty, draft, gone, good authoring.Passage
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		empty, gone = sample.Passage(t, tx), sample.Passage(t, tx, sample.Question(t, tx, "A").ID)
		draft, good = sample.PassageDraft(t, tx), sample.Passage(t, tx, sample.Question(t, tx, "A").ID, sample.Draft(t, tx, "A").ID)
		_, err := authoring.SetPassageQuestions(t.Context(), tx, draft.ID, authoring.PassageQuestionsInput{QuestionIDs: []ids.ID{sample.Question(t, tx, "A").ID}})
		return err
	})
	b.tagged(t, terms.dna, terms.hard)
	in := evaluationOf(authoring.ItemInput{PassageID: empty.ID}, authoring.ItemInput{PassageID: draft.ID}, authoring.ItemInput{PassageID: gone.ID},
		authoring.ItemInput{PassageID: good.ID}, drawOf(2, []ids.ID{terms.dna}), authoring.ItemInput{PassageID: good.ID})
	in.TaxonomyTermIDs = []ids.ID{terms.hard}
	e := must(t, b, authoring.CreateEvaluation, in)
	b.archive(t, "passages", gone.ID)
	if err := b.exec(t, "update terms set retired_at = now() where id = $1", terms.hard); err != nil {
		t.Fatal(err)
	}
	if err := b.exec(t, `insert into tenant_locales (tenant_id, tag, is_default, is_required, position, updated_at)
		select tenant_id, 'fr', true, true, 0, now() from evaluations where id = $1`, e.ID); err != nil {
		t.Fatal(err)
	}
	_, err := write(t, b, authoring.PublishEvaluation, e.ID)
	wantFields(t, err, errs.PublishBlocked, "taxonomyTermIds[0] retired_term",
		"sections[0].items[0].passageId passage_empty", "sections[0].items[0].passageId missing_locale",
		"sections[0].items[1].passageId missing_locale", "sections[0].items[1].passageId passage_not_published",
		"sections[0].items[2].passageId passage_archived",
		"sections[0].items[3].passageId missing_locale", "sections[0].items[3].passageId question_not_published",
		"sections[0].items[3].passageId missing_locale",
		"sections[0].items[4].draw.count draw_too_small", "sections[0].items[4].draw missing_locale", "sections[0].items[4].draw retired_term",
		"sections[0].items[5].passageId duplicate_question", "sections[0].items[5].passageId missing_locale",
		"sections[0].items[5].passageId question_not_published", "sections[0].items[5].passageId missing_locale")
}
