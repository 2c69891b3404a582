package intake

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// anyText has everything that CSV, Markdown, spreadsheets and terminals make something of.
var anyText = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", " ", "  ", "=", "+", "-", "@", `"`, "'", ",", ";", "\t", "\n", "\n\n", "\r", "\r\n",
		"*", "_", "`", "|", `\`, "[", "](", "<b>", "&amp;", "#", "1.", "مرحبا", "\u200f", "שלום", "é", "\u00a0", "\ufeff", "😀", "\v"}), 0, 8).Draw(t, "parts")
	return "x" + rapid.SampledFrom([]string{"", " "}).Draw(t, "edge") + string(bytes.Join(toBytes(parts), nil))
})

func toBytes(parts []string) [][]byte {
	var all [][]byte
	for _, p := range parts {
		all = append(all, []byte(p))
	}
	return all
}

var anyMarks = rapid.SampledFrom([][]content.Mark{nil, nil, nil, {{Type: content.Bold}}, {{Type: content.Italic}, {Type: content.Code}},
	{{Type: content.Underline}}, {{Type: content.Link, Href: "https://x.org/?a=1&b=%20"}}})

var anyBlock = rapid.Custom(func(t *rapid.T) content.Block {
	texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) content.Text {
		return content.Text{Text: anyText.Draw(t, "text"), Marks: anyMarks.Draw(t, "marks")}
	}), 1, 3).Draw(t, "texts")
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return content.Block{Type: content.Heading, Level: 3, Children: texts}
	case 1:
		return content.Block{Type: content.List, Items: []content.ListItem{{Children: texts}, {}}}
	case 2:
		return content.Block{Type: content.Table, Caption: "C", HeaderRows: 1, Rows: []content.Row{{Cells: []content.Cell{{Children: texts}}}}}
	case 3:
		return content.Block{Type: content.Image, AssetID: ids.New().String(), Alt: "A"}
	}
	return content.Block{Type: content.Paragraph, Children: texts}
})

func anyDocument(t *rapid.T, locales []string) json.RawMessage {
	d := content.Document{DefaultLocale: locales[0], Locales: map[string]content.Payload{}}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		locales = locales[:1]
	}
	for _, locale := range locales {
		p := content.FromPlain(locale, anyText.Draw(t, "plain")).Locales[locale]
		if rapid.Bool().Draw(t, "rich") {
			p.Blocks = rapid.SliceOfN(anyBlock, 1, 3).Draw(t, "blocks")
		}
		d.Locales[locale] = p
	}
	raw, _ := json.Marshal(d)
	return raw
}

var anyQuestion = rapid.Custom(func(t *rapid.T) authoring.QuestionInput {
	locales := rapid.SampledFrom([][]string{{"en"}, {"en"}, {"de", "en"}, {"en", "ar", "pt-BR"}}).Draw(t, "locales")
	weight, contributes := rapid.SampledFrom([]float64{1, 0.1, 2.5, 1e-7, 1000000}).Draw(t, "weight"), rapid.Bool().Draw(t, "contributes")
	in := authoring.QuestionInput{ExternalID: "q1", Weight: &weight, ContributesToScore: &contributes, Options: []authoring.OptionInput{},
		Scoring: &authoring.QuestionScoring{}, Stem: anyDocument(t, locales)}
	if rapid.Bool().Draw(t, "explained") {
		in.Explanation = anyDocument(t, locales)
	}
	in.QType = rapid.SampledFrom([]scoring.QType{scoring.MCQ, scoring.MRQ, scoring.ShortText, scoring.Numeric, scoring.Essay}).Draw(t, "qtype")
	switch in.QType {
	case scoring.ShortText:
		in.Scoring.AcceptedAnswers = rapid.SliceOfNDistinct(anyText, 1, 3, scoring.Folding{Rule: scoring.NewestFolding, Locale: "en"}.Fold).Draw(t, "accepted")
	case scoring.Numeric:
		value := rapid.Float64Range(-1e20, 1e20).Draw(t, "value")
		in.Scoring.Value, in.Scoring.Tolerance = &value, rapid.Float64Range(0, 1e-5).Draw(t, "tolerance")
	case scoring.MRQ:
		in.Scoring.Method = rapid.SampledFrom([]string{scoring.AllOrNothing, scoring.Partial}).Draw(t, "method")
		in.Scoring.MinSelections = rapid.IntRange(0, 1).Draw(t, "least")
	}
	if in.QType == scoring.MCQ || in.QType == scoring.MRQ {
		names := rapid.SampledFrom([][]string{{"A", "B", "C"}, {"A", "B", "C"}, {"B", "A"}, {"A", "Z"}, {"yes", "no"}}).Draw(t, "options")
		for i, name := range names {
			in.Options = append(in.Options, authoring.OptionInput{ID: name, Content: anyDocument(t, locales), IsCorrect: i == 1})
		}
	}
	return in
})

// TestEveryQuestionSurvivesItsFile: everything that an author can write comes back unchanged from
// the export.
func TestEveryQuestionSurvivesItsFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wanted := anyQuestion.Draw(t, "question")
		if found := wanted.Problems(""); len(found) > 0 {
			t.Skip(found)
		}
		rows, err := questionCells(authoring.ExportedQuestion{ID: ids.New(), Input: wanted})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		_ = w.Write(exportedQuestions.columns)
		for _, c := range rows {
			_ = w.Write(c.in(exportedQuestions.columns))
		}
		w.Flush()
		f := open(Input{Data: file.Bytes()}, questions.columns)
		f.chunk = slices.Collect(f.scan())
		q := parseQuestion(f.chunk[0], Input{})
		for _, r := range f.chunk[1:] {
			q.merge(r, parseQuestion(r, Input{}))
		}
		got, err := q.input()
		if err != nil || len(f.errors) > 0 {
			t.Fatalf("read back: %v %v\n%s", err, f.errors, file.String())
		}
		if !sameJSON(wanted, got) {
			t.Errorf("file:\n%s\nquestion (-want +got):\n%s", file.String(), cmp.Diff(wanted, got))
		}
	})
}
