package sample

import (
	"encoding/json"
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// QuestionInput describes a question in English and German with options A, B, C, D, where the given
// ones are right: an mcq for one of them, an mrq for several.
func QuestionInput(right ...string) authoring.QuestionInput {
	in := authoring.QuestionInput{ExternalID: word("q"), QType: scoring.MCQ, Stem: Content("What is it?", "Was ist es?")}
	if len(right) > 1 {
		in.QType = scoring.MRQ
	}
	for _, id := range []string{"A", "B", "C", "D"} {
		in.Options = append(in.Options, authoring.OptionInput{ID: id, Content: Content("Option "+id, "Wahl "+id), IsCorrect: slices.Contains(right, id)})
	}
	return in
}

// Content makes a content document in English and German as it is sent.
func Content(en, de string) json.RawMessage {
	raw, err := json.Marshal(text(en, de))
	if err != nil {
		panic(err)
	}
	return raw
}

// Gapped is a stem in English and German that marks gaps.
func Gapped(gaps ...string) json.RawMessage {
	d := text("Fill", "Fülle")
	for _, p := range d.Locales {
		for _, id := range gaps {
			p.Blocks[0].Children = append(p.Blocks[0].Children, content.Text{Text: " and "},
				content.Text{Text: content.GapText, Marks: []content.Mark{{Type: content.Gap, Ref: id}}})
		}
	}
	raw, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return raw
}

// Draft makes a question with only a draft.
func Draft(t testing.TB, tx *db.Tx, right ...string) authoring.Question {
	t.Helper()
	q, err := authoring.CreateQuestion(t.Context(), tx, QuestionInput(right...))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Question makes a published question.
func Question(t testing.TB, tx *db.Tx, right ...string) authoring.Question {
	t.Helper()
	q, err := authoring.PublishQuestion(t.Context(), tx, Draft(t, tx, right...).ID)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Pictured makes a published question that shows an asset, and another one in its explanation unless that
// is none; it carries terms.
func Pictured(t testing.TB, tx *db.Tx, asset, explained ids.ID, terms ...ids.ID) authoring.Question {
	t.Helper()
	in := QuestionInput("A")
	in.Stem, in.TaxonomyTermIDs = picture(asset), terms
	if explained != ids.None {
		in.Explanation = picture(explained)
	}
	q, err := authoring.CreateQuestion(t.Context(), tx, in)
	if err == nil {
		q, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// picture makes a content document that is an image.
func picture(asset ids.ID) json.RawMessage {
	return json.RawMessage(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[` +
		`{"type":"image","assetId":"` + asset.String() + `","alt":"A leaf"}]}}}`)
}

// Term finds or makes a term of the content domain.
func Term(t testing.TB, tx *db.Tx, facet, term string) ids.ID {
	t.Helper()
	name := taxonomy.FacetTerm{Facet: facet, Term: term}
	found, err := taxonomy.Resolve(t.Context(), tx, []taxonomy.FacetTerm{name}, true)
	if err != nil {
		t.Fatal(err)
	}
	return found[name]
}
