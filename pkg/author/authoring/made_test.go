package authoring_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/content"
)

// sentAndMade gives a question as a client sends it and as an import makes it.
func sentAndMade(t *testing.T, stem, option content.Document) (authoring.QuestionInput, authoring.MadeQuestion) {
	t.Helper()
	sent := sample.QuestionInput("A")
	made := sent
	made.Stem, made.Options = nil, nil
	var options []content.Document
	for _, o := range sent.Options {
		made.Options = append(made.Options, authoring.OptionInput{ID: o.ID, IsCorrect: o.IsCorrect})
		options = append(options, option)
	}
	sent.Stem = encoded(t, stem)
	for i := range sent.Options {
		sent.Options[i].Content = encoded(t, option)
	}
	return sent, authoring.MadeQuestion{QuestionInput: made, Documents: &authoring.QuestionDocuments{Stem: stem, Options: options}}
}

func encoded(t *testing.T, d content.Document) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestADocumentMadeInGoIsTheOneSentAsJSON(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sent, made := sentAndMade(t, content.FromMarkdown("en", "Read `this`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |"), content.FromPlain("en", "It is."))
	_, err := write(t, b, sample.UpsertQuestions, []authoring.QuestionInput{sent})
	if err != nil {
		t.Fatal(err)
	}
	again, err := write(t, b, authoring.UpsertCheckedQuestions, authoring.CheckQuestions([]authoring.MadeQuestion{made}))
	if err != nil || again[0].Change != authoring.Unchanged {
		t.Errorf("got %+v and error %v, want no change", again, err)
	}
}

func TestADocumentMadeInGoObeysTheSameRules(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]content.Document{
		"an empty text":       content.FromPlain("en", " "),
		"NUL":                 content.FromPlain("en", "a\x00b"),
		"no language":         {Locales: map[string]content.Payload{}},
		"an unknown language": content.FromPlain("no such", "a"),
		"a link that does harm": {DefaultLocale: "en", Locales: map[string]content.Payload{"en": {SchemaVersion: content.SchemaVersion, Type: "doc",
			Blocks: []content.Block{{Type: content.Paragraph, Children: []content.Text{{Text: "a", Marks: []content.Mark{{Type: content.Link, Href: "javascript:x"}}}}}}}}},
	} {
		sent, made := sentAndMade(t, bad, bad)
		if len(made.Problems("")) == 0 {
			t.Errorf("%s: no problem", name)
		}
		if diff := cmp.Diff(sent.Problems(""), made.Problems("")); diff != "" {
			t.Errorf("%s (-sent +made):\n%s", name, diff)
		}
	}
}
