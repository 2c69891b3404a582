package authoring_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// tree has the terms biology > genetics > dna, and the separate terms chemistry and hard.
type tree struct{ biology, genetics, dna, chemistry, hard ids.ID }

func newTree(t *testing.T, b bench) tree {
	t.Helper()
	var all tree
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		all = tree{sample.Term(t, tx, "Topic", "Biology"), sample.Term(t, tx, "Topic", "Genetics"), sample.Term(t, tx, "Topic", "DNA"),
			sample.Term(t, tx, "Topic", "Chemistry"), sample.Term(t, tx, "Level", "Hard")}
		_, err := tx.Exec(t.Context(), `insert into term_relations (tenant_id, term_id, parent_id, created_at)
			values ($1, $2, $3, now()), ($1, $4, $2, now())`, tx.Tenant(), all.genetics, all.biology, all.dna)
		return err
	})
	return all
}

// tagged makes a published question with terms.
func (b bench) tagged(t *testing.T, terms ...ids.ID) ids.ID {
	t.Helper()
	in := sample.QuestionInput("A")
	in.TaxonomyTermIDs = terms
	id := must(t, b, authoring.CreateQuestion, in).ID
	must(t, b, authoring.PublishQuestion, id)
	return id
}

func drawOf(count int, terms []ids.ID, except ...ids.ID) authoring.ItemInput {
	return authoring.ItemInput{Draw: &authoring.Draw{Count: count, TaxonomyTermIDs: terms, ExcludeTaxonomyTermIDs: except}}
}

func evaluationOf(items ...authoring.ItemInput) authoring.EvaluationInput {
	return authoring.EvaluationInput{Title: "Drawn", Sections: []authoring.SectionInput{{Title: "One", Items: items}}}
}

// snapshotOf makes and publishes an evaluation.
func (b bench) snapshotOf(t *testing.T, in authoring.EvaluationInput) *authoring.Snapshot {
	t.Helper()
	e := must(t, b, authoring.CreateEvaluation, in)
	return must(t, b, authoring.LoadSnapshot, must(t, b, authoring.PublishEvaluation, e.ID).Published.ID)
}

func questionsOf(items []authoring.SnapshotItem) []ids.ID {
	all := []ids.ID{}
	for _, item := range items {
		all = append(all, item.QuestionID)
	}
	return sortedIDs(all)
}

func sortedIDs(all []ids.ID) []ids.ID {
	slices.SortFunc(all, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return all
}

func TestPoolIsWhatCarriesTheTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	onBiology, onDNA := b.tagged(t, terms.biology), b.tagged(t, terms.dna)
	hardDNA, hardGenetics := b.tagged(t, terms.dna, terms.hard), b.tagged(t, terms.genetics, terms.hard)
	b.tagged(t, terms.chemistry)
	b.question(t, true, "A")
	archived := b.tagged(t, terms.biology)
	b.archive(t, "questions", archived)
	draft := sample.QuestionInput("A")
	draft.TaxonomyTermIDs = []ids.ID{terms.biology}
	must(t, b, authoring.CreateQuestion, draft)
	for name, other := range strangers(t, b) {
		if name == "another org unit" {
			other.tagged(t, terms.biology)
		}
	}
	tests := []struct {
		name string
		draw authoring.ItemInput
		want []ids.ID
	}{
		{"a term and what is below it", drawOf(1, []ids.ID{terms.biology}), []ids.ID{onBiology, onDNA, hardDNA, hardGenetics}},
		{"all of several terms", drawOf(1, []ids.ID{terms.biology, terms.hard}), []ids.ID{hardDNA, hardGenetics}},
		{"two terms that one question meets with one", drawOf(1, []ids.ID{terms.biology, terms.dna}), []ids.ID{onDNA, hardDNA}},
		{"none of the excluded", drawOf(1, []ids.ID{terms.biology}, terms.hard), []ids.ID{onBiology, onDNA}},
		{"nothing below the excluded", drawOf(1, []ids.ID{terms.biology}, terms.genetics), []ids.ID{onBiology}},
	}
	for _, test := range tests {
		got := questionsOf(b.snapshotOf(t, evaluationOf(test.draw)).Sections[0].Items)
		if diff := cmp.Diff(sortedIDs(test.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestPoolFollowsThePublishedTermsOfAQuestion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	moving := b.tagged(t, terms.biology)
	must(t, b, b.updateQuestion(moving), authoring.QuestionPatch{TaxonomyTermIDs: &[]ids.ID{terms.chemistry}})
	if got := questionsOf(b.snapshotOf(t, evaluationOf(drawOf(1, []ids.ID{terms.biology}))).Sections[0].Items); !cmp.Equal(got, []ids.ID{moving}) {
		t.Errorf("the draft's terms counted: got %v", got)
	}
	must(t, b, authoring.PublishQuestion, moving)
	e := must(t, b, authoring.CreateEvaluation, evaluationOf(drawOf(1, []ids.ID{terms.biology})))
	_, err := write(t, b, authoring.PublishEvaluation, e.ID)
	wantFields(t, err, errs.PublishBlocked, "sections[0].items[0].draw.count draw_too_small")
}

// A question that is fixed somewhere is not drawn, and draws of the same terms share
// their questions out: so a session shows nothing twice, whatever it draws.
func TestPoolsAreDisjoint(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	fixed := b.tagged(t, terms.dna)
	for range 4 {
		b.tagged(t, terms.dna)
	}
	in := evaluationOf(drawOf(2, []ids.ID{terms.biology}), drawOf(2, []ids.ID{terms.dna}))
	in.Sections = append(in.Sections, authoring.SectionInput{Title: "Two", Items: []authoring.ItemInput{{QuestionID: fixed}}})
	got := b.snapshotOf(t, in)
	seen := map[ids.ID]bool{}
	for _, section := range got.Sections {
		for _, item := range section.Items {
			if seen[item.QuestionID] {
				t.Errorf("question %s can come twice", item.QuestionID)
			}
			seen[item.QuestionID] = true
		}
	}
	if len(seen) != 5 || len(got.Sections[0].Groups) != 2 || got.Sections[0].Groups[0].Count != 2 {
		t.Errorf("%d questions, groups %+v", len(seen), got.Sections[0].Groups)
	}
	in.Sections[0].Items = append(in.Sections[0].Items, drawOf(1, []ids.ID{terms.genetics}))
	e := must(t, b, authoring.CreateEvaluation, in)
	_, err := write(t, b, authoring.PublishEvaluation, e.ID)
	wantFields(t, err, errs.PublishBlocked, "sections[0].items[2].draw.count draw_too_small")
}

func TestItemProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	both := drawOf(0, nil, terms.hard, terms.hard)
	both.QuestionID = ids.New()
	in := evaluationOf(both, drawOf(501, []ids.ID{terms.hard, ids.New()}, terms.hard), authoring.ItemInput{PassageID: ids.New()})
	limit, whole := 100, 60
	in.Sections[0].TimeLimitSeconds, in.Settings.TimeLimitSeconds = &limit, &whole
	in.Settings.FeedbackTagKeys = []string{"topic", "nothing", "topic"}
	in.Settings.VerificationLevel, in.Settings.ExposurePolicy.MaxExposurePerQuestion = "L5", new(int)
	in.Settings.RequiredEvidence = []string{"photo", "x-ray", "photo"}
	key := strings.Repeat("ab", 32)
	in.Settings.Lockdown.SEBConfigKeys = []string{key, strings.ToUpper(key), key[1:], "x" + key[1:]}
	in.Settings.Lockdown.SEBBrowserExamKeys = make([]string, 51)
	for i := range in.Settings.Lockdown.SEBBrowserExamKeys {
		in.Settings.Lockdown.SEBBrowserExamKeys[i] = fmt.Sprintf("%064x", i)
	}
	in.TaxonomyTermIDs = []ids.ID{ids.New()}
	_, err := write(t, b, authoring.CreateEvaluation, in)
	wantFields(t, err, errs.ValidationFailed, "sections[0].timeLimitSeconds out_of_range",
		"sections[0].items[0] one_kind_only", "sections[0].items[0].draw.count out_of_range", "sections[0].items[0].draw.taxonomyTermIds required",
		"sections[0].items[0].draw.excludeTaxonomyTermIds[1] duplicate_term", "sections[0].items[1].draw.count out_of_range",
		"sections[0].items[1].draw.excludeTaxonomyTermIds[0] contradiction",
		"settings.verificationLevel out_of_range", "settings.exposurePolicy.maxExposurePerQuestion out_of_range",
		"settings.feedbackTagKeys[2] duplicate_key", "settings.requiredEvidence[1] out_of_range", "settings.requiredEvidence[2] duplicate_key",
		"settings.lockdown.sebConfigKeys[1] duplicate_key", "settings.lockdown.sebConfigKeys[2] invalid_key", "settings.lockdown.sebConfigKeys[3] invalid_key",
		"settings.lockdown.sebBrowserExamKeys too_many",
		"sections[0].items[0].questionId unknown_question", "sections[0].items[2].passageId unknown_passage", "taxonomyTermIds[0] unknown_term",
		"sections[0].items[1].draw.taxonomyTermIds[1] unknown_term", "settings.feedbackTagKeys[1] unknown_facet")
}

// The same input written again is the same evaluation, with the same ids of items; and items
// of a pool keep their ids from version to version.
func TestIDsOfDrawsAndPoolsAreStable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	kept := b.tagged(t, terms.dna)
	in := evaluationOf(drawOf(1, []ids.ID{terms.hard, terms.biology}), drawOf(1, []ids.ID{terms.dna}, terms.hard))
	in.ExternalID = "e"
	b.tagged(t, terms.dna, terms.hard)
	upsert := func() authoring.Upserted {
		return must(t, b, authoring.UpsertEvaluations, []authoring.EvaluationInput{in})[0]
	}
	id := upsert().ID
	first := must(t, b, authoring.LoadSnapshot, must(t, b, authoring.PublishEvaluation, id).Published.ID)
	slices.Reverse(in.Sections[0].Items[0].Draw.TaxonomyTermIDs)
	if again := upsert(); again.Change != authoring.Unchanged {
		t.Errorf("the same terms in another order: got %s", again.Change)
	}
	in.Title = "Another title"
	b.tagged(t, terms.dna)
	if again := upsert(); again.Change != authoring.Changed {
		t.Errorf("another title: got %s", again.Change)
	}
	second := must(t, b, authoring.LoadSnapshot, must(t, b, authoring.PublishEvaluation, id).Published.ID)
	place := func(s *authoring.Snapshot) authoring.SnapshotItem {
		all := s.Sections[0].Items
		return all[slices.IndexFunc(all, func(i authoring.SnapshotItem) bool { return i.QuestionID == kept })]
	}
	if got, want := place(second), place(first); got.ItemID != want.ItemID || *got.GroupID != *want.GroupID {
		t.Errorf("item and group were %s, %s and are %s, %s", want.ItemID, want.GroupID, got.ItemID, got.GroupID)
	}
	if len(second.Sections[0].Items) != 3 || len(first.Sections[0].Items) != 2 {
		t.Errorf("pools have %d and then %d questions", len(first.Sections[0].Items), len(second.Sections[0].Items))
	}
}

// Every question that a snapshot can show is pinned, and pins never change.
func TestEveryLeafHasAPin(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	fixed := b.tagged(t, terms.dna)
	for range 3 {
		b.tagged(t, terms.dna)
	}
	e := must(t, b, authoring.CreateEvaluation, evaluationOf(authoring.ItemInput{QuestionID: fixed}, drawOf(2, []ids.ID{terms.dna})))
	published := must(t, b, authoring.PublishEvaluation, e.ID).Published
	got := must(t, b, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.EvaluationVersionDetail, error) {
		return authoring.GetEvaluationVersion(ctx, tx, authoring.VersionInput{ID: e.ID, VersionID: id})
	}, published.ID)
	var want []authoring.Pin
	for _, item := range got.Snapshot.Sections[0].Items {
		pin := authoring.Pin{ItemID: item.ItemID, GroupID: item.ItemID, Position: item.Position, QuestionID: item.QuestionID,
			QuestionVersionID: item.QuestionVersionID}
		if item.GroupID != nil {
			pin.GroupID = *item.GroupID
		}
		want = append(want, pin)
	}
	if diff := cmp.Diff(want, got.Pins); diff != "" || len(want) != 4 {
		t.Errorf("%d leaves, pins (-want +got):\n%s", len(want), diff)
	}
	wantCode(t, b.exec(t, "delete from evaluation_pins where evaluation_version_id = $1", published.ID), errs.VersionImmutable)
}
