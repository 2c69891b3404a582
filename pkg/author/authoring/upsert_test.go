package authoring_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func inputs(prefix string, n int) []authoring.QuestionInput {
	all := make([]authoring.QuestionInput, n)
	for i := range all {
		all[i] = sample.QuestionInput("A")
		all[i].ExternalID = fmt.Sprintf("%s-%d", prefix, i)
	}
	return all
}

func changes(all []authoring.Upserted) map[authoring.Change]int {
	n := map[authoring.Change]int{}
	for _, one := range all {
		n[one.Change]++
	}
	return n
}

func TestUpsertAgainChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := must(t, b, sample.UpsertQuestions, inputs("q", 30))
	if diff := cmp.Diff(map[authoring.Change]int{authoring.Created: 30}, changes(first)); diff != "" {
		t.Errorf("first time (-want +got):\n%s", diff)
	}
	before := must(t, b, authoring.GetQuestion, first[7].ID)
	again := must(t, b, sample.UpsertQuestions, inputs("q", 30))
	if diff := cmp.Diff(map[authoring.Change]int{authoring.Unchanged: 30}, changes(again)); diff != "" {
		t.Errorf("second time (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, must(t, b, authoring.GetQuestion, again[7].ID)); diff != "" {
		t.Errorf("an unchanged question changed:\n%s", diff)
	}
}

func TestUpsertOfChangedQuestionMakesDraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := inputs("q", 3)
	before := must(t, b, sample.UpsertQuestions, all)
	must(t, b, authoring.PublishQuestions, []ids.ID{before[0].ID, before[1].ID})
	all[0].Weight, all[2].Weight = ref(2.0), ref(2.0)
	after := must(t, b, sample.UpsertQuestions, all)
	want := []authoring.Change{authoring.Changed, authoring.Unchanged, authoring.Changed}
	for i := range after {
		if after[i].Change != want[i] || after[i].ID != before[i].ID {
			t.Errorf("question %d: got %+v, want %s of %s", i, after[i], want[i], before[i].ID)
		}
	}
	published, draft := must(t, b, authoring.GetQuestion, after[0].ID), must(t, b, authoring.GetQuestion, after[2].ID)
	if published.Draft == nil || published.Draft.Number != 2 || published.Published.Weight != 1 || published.Draft.Weight != 2 {
		t.Errorf("the published one: got %+v", published)
	}
	if draft.Draft.Number != 1 || draft.Draft.Weight != 2 {
		t.Errorf("the draft: got %+v", draft.Draft)
	}
}

func TestUpsertSeesChangedTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := inputs("q", 1)
	before := must(t, b, sample.UpsertQuestions, all)
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		all[0].TaxonomyTermIDs = []ids.ID{sample.Term(t, tx, "topic", "cells"), sample.Term(t, tx, "topic", "acids")}
		return nil
	})
	if got := must(t, b, sample.UpsertQuestions, all)[0]; got.Change != authoring.Changed || got.ID != before[0].ID {
		t.Errorf("new terms: got %+v", got)
	}
	slices.Reverse(all[0].TaxonomyTermIDs)
	if got := must(t, b, sample.UpsertQuestions, all)[0]; got.Change != authoring.Unchanged {
		t.Errorf("the same terms in another order: got %+v", got)
	}
	var assigned int
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from question_terms where tenant_id = $1 and question_id = $2", tx.Tenant(), before[0].ID).Scan(&assigned)
	})
	if assigned != 2 {
		t.Errorf("got %d assignments, want 2", assigned)
	}
}

func TestUpsertReportsEveryProblemAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := inputs("q", 5)
	all[1].ExternalID, all[2].ExternalID, all[3].Stem = "", "q-0", nil
	all[4].TaxonomyTermIDs = []ids.ID{ids.New()}
	_, err := write(t, b, sample.UpsertQuestions, all)
	wantFields(t, err, errs.ValidationFailed, "questions[1].externalId required", "questions[2].externalId duplicate_external_id",
		"questions[3].stem required", "questions[4].taxonomyTermIds[0] unknown_term")
	if found := must(t, b, authoring.FindQuestions, []string{"q-0", "q-4", "\x00", "none"}); len(found) != 0 {
		t.Errorf("something was written: %v", found)
	}
}

func TestUpsertsAtOnceAgree(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	results := make([][]authoring.Upserted, 3)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			var err error
			results[i], err = write(t, b, sample.UpsertQuestions, inputs("q", 10))
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	total := map[authoring.Change]int{}
	for _, one := range results {
		for change, n := range changes(one) {
			total[change] += n
		}
	}
	if diff := cmp.Diff(map[authoring.Change]int{authoring.Created: 10, authoring.Unchanged: 20}, total); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestUpsertEvaluationsKeepsIDs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two, three := b.question(t, true, "A").ID, b.question(t, true, "B").ID, b.question(t, true, "C").ID
	in := sample.EvaluationInput(one, two)
	upsert := func(in authoring.EvaluationInput) authoring.Upserted {
		return must(t, b, authoring.UpsertEvaluations, []authoring.EvaluationInput{in})[0]
	}
	created := upsert(in)
	before := must(t, b, authoring.PublishEvaluation, created.ID).Published
	if again := upsert(in); again.Change != authoring.Unchanged || again.ID != created.ID {
		t.Errorf("again: got %+v, want unchanged %s", again, created.ID)
	}
	in.Sections[0].Items = []authoring.ItemInput{{QuestionID: three}, {QuestionID: two}, {QuestionID: one}}
	if changed := upsert(in); changed.Change != authoring.Changed || changed.ID != created.ID {
		t.Errorf("other items: got %+v, want changed %s", changed, created.ID)
	}
	after := must(t, b, authoring.GetEvaluation, created.ID).Draft
	items := after.Sections[0].Items
	if after.Number != 2 || after.Sections[0].ID != before.Sections[0].ID ||
		items[1].ID != before.Sections[0].Items[1].ID || items[2].ID != before.Sections[0].Items[0].ID || items[0].QuestionID != three {
		t.Errorf("got %+v, before it was %+v", after, before)
	}
}
