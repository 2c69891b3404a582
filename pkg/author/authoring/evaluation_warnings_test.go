package authoring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// warned gives the warnings of an evaluation: a preview, a dry run and publishing tell the same.
func (b bench) warned(t *testing.T, in authoring.EvaluationInput, want ...string) authoring.EvaluationPublication {
	t.Helper()
	e := must(t, b, authoring.CreateEvaluation, in)
	seen := must(t, b, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.Previewed, error) {
		return authoring.PreviewSnapshot(ctx, tx, id, authoring.PreviewDraft)
	}, e.ID)
	wantCodes(t, "preview", seen.Warnings, want...)
	wantCodes(t, "dry run", rehearse(t, b, tryEvaluation, e.ID).Warnings, want...)
	done := must(t, b, authoring.PublishEvaluationDraft, authoring.PublishInput{ID: e.ID})
	wantCodes(t, "published", done.Warnings, want...)
	wantCodes(t, "problems", done.Problems)
	wantCodes(t, "preview of the published version", must(t, b, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.Previewed, error) {
		return authoring.PreviewSnapshot(ctx, tx, id, authoring.PreviewPublished)
	}, e.ID).Warnings, want...)
	if done.DryRun || done.Published == nil {
		t.Errorf("got %+v", done)
	}
	return done
}

// renew gives an asset a newer version bypassing the operations.
func (b bench) renew(t *testing.T, asset ids.ID) ids.ID {
	t.Helper()
	newer := ids.New()
	for _, sql := range []string{`insert into asset_versions (tenant_id, id, org_unit_id, asset_id, number, media_type, size_bytes, sha256, created_at)
			select tenant_id, $2, org_unit_id, asset_id, number + 1, media_type, size_bytes, sha256, now() from asset_versions where asset_id = $1`,
		"update assets set current_id = $2 where id = $1"} {
		if err := b.exec(t, sql, asset, newer); err != nil {
			t.Fatal(err)
		}
	}
	return newer
}

func english(said string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":%q,"type":"doc","blocks":[
		{"type":"paragraph","children":[{"text":%q}]}]}}}`, content.SchemaVersion, said))
}

const first = "sections[0].items[0]."

func TestNothingToWarnOf(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	p := b.passage(t, true)
	must(t, b, b.setQuestions(p.ID), []ids.ID{b.question(t, true, "A").ID})
	b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: q.ID}, authoring.ItemInput{PassageID: p.ID, Weight: ref(2.0)}))
}

// A passage is shown in its newest version although a question pins an older one; a
// question by itself is shown with the version that it pinned: there is a warning for both.
func TestWarningsOfPassages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.passage(t, true)
	pinning := b.question(t, false, "A")
	must(t, b, b.setQuestions(p.ID), []ids.ID{pinning.ID})
	must(t, b, authoring.PublishQuestion, pinning.ID)
	renewed := authoring.PassagePatch{Content: sample.Content("Sea", "Meer")}
	must(t, b, b.updatePassage(p.ID), renewed)
	must(t, b, authoring.CreateQuestionVersion, pinning.ID)
	wantCodes(t, "question", rehearse(t, b, tryQuestion, pinning.ID).Warnings, "passageId passage_draft_newer")
	wantCodes(t, "passage", rehearse(t, b, tryPassage, p.ID).Warnings, "questions question_pins_older")
	b.warned(t, evaluationOf(authoring.ItemInput{PassageID: p.ID}), first+"passageId passage_draft_newer", first+"passageId question_draft_newer")
	must(t, b, sample.PublishPassage, p.ID)
	alone := authoring.ItemInput{QuestionID: pinning.ID}
	b.warned(t, evaluationOf(authoring.ItemInput{PassageID: p.ID}), first+"passageId passage_version_differs", first+"passageId question_draft_newer")
	b.warned(t, evaluationOf(alone), first+"questionId passage_version_newer", first+"questionId question_draft_newer")
	must(t, b, authoring.PublishQuestion, pinning.ID)
	b.warned(t, evaluationOf(alone))
	kept := b.question(t, true, "A")
	must(t, b, b.setQuestions(p.ID), []ids.ID{pinning.ID, kept.ID})
	b.archive(t, "questions", kept.ID)
	b.warned(t, evaluationOf(authoring.ItemInput{PassageID: p.ID}), first+"passageId question_left_out")
}

// A retired term blocks the evaluation; publishing the question warns of it.
func TestWarningOfARetiredTerm(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	term := b.terms(t, "topic", "cells")[0]
	in := sample.QuestionInput("A")
	in.TaxonomyTermIDs = []ids.ID{term}
	q := must(t, b, authoring.CreateQuestion, in)
	if err := b.exec(t, "update terms set retired_at = now() where id = $1", term); err != nil {
		t.Fatal(err)
	}
	wantCodes(t, "question", rehearse(t, b, tryQuestion, q.ID).Warnings, "taxonomyTermIds[0] retired_term")
}

// If an asset is shown in two versions, all show the newest, and not the one that is read last.
func TestWarningsOfAssets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	asset, _ := b.asset(t, 1)
	showing := func() ids.ID {
		in := sample.QuestionInput("A")
		in.Stem = image(asset)
		in.Options = nil
		for _, id := range []string{"A", "B"} {
			in.Options = append(in.Options, authoring.OptionInput{ID: id, Content: english(id), IsCorrect: id == "A"})
		}
		return must(t, b, authoring.PublishQuestion, must(t, b, authoring.CreateQuestion, in).ID).ID
	}
	old := showing()
	b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: old}))
	current := b.renew(t, asset)
	b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: old}), first+"questionId asset_version_newer")
	for range 10 {
		done := b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: old}, authoring.ItemInput{QuestionID: showing()}),
			first+"questionId asset_version_differs")
		if got := must(t, b, authoring.LoadSnapshot, done.Published.ID).Assets[asset]; got != current {
			t.Errorf("the snapshot shows version %s, want %s", got, current)
		}
	}
}

func TestWarningsOfLanguagesAndWeights(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spoken := sample.QuestionInput("A")
	spoken.Stem = english("Why?")
	survey := sample.QuestionInput("A")
	survey.ContributesToScore = ref(false)
	published := func(in authoring.QuestionInput) ids.ID {
		return must(t, b, authoring.PublishQuestion, must(t, b, authoring.CreateQuestion, in).ID).ID
	}
	both := b.question(t, true, "A").ID
	b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: both}, authoring.ItemInput{QuestionID: published(spoken)}), "sections locale_incomplete")
	b.warned(t, evaluationOf(authoring.ItemInput{QuestionID: published(survey), Weight: ref(3.0)}),
		first+"weight weight_without_effect", "sections nothing_to_earn")
	heavy, light := sample.QuestionInput("A"), sample.QuestionInput("A")
	terms := b.terms(t, "topic", "pool")
	heavy.Weight, heavy.TaxonomyTermIDs, light.TaxonomyTermIDs = ref(3.0), terms, terms
	published(heavy)
	published(light)
	b.warned(t, evaluationOf(drawOf(1, terms)), first+"draw uneven_draw")
	even := drawOf(1, terms)
	even.Weight = ref(2.0)
	b.warned(t, evaluationOf(even))
}
