package authoring_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestPublishListsEveryProblem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var term ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		term = sample.Term(t, tx, "Topic", "Old thing")
		return nil
	})
	good, draft, gone := b.question(t, true, "A").ID, b.question(t, false, "A").ID, b.question(t, true, "A").ID
	tagged := sample.QuestionInput("A")
	tagged.TaxonomyTermIDs = []ids.ID{term}
	old := must(t, b, authoring.CreateQuestion, tagged).ID
	french := sample.QuestionInput("A")
	french.Stem = json.RawMessage(`{"defaultLocale":"fr","locales":{"fr":{"schemaVersion":"passage-rich-content/v1","type":"doc",
		"blocks":[{"type":"paragraph","children":[{"text":"Quoi ?"}]}]}}}`)
	for i := range french.Options {
		french.Options[i].Content = french.Stem
	}
	foreign := must(t, b, authoring.CreateQuestion, french).ID
	must(t, b, authoring.PublishQuestions, []ids.ID{old, foreign})

	in := sample.EvaluationInput(good, draft, good, old, foreign, gone)
	in.Sections = append(in.Sections, authoring.SectionInput{Title: "Empty"})
	in.Settings.ReviewPolicy = "four_eyes"
	e := must(t, b, authoring.CreateEvaluation, in)
	b.archive(t, "questions", gone)
	if err := b.exec(t, "update terms set retired_at = now() where id = $1", term); err != nil {
		t.Fatal(err)
	}
	_, err := write(t, b, authoring.PublishEvaluation, e.ID)
	wantFields(t, err, errs.PublishBlocked, "sections[0].items[1].questionId question_not_published",
		"sections[0].items[2].questionId duplicate_question", "sections[0].items[3].questionId retired_term",
		"sections[0].items[4].questionId missing_locale", "sections[0].items[5].questionId question_archived",
		"sections[1].items empty_section", "settings.pass_mark_percent pass_mark_missing")

	empty := must(t, b, authoring.CreateEvaluation, authoring.EvaluationInput{Title: "Empty"})
	_, err = write(t, b, authoring.PublishEvaluation, empty.ID)
	wantFields(t, err, errs.PublishBlocked, "sections empty_evaluation")
}

func TestSnapshotHoldsWhatDeliveryNeeds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tagged := sample.QuestionInput("A", "C")
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		tagged.TaxonomyTermIDs = []ids.ID{sample.Term(t, tx, "Topic", "Zinc"), sample.Term(t, tx, "Topic", "Acids"), sample.Term(t, tx, "Level", "B 2")}
		return nil
	})
	one, two := must(t, b, authoring.CreateQuestion, tagged).ID, b.question(t, true, "B").ID
	must(t, b, authoring.PublishQuestion, one)
	in := sample.EvaluationInput(one, two)
	in.Sections[0].Items[1].Weight = ref(4.0)
	e := must(t, b, authoring.CreateEvaluation, in)
	published := must(t, b, authoring.PublishEvaluation, e.ID).Published
	got := must(t, b, authoring.LoadSnapshot, published.ID)

	items := got.Sections[0].Items
	first := got.Questions[items[0].QuestionVersionID.String()]
	if diff := cmp.Diff(map[string][]string{"topic": {"acids", "zinc"}, "level": {"b-2"}}, first.StructuredTags); diff != "" {
		t.Errorf("structured tags (-want +got):\n%s", diff)
	}
	if items[1].Key.Weight != 4 || items[0].Key.Weight != 1 || items[1].Position != 1 || !items[0].Key.Options[2].Correct {
		t.Errorf("items: got %+v", items)
	}
	if *published.Sections[0].Items[0].QuestionVersionID != items[0].QuestionVersionID || got.EvaluationVersionID != published.ID {
		t.Errorf("pins: got %+v, snapshot has %+v", published.Sections[0].Items, items)
	}
	canonical, err := content.Canonical(got)
	if err != nil {
		t.Fatal(err)
	}
	if hash := content.Hash(canonical); hash != published.SnapshotHash {
		t.Errorf("the stored snapshot has the hash %s, its name is %s", hash, published.SnapshotHash)
	}
	if diff := cmp.Diff(got, must(t, b, authoring.SnapshotByHash, published.SnapshotHash)); diff != "" {
		t.Errorf("by hash (-by version +by hash):\n%s", diff)
	}
}

func TestSnapshotIgnoresLaterVersions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID))
	first := must(t, b, authoring.PublishEvaluation, e.ID).Published
	before := must(t, b, authoring.LoadSnapshot, first.ID)
	must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(9.0)})
	must(t, b, authoring.PublishQuestion, q.ID)
	if diff := cmp.Diff(before, must(t, b, authoring.LoadSnapshot, first.ID)); diff != "" {
		t.Errorf("the first snapshot changed:\n%s", diff)
	}
	must(t, b, authoring.CreateEvaluationVersion, e.ID)
	second := must(t, b, authoring.PublishEvaluation, e.ID).Published
	if got := must(t, b, authoring.LoadSnapshot, second.ID).Sections[0].Items[0]; got.Key.Weight != 9 || second.Number != 2 {
		t.Errorf("version %d: got %+v", second.Number, got)
	}
	current := must(t, b, authoring.PublishedVersion, e.ID)
	if current.EvaluationVersionID != second.ID || current.SnapshotHash != second.SnapshotHash || current.OrgUnitID != b.scope.OrgUnit {
		t.Errorf("published version: got %+v", current)
	}
}

func TestDraftHasNoSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	_, err := write(t, b, authoring.LoadSnapshot, e.Draft.ID)
	wantCode(t, err, errs.NotPublished)
	_, err = write(t, b, authoring.PublishedVersion, e.ID)
	wantCode(t, err, errs.NotPublished)
	_, err = write(t, b, authoring.LoadSnapshot, ids.New())
	wantCode(t, err, errs.NotFound)
}

func TestTwoEvaluationPublishesAtOnceMakeOneVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	results := make([]error, 6)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { _, results[i] = write(t, b, authoring.PublishEvaluation, e.ID) })
	}
	all.Wait()
	lost := slices.DeleteFunc(slices.Clone(results), func(err error) bool { return err == nil })
	if len(lost) != len(results)-1 || slices.ContainsFunc(lost, func(err error) bool { return !errors.Is(err, errs.NothingToPublish) }) {
		t.Errorf("got %v, want one success and nothing_to_publish for the others", results)
	}
}

func TestPublishNeedsStepUpAndConsumesIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	var author, proof ids.ID
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		author, proof = sample.User(t, tx).ID, ids.New()
		_, err := tx.Exec(t.Context(), `insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at)
			values ($1, $2, $3, 'magic_link', now(), now() + interval '1 minute')`, tx.Tenant(), proof, author)
		return err
	})
	user := bench{b.Store, sample.As(b.scope, author, capability.EvaluationsWrite)}
	_, err := write(t, user, authoring.PublishEvaluation, e.ID)
	wantCode(t, err, errs.StepUpRequired)
	user.scope.Proof = proof
	must(t, user, authoring.PublishEvaluation, e.ID)
	must(t, user, authoring.CreateEvaluationVersion, e.ID)
	_, err = write(t, user, authoring.PublishEvaluation, e.ID)
	wantCode(t, err, errs.StepUpRequired)
}

// An evaluation that would fill the memory is neither published nor previewed; passages count too, and just below the limit all is well.
func TestTheContentOfAnEvaluationIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	long := func(bytes int) json.RawMessage {
		raw, err := json.Marshal(content.FromPlain("en", strings.Repeat("reading ", bytes/8)))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var all []ids.ID
	for range 41 {
		in := sample.QuestionInput("A")
		in.Stem = long(200_000)
		q := must(t, b, authoring.CreateQuestion, in)
		must(t, b, authoring.PublishQuestion, q.ID)
		all = append(all, q.ID)
	}
	evaluation := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(all...))
	preview := func() authoring.Previewed {
		t.Helper()
		return must(t, b, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.Previewed, error) {
			return authoring.PreviewSnapshot(ctx, tx, id, "")
		}, evaluation.ID)
	}
	if p := preview(); len(p.Problems) > 0 || len(p.Snapshot.Questions) != 41 {
		t.Fatalf("8.2 MB: %d questions, %+v", len(p.Snapshot.Questions), p.Problems)
	}
	passage := must(t, b, authoring.CreatePassage, authoring.PassageInput{Title: "Long", Content: long(250_000)})
	about := b.question(t, false, "A").ID
	must(t, b, b.setQuestions(passage.ID), []ids.ID{about})
	must(t, b, sample.PublishPassage, passage.ID)
	must(t, b, authoring.PublishQuestion, about)
	items := sample.EvaluationInput(append(all, about)...).Sections
	evaluation = must(t, b, b.updateEvaluation(evaluation.ID), authoring.EvaluationPatch{Sections: &items})
	if p := preview(); len(p.Problems) != 1 || p.Problems[0].Code != "content_too_large" || len(p.Snapshot.Questions) != 0 {
		t.Errorf("8.5 MB: %d questions, %+v", len(p.Snapshot.Questions), p.Problems)
	}
	_, err := write(t, b, authoring.PublishEvaluation, evaluation.ID)
	wantFields(t, err, errs.PublishBlocked, "sections content_too_large")
}
