package authoring_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (b bench) configure(evaluation, version ids.ID) func(context.Context, *db.Tx, authoring.FeedbackInput) (authoring.EvaluationVersion, error) {
	return func(ctx context.Context, tx *db.Tx, in authoring.FeedbackInput) (authoring.EvaluationVersion, error) {
		in.VersionInput = authoring.VersionInput{ID: evaluation, VersionID: version}
		return authoring.ConfigureFeedback(ctx, tx, in)
	}
}

func TestPublishFreezesFeedback(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	one, two := b.tagged(t, terms.dna, terms.hard), b.tagged(t, terms.dna, terms.chemistry)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(one, two))
	draft := must(t, b, b.configure(e.ID, e.Draft.ID), authoring.FeedbackInput{FeedbackMode: ref("tags"), FeedbackTagKeys: &[]string{"topic"},
		FeedbackPolicy: &authoring.FeedbackPolicy{ShowCorrect: true}})
	if draft.Settings.FeedbackMode != "tags" || !draft.Settings.FeedbackPolicy.ShowCorrect || len(draft.Sections[0].Items) != 2 {
		t.Errorf("got %+v", draft)
	}
	published := must(t, b, authoring.PublishEvaluation, e.ID).Published
	got := must(t, b, authoring.LoadSnapshot, published.ID)
	want := []authoring.FeedbackTag{{Facet: "topic", FacetLabel: "Topic", Term: "chemistry", Label: "Chemistry"},
		{Facet: "topic", FacetLabel: "Topic", Term: "dna", Label: "DNA"}}
	if diff := cmp.Diff(want, got.FeedbackTags); diff != "" || !cmp.Equal(got.FeedbackTagKeys, []string{"topic"}) {
		t.Errorf("keys %v, tags (-want +got):\n%s", got.FeedbackTagKeys, diff)
	}
	if err := b.exec(t, "update terms set label = 'Renamed' where id = $1", terms.dna); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, must(t, b, authoring.LoadSnapshot, published.ID)); diff != "" {
		t.Errorf("the snapshot changed with the bank:\n%s", diff)
	}
	_, err := write(t, b, b.configure(e.ID, published.ID), authoring.FeedbackInput{FeedbackMode: ref("none")})
	wantCode(t, err, errs.VersionImmutable)
}

func TestFeedbackProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	other := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	old := e.UpdatedAt.Add(-time.Second)
	tests := []struct {
		name    string
		version ids.ID
		in      authoring.FeedbackInput
		want    errs.Code
	}{
		{"unknown mode", e.Draft.ID, authoring.FeedbackInput{FeedbackMode: ref("all")}, errs.ValidationFailed},
		{"unknown facet", e.Draft.ID, authoring.FeedbackInput{FeedbackTagKeys: &[]string{"nothing"}}, errs.ValidationFailed},
		{"older state", e.Draft.ID, authoring.FeedbackInput{UpdatedAt: &old}, errs.StaleUpdate},
		{"version of another evaluation", other.Draft.ID, authoring.FeedbackInput{}, errs.NotFound},
		{"no such version", ids.New(), authoring.FeedbackInput{}, errs.NotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := write(t, b, b.configure(e.ID, test.version), test.in)
			wantCode(t, err, test.want)
		})
	}
}

func TestTermsOfAnEvaluationBelongToItsVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	in := sample.EvaluationInput(b.question(t, true, "A").ID)
	in.TaxonomyTermIDs = []ids.ID{terms.dna}
	e := must(t, b, authoring.CreateEvaluation, in)
	e = must(t, b, authoring.PublishEvaluation, e.ID)
	e = must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{TaxonomyTermIDs: &[]ids.ID{terms.hard}})
	if !cmp.Equal(e.Draft.TaxonomyTermIDs, []ids.ID{terms.hard}) || !cmp.Equal(e.Published.TaxonomyTermIDs, []ids.ID{terms.dna}) {
		t.Errorf("draft has %v, published has %v", e.Draft.TaxonomyTermIDs, e.Published.TaxonomyTermIDs)
	}
	if got := must(t, b, authoring.LoadSnapshot, e.Published.ID).EvaluationTaxonomyTermIDs; !cmp.Equal(got, []ids.ID{terms.dna}) {
		t.Errorf("snapshot has %v", got)
	}
	type mark struct{ Newest, Published bool }
	marks := func() map[ids.ID]mark {
		all := map[ids.ID]mark{}
		sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
			for _, term := range []ids.ID{terms.dna, terms.hard} {
				var m mark
				err := tx.QueryRow(t.Context(), `select coalesce(bool_or(is_newest), false), coalesce(bool_or(is_published), false)
					from evaluation_terms where tenant_id = $1 and term_id = $2 and evaluation_id = $3`, tx.Tenant(), term, e.ID).Scan(&m.Newest, &m.Published)
				if err != nil {
					return err
				}
				all[term] = m
			}
			return nil
		})
		return all
	}
	if diff := cmp.Diff(map[ids.ID]mark{terms.dna: {false, true}, terms.hard: {true, false}}, marks()); diff != "" {
		t.Errorf("index with a draft (-want +got):\n%s", diff)
	}
	must(t, b, authoring.PublishEvaluation, e.ID)
	if diff := cmp.Diff(map[ids.ID]mark{terms.dna: {}, terms.hard: {true, true}}, marks()); diff != "" {
		t.Errorf("index when published (-want +got):\n%s", diff)
	}
}

// A draft that begins from a published version names the survivors of merged terms.
func TestNewDraftFollowsMerges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	in := evaluationOf(drawOf(1, []ids.ID{terms.dna}))
	in.TaxonomyTermIDs = []ids.ID{terms.dna}
	b.tagged(t, terms.dna)
	e := must(t, b, authoring.CreateEvaluation, in)
	must(t, b, authoring.PublishEvaluation, e.ID)
	if err := b.exec(t, "update terms set retired_at = now(), merged_into = $2 where id = $1", terms.dna, terms.hard); err != nil {
		t.Fatal(err)
	}
	got := must(t, b, authoring.CreateEvaluationVersion, e.ID)
	if want := []ids.ID{terms.hard}; !cmp.Equal(got.Draft.TaxonomyTermIDs, want) || !cmp.Equal(got.Draft.Sections[0].Items[0].Draw.TaxonomyTermIDs, want) ||
		!cmp.Equal(got.Published.TaxonomyTermIDs, []ids.ID{terms.dna}) {
		t.Errorf("draft %+v, published %+v", got.Draft, got.Published)
	}
}
