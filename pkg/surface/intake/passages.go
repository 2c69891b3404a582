package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var passages = kind[passage]{
	name:  "passages",
	needs: []capability.Capability{capability.QuestionsWrite, capability.QuestionsRead},
	columns: []column{
		{name: "externalId", alias: "id", required: true},
		{name: "title", required: true},
		{name: "text", required: true},
		{name: "lang"},
		{name: "format"},
		{name: "questions"},
		{name: "content"},
	},
	key:   func(r row) string { return r.text("externalId") },
	plan:  planPassages,
	apply: applyPassages,
}

// passage is one passage as its rows describe it.
type passage struct {
	input     authoring.PassageInput
	text      content.Document
	locales   []string
	questions []string
	// links are the questions; nil when the file has no such column.
	links []ids.ID
}

// PreviewPassages shows what CommitPassages would do. It needs questions.write and
// questions.read.
func PreviewPassages(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return passages.preview(ctx, tx, in)
}

// CommitPassages writes passages by external id as drafts. Rows of one external id and
// several languages are one passage, whose title, questions and default locale are those of
// the first row. With a column questions the passage has exactly these, in order. It needs
// what PreviewPassages needs. Errors: import_invalid.
func CommitPassages(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return passages.commit(ctx, tx, in)
}

func planPassages(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[passage], error) {
	var records []record[passage]
	at := map[string]int{}
	for r := range f.rows() {
		one := parsePassage(r, in)
		i, known := at[one.input.ExternalID]
		if known && one.input.ExternalID != "" {
			records[i].rows = append(records[i].rows, r)
			records[i].value.merge(r, one)
			continue
		}
		at[one.input.ExternalID] = len(records)
		records = append(records, record[passage]{key: one.input.ExternalID, rows: []row{r}, value: one})
	}
	_, linked := f.header.at["questions"]
	if linked {
		err := findLinks(ctx, tx, records)
		if err != nil {
			return nil, err
		}
	}
	for i, r := range records {
		if r.bad() {
			continue
		}
		err := records[i].value.write()
		if err != nil {
			return nil, err
		}
		report(records[i], records[i].value.input.Problems(""), placeInPassage)
	}
	return records, nil
}

func parsePassage(r row, in Input) passage {
	one := passage{input: authoring.PassageInput{ExternalID: r.required("externalId"), Title: r.text("title")}, questions: r.list("questions")}
	if r.text("content") != "" {
		one.parseWhole(r)
		return one
	}
	one.locales = []string{parseLocale(r, in)}
	document := oneOf(r, "format", formats, "expected plain or markdown")
	if document == nil {
		document = content.FromPlain
	}
	one.text = document(one.locales[0], r.required("text"))
	return one
}

// parseWhole reads the column content: title and document, as POST /passages takes them.
func (p *passage) parseWhole(r row) {
	for _, name := range []string{"title", "text", "format"} {
		if r.text(name) != "" {
			r.problem(name, "beside_content", "the column content holds the whole passage; leave this cell empty")
		}
	}
	externalID := p.input.ExternalID
	r.json("content", &p.input)
	p.input.ExternalID = externalID
}

// merge adds a row with another language.
func (p *passage) merge(r row, other passage) {
	switch {
	case p.locales == nil || other.locales == nil:
		r.problem("content", "rows_disagree", "a passage with content has one row, which holds every language")
		return
	case slices.Contains(p.locales, other.locales[0]):
		r.problem("lang", "duplicate_locale", "another row has the same external id and language")
		return
	}
	if other.input.Title != "" && other.input.Title != p.input.Title {
		r.problem("title", "rows_disagree", "the cell must agree with the first row of this external id")
	}
	if len(other.questions) > 0 && !slices.Equal(other.questions, p.questions) {
		r.problem("questions", "rows_disagree", "the cell must agree with the first row of this external id")
	}
	p.locales = append(p.locales, other.locales[0])
	p.text = p.text.Merge(other.text)
}

// write puts the document into the input, unless the column content did.
func (p *passage) write() error {
	if p.locales == nil {
		return nil
	}
	raw, err := written(p.text)
	p.input.Content = raw
	return err
}

// findLinks finds the questions of all passages at once.
func findLinks(ctx context.Context, tx *db.Tx, records []record[passage]) error {
	var wanted []string
	for _, r := range records {
		wanted = append(wanted, r.value.questions...)
	}
	found, err := authoring.FindQuestions(ctx, tx, wanted)
	if err != nil {
		return err
	}
	by := map[string]bool{}
	for i, r := range records {
		links := []ids.ID{}
		for _, name := range r.value.questions {
			id, known := found[name]
			switch {
			case !known:
				r.rows[0].problem("questions", "unknown_question", "there is no question with one of these external ids in your org unit")
			case by[name]:
				r.rows[0].problem("questions", "question_in_other_passage", "a question belongs to one passage, and is named once")
			}
			by[name] = true
			links = append(links, id)
		}
		records[i].value.links = links
	}
	return nil
}

func applyPassages(ctx context.Context, tx *db.Tx, _ Input, records []record[passage], done *Commit) error {
	for some := range slices.Chunk(records, chunk) {
		inputs := make([]authoring.PassageInput, len(some))
		for i, r := range some {
			inputs[i] = r.value.input
		}
		results, err := authoring.UpsertPassages(ctx, tx, inputs)
		if err != nil {
			return locate(err, some, placeInPassage)
		}
		relinked, err := link(ctx, tx, some, results)
		if err != nil {
			return err
		}
		for i, r := range results {
			if relinked[i] && r.Change == authoring.Unchanged {
				r.Change = authoring.Changed
			}
			done.count(string(r.Change))
		}
	}
	return nil
}

// link puts questions to the passages that have others so far, and says which those were.
func link(ctx context.Context, tx *db.Tx, some []record[passage], results []authoring.Upserted) ([]bool, error) {
	var all []ids.ID
	for _, r := range results {
		all = append(all, r.ID)
	}
	stored, err := authoring.QuestionsOfPassages(ctx, tx, all)
	if err != nil {
		return nil, err
	}
	relinked := make([]bool, len(some))
	for i, r := range some {
		relinked[i] = r.value.links != nil && !slices.Equal(r.value.links, stored[results[i].ID])
		if !relinked[i] {
			continue
		}
		_, err := authoring.SetPassageQuestions(ctx, tx, results[i].ID, authoring.PassageQuestionsInput{QuestionIDs: r.value.links})
		if err != nil {
			return nil, linkRefusal(err, r)
		}
	}
	return relinked, nil
}

// linkRefusal says on which line the questions are that cannot belong to a passage.
func linkRefusal(err error, r record[passage]) error {
	problem := errs.Of(err)
	if !errors.Is(err, errs.QuestionInOtherPassage) && problem.Code != errs.ValidationFailed {
		return err
	}
	found := newFindings()
	at := r.rows[0]
	if len(problem.Fields) == 0 {
		found.add(at.line, at.file.header.spelling("questions"), string(problem.Code), problem.Message)
	}
	for _, field := range problem.Fields {
		found.add(at.line, at.file.header.spelling("questions"), field.Code, field.Message)
	}
	return found.refusal()
}

func placeInPassage(r record[passage], path string) (row, string) {
	name, _, _ := strings.Cut(path, ".")
	switch {
	case name == "externalId":
	case r.value.locales == nil:
		name = "content"
	case name == "content":
		name = "text"
	}
	return r.rows[0], name
}

func written(d content.Document) (json.RawMessage, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write content document: %w", err)
	}
	return raw, nil
}
