package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
		{name: "text", required: true, raw: true},
		{name: "lang"},
		{name: "format"},
		{name: "questions"},
		{name: "content", raw: true},
	},
	key:   func(r row) string { return r.text("externalId") },
	plan:  planPassages,
	apply: applyPassages,
	place: placeInPassage,
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
// several languages are one passage, which takes its title, questions and default locale from
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
	inputs := make([]authoring.PassageInput, len(records))
	for i := range records {
		err := records[i].value.write()
		if err != nil {
			return nil, err
		}
		inputs[i] = records[i].value.input
	}
	var problems []errs.Field
	err := tx.Rehearse(ctx, func() error {
		var err error
		problems, err = authoring.CheckUpsertPassages(ctx, tx, inputs)
		return err
	})
	if err != nil {
		return nil, err
	}
	reportAll(records, problems, placeInPassage)
	_, linked := f.header.at["questions"]
	if !linked {
		return records, nil
	}
	return records, planLinks(ctx, tx, f, records)
}

func parsePassage(r row, in Input) passage {
	one := passage{input: authoring.PassageInput{ExternalID: r.required("externalId"), Title: r.text("title")}, questions: r.list("questions")}
	if r.text("content") != "" {
		one.parseWhole(r)
		return one
	}
	one.locales = []string{parseLocale(r, in)}
	one.text = r.document(one.locales[0])("text", r.required("text"))
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

// planLinks gives the passages of a chunk their questions, in the order of the file: a
// question that a row above takes from its passage is free for this one.
func planLinks(ctx context.Context, tx *db.Tx, f *file, records []record[passage]) error {
	var err error
	if f.links == nil {
		f.links, err = authoring.NewLinkPlan(tx)
		if err != nil {
			return err
		}
	}
	names, externalIDs := []string{}, make([]string, len(records))
	for i, r := range records {
		names, externalIDs[i] = append(names, r.value.questions...), r.value.input.ExternalID
	}
	found, err := authoring.FindQuestions(ctx, tx, names)
	if err != nil {
		return err
	}
	stored, err := authoring.FindPassages(ctx, tx, externalIDs)
	if err != nil {
		return err
	}
	err = f.links.Load(ctx, tx, slices.Collect(maps.Values(found)), slices.Collect(maps.Values(stored)))
	if err != nil {
		return err
	}
	for i := range records {
		planLink(&records[i], f.links, found, stored)
	}
	return nil
}

func planLink(r *record[passage], plan *authoring.LinkPlan, found, stored map[string]ids.ID) {
	id, known := stored[r.value.input.ExternalID]
	if !known {
		id = ids.New()
	}
	one := authoring.PassageLinks{PassageID: id, Questions: []ids.ID{}}
	for _, name := range r.value.questions {
		question, known := found[name]
		if !known {
			r.rows[0].found("questions", "unknown_question", "there is no question with one of these external ids in your org unit")
			continue
		}
		one.Questions = append(one.Questions, question)
	}
	for _, p := range plan.Problems(one) {
		r.rows[0].found("questions", p.Code, p.Message)
	}
	r.value.links = one.Questions
	if !r.bad() {
		plan.Move(one)
	}
}

func applyPassages(ctx context.Context, tx *db.Tx, _ Input, records []record[passage], done *Commit) error {
	inputs := make([]authoring.PassageInput, len(records))
	for i, r := range records {
		inputs[i] = r.value.input
	}
	results, err := authoring.UpsertPassages(ctx, tx, inputs)
	if err != nil {
		return err
	}
	relinked, err := link(ctx, tx, records, results)
	if err != nil {
		return err
	}
	for i, r := range results {
		if relinked[i] && r.Change == authoring.Unchanged {
			r.Change = authoring.Changed
		}
		done.count(string(r.Change))
	}
	return nil
}

// link puts questions to the passages that have others so far, and says which those were.
func link(ctx context.Context, tx *db.Tx, records []record[passage], results []authoring.Upserted) ([]bool, error) {
	all := make([]ids.ID, len(results))
	for i, r := range results {
		all[i] = r.ID
	}
	stored, err := authoring.QuestionsOfPassages(ctx, tx, all)
	if err != nil {
		return nil, err
	}
	relinked := make([]bool, len(records))
	var sets []authoring.PassageLinks
	var places []int
	for i, r := range records {
		relinked[i] = r.value.links != nil && !slices.Equal(r.value.links, stored[all[i]])
		if relinked[i] {
			sets, places = append(sets, authoring.PassageLinks{PassageID: all[i], Questions: r.value.links}), append(places, i)
		}
	}
	return relinked, placed(authoring.SetQuestionsOfPassages(ctx, tx, sets), places)
}

// placed gives the problems of some of the records the places of these among all.
func placed(err error, places []int) error {
	problem := errs.Of(err)
	if err == nil || problem.Code != errs.ValidationFailed {
		return err
	}
	moved := make([]errs.Field, len(problem.Fields))
	for i, f := range problem.Fields {
		m := recordPath.FindStringSubmatch(f.Path)
		if m == nil || index(m[1]) >= len(places) {
			return err
		}
		f.Path = fmt.Sprintf("passages[%d].%s", places[index(m[1])], m[2])
		moved[i] = f
	}
	return errs.Invalid(moved...)
}

func placeInPassage(r record[passage], f errs.Field) (row, string) {
	at, spoken := rowOfLocale(r.rows, f.Path)
	name, _, _ := strings.Cut(f.Path, ".")
	switch {
	case name == "externalId":
	case strings.HasPrefix(name, "questionIds"):
		return r.rows[0], "questions"
	case r.value.locales == nil:
		return r.rows[0], "content"
	case f.Code == "locale_not_enabled" || f.Code == "invalid_locale" || spoken && at.unreadable("lang"):
		return at, "lang"
	case name == "content":
		name = "text"
	}
	return at, name
}

func written(d content.Document) (json.RawMessage, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write content document: %w", err)
	}
	return raw, nil
}
