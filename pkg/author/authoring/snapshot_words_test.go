package authoring_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// said is what reports know about a question version, titles what they know about an evaluation version.
type said struct {
	Question ids.ID
	External *string
	Stem     string
	Options  map[string]string
}

type titles struct {
	Evaluation ids.ID
	Number     int
	Title      string
	Sections   map[ids.ID]string
	Tags       map[string]authoring.TagLabel
}

func wordsOf(ctx context.Context, tx *db.Tx, version ids.ID) (said, error) {
	var w said
	err := tx.QueryRow(ctx, "select question_id, external_id, stem, options from snapshot_questions where tenant_id = $1 and question_version_id = $2",
		tx.Tenant(), version).Scan(&w.Question, &w.External, &w.Stem, &w.Options)
	return w, err
}

func titlesOf(ctx context.Context, tx *db.Tx, version ids.ID) (titles, error) {
	var w titles
	err := tx.QueryRow(ctx, "select evaluation_id, number, title, sections, tags from snapshot_titles where tenant_id = $1 and evaluation_version_id = $2",
		tx.Tenant(), version).Scan(&w.Evaluation, &w.Number, &w.Title, &w.Sections, &w.Tags)
	return w, err
}

// Publishing stores the words of what it publishes: titles, labels of that time, and texts cut to the length
// that a report shows. The author's own id is the newest evaluation's; published versions keep their titles.
func TestPublishingStoresWords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	terms := newTree(t, b)
	asked := sample.QuestionInput("A")
	asked.ExternalID, asked.TaxonomyTermIDs = "bio-1", []ids.ID{terms.dna, terms.hard}
	asked.Stem = sample.Content(strings.Repeat("語", authoring.MaxStemWords+1), "Kurz")
	q := must(t, b, authoring.CreateQuestion, asked)
	question := must(t, b, authoring.PublishQuestion, q.ID).Published.ID
	stays, goes := ids.New(), ids.New()
	section := func(id ids.ID, title string) authoring.SectionInput {
		return authoring.SectionInput{ID: id, Title: title, Items: []authoring.ItemInput{{QuestionID: q.ID}}}
	}
	in := sample.EvaluationInput(q.ID)
	in.Title, in.Sections = "First", []authoring.SectionInput{section(stays, "Reading")}
	e := must(t, b, authoring.CreateEvaluation, in)
	first := must(t, b, authoring.PublishEvaluation, e.ID).Published.ID
	want := said{q.ID, ref("bio-1"), strings.Repeat("語", authoring.MaxStemWords), map[string]string{"A": "Option A", "B": "Option B", "C": "Option C", "D": "Option D"}}
	if diff := cmp.Diff(want, must(t, b, wordsOf, question)); diff != "" {
		t.Errorf("the question (-want +got):\n%s", diff)
	}
	tags := map[string]authoring.TagLabel{"topic:dna": {Facet: "Topic", Label: "DNA"}, "level:hard": {Facet: "Level", Label: "Hard"}}
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		for _, sql := range []string{"update questions set external_id = 'bio-2' where tenant_id = $1", "update terms set label = 'Double helix' where tenant_id = $1 and label = 'DNA'"} {
			_, err := tx.Exec(t.Context(), sql, tx.Tenant())
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(t, b, authoring.CreateEvaluationVersion, e.ID)
	must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Second"), Sections: &[]authoring.SectionInput{section(goes, "Writing")}})
	second := must(t, b, authoring.PublishEvaluation, e.ID).Published.ID
	renamed := map[string]authoring.TagLabel{"topic:dna": {Facet: "Topic", Label: "Double helix"}, "level:hard": {Facet: "Level", Label: "Hard"}}
	for version, want := range map[ids.ID]titles{
		first:  {e.ID, 1, "First", map[ids.ID]string{stays: "Reading"}, tags},
		second: {e.ID, 2, "Second", map[ids.ID]string{goes: "Writing"}, renamed},
	} {
		if diff := cmp.Diff(want, must(t, b, titlesOf, version)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Title, diff)
		}
	}
	if got := must(t, b, wordsOf, question); got.External == nil || *got.External != "bio-2" {
		t.Errorf("the author's own id is %v, want that of the newest evaluation", got.External)
	}
}
