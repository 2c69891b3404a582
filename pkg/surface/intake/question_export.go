package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/sheet"
)

var exportedQuestions = exported[authoring.ExportedQuestion]{
	columns: slices.Concat([]string{"externalId", "qtype", "lang", "format", "stem"}, optionNames(), []string{"correct"}, partNames(),
		[]string{"weight", "contributesToScore", "explanation", "terms", "content"}),
	page: authoring.ExportQuestions,
	id:   func(q authoring.ExportedQuestion) ids.ID { return q.ID },
	rows: questionRows,
}

// ExportQuestions writes the questions of the home org unit as a file that CommitQuestions
// takes, each in its newest version: importing the file again changes nothing. A
// question that columns cannot express exactly is written in the column content. It needs
// questions.read, and gives the number of questions.
func ExportQuestions(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedQuestions.write(ctx, tx, in, to)
}

func questionRows(ctx context.Context, tx *db.Tx, filter authoring.ExportFilter, page []authoring.ExportedQuestion) ([]cells, error) {
	var wanted []ids.ID
	for _, q := range page {
		wanted = append(wanted, q.Input.TaxonomyTermIDs...)
	}
	names, err := taxonomy.Names(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	var rows []cells
	for _, q := range page {
		if filter.QType != "" && filter.QType != q.Input.QType {
			continue
		}
		terms := termCell(q.Input.TaxonomyTermIDs, names)
		q.Input.TaxonomyTermIDs = nil
		written, err := questionCells(q)
		if err != nil {
			return nil, err
		}
		written[0]["terms"] = terms
		rows = append(rows, written...)
	}
	return rows, nil
}

func termCell(terms []ids.ID, names map[ids.ID]taxonomy.Name) string {
	words := make([]string, 0, len(terms))
	for _, id := range terms {
		words = append(words, names[id].Facet+":"+names[id].Term)
	}
	return strings.Join(words, ";")
}

// questionCells tries columns first, and takes them when an import would read the same
// question from them.
func questionCells(q authoring.ExportedQuestion) ([]cells, error) {
	q.Input.ExternalID = keyCell(q.Input.ExternalID, q.ID)
	var stem content.Document
	err := json.Unmarshal(q.Input.Stem, &stem)
	if err != nil {
		return nil, fmt.Errorf("read stem: %w", err)
	}
	rows := questionColumnsOf(q.Input, stem)
	if rows != nil && !q.Input.QType.Type().NeedsContent() && harmless(questions.columns, rows) && readsAs(rows, q.Input) {
		return rows, nil
	}
	whole := q.Input
	whole.ExternalID, whole.QType = "", ""
	raw, err := jsonCell(whole)
	if err != nil {
		return nil, fmt.Errorf("write question: %w", err)
	}
	return []cells{{"externalId": q.Input.ExternalID, "qtype": string(q.Input.QType), "content": raw}}, nil
}

func readsAs(rows []cells, wanted authoring.QuestionInput) bool {
	back := readBack(questions.columns, rows)
	if back == nil {
		return false
	}
	got := parseQuestion(back[0], Input{})
	for _, r := range back[1:] {
		got.merge(r, parseQuestion(r, Input{}))
	}
	in, err := got.input()
	// Columns hold only complete questions.
	return err == nil && len(back[0].file.first) == 0 && sameJSON(in, wanted) && len(wanted.Problems("")) == 0
}

// questionColumnsOf writes a row for each language of the stem, the default one first; nil
// where a part has no text form.
func questionColumnsOf(in authoring.QuestionInput, stem content.Document) []cells {
	var rows []cells
	locales := append([]string{stem.DefaultLocale}, slices.Sorted(maps.Keys(stem.Locales))...)
	for i, locale := range locales {
		if i > 0 && locale == stem.DefaultLocale {
			continue
		}
		c := cells{"externalId": in.ExternalID, "qtype": string(in.QType), "lang": locale}
		for _, o := range in.Options {
			if o.IsCorrect {
				c["correct"] += o.ID
			}
		}
		if i == 0 {
			scoringCells(c, in)
		}
		if !textCells(c, in, locale) {
			return nil
		}
		rows = append(rows, c)
	}
	return rows
}

// scoringCells fills the cells that only the first row has.
func scoringCells(c cells, in authoring.QuestionInput) {
	s := in.Scoring
	c["scoring"] = s.Method
	for name, n := range map[string]int{"minSelections": s.MinSelections, "maxSelections": s.MaxSelections} {
		if n != 0 {
			c[name] = strconv.Itoa(n)
		}
	}
	if len(s.AcceptedAnswers) > 0 {
		c["correct"] = joinAnswers(s.AcceptedAnswers)
	}
	if len(s.Order) > 0 {
		c["correct"] = strings.Join(s.Order, " ")
	}
	if s.Value != nil {
		c["correct"] = decimal(*s.Value)
	}
	if s.Tolerance != 0 {
		c["tolerance"] = decimal(s.Tolerance)
	}
	c["weight"] = decimal(*in.Weight)
	c["contributesToScore"] = yesOrNo(*in.ContributesToScore)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// textCells fills the cells of one language in the first format that can say all of them:
// plain, or else Markdown.
func textCells(c cells, in authoring.QuestionInput, locale string) bool {
	payloads := map[string]content.Payload{}
	add := func(column string, raw json.RawMessage) bool {
		var d content.Document
		if raw == nil {
			return true
		}
		err := json.Unmarshal(raw, &d)
		if p, there := d.Locales[locale]; there {
			payloads[column] = p
		}
		return err == nil
	}
	ok := add("stem", in.Stem) && add("explanation", in.Explanation)
	for _, o := range in.Options {
		ok = ok && add("option"+o.ID, o.Content)
	}
	return ok && c.say(payloads)
}

// say fills cells with payloads in one format; false when none can say them all.
func (c cells) say(payloads map[string]content.Payload) bool {
	for _, format := range []struct {
		name  string
		write func(content.Payload) (string, bool)
	}{{"plain", content.ToPlain}, {"markdown", content.ToMarkdown}} {
		said := true
		for column, p := range payloads {
			text, ok := format.write(p)
			said = said && ok && sheet.Tame(text) == text
			c[column] = text
		}
		if said {
			c["format"] = format.name
			return true
		}
	}
	return false
}
