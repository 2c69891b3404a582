package intake

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

var questions = kind[question]{
	name:  "questions",
	needs: []capability.Capability{capability.QuestionsWrite},
	columns: append([]column{
		{name: "externalId", alias: "id", required: true},
		{name: "qtype", required: true},
		{name: "stem", required: true},
		{name: "correct", required: true},
		{name: "tolerance"},
		{name: "scoring"},
		{name: "minSelections"},
		{name: "maxSelections"},
		{name: "weight"},
		{name: "explanation"},
		{name: "terms"},
		{name: "tags"},
		{name: "lang"},
		{name: "format"},
		{name: "contributesToScore"},
		{name: "content"},
	}, optionColumns()...),
	key:   func(r row) string { return r.text("externalId") },
	plan:  planQuestions,
	apply: applyQuestions,
}

const optionLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func optionColumns() []column {
	var columns []column
	for _, letter := range optionLetters {
		columns = append(columns, column{name: "option" + string(letter)})
	}
	return columns
}

// PreviewQuestions shows what CommitQuestions would do. It needs questions.write, and
// taxonomy.read when the file names terms.
func PreviewQuestions(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return questions.preview(ctx, tx, in)
}

// CommitQuestions writes questions by external id as drafts. Rows of one external id and
// several languages are one question, whose default locale is that of the first row; a
// file states the whole question, so a language that it leaves out goes. It needs what
// PreviewQuestions needs, and taxonomy.manage when terms have to be made. Errors:
// import_invalid.
func CommitQuestions(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return questions.commit(ctx, tx, in)
}

func planQuestions(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[question], error) {
	var records []record[question]
	at := map[string]int{}
	for r := range f.rows() {
		q := parseQuestion(r, in)
		i, known := at[q.externalID]
		if known && q.externalID != "" {
			records[i].rows = append(records[i].rows, r)
			records[i].value.merge(r, q)
			continue
		}
		at[q.externalID] = len(records)
		records = append(records, record[question]{key: q.externalID, rows: []row{r}, value: q})
	}
	err := checkTerms(ctx, tx, records, question.named)
	if err != nil {
		return nil, err
	}
	var good []int
	for i, r := range records {
		if !r.bad() {
			good = append(good, i)
		}
	}
	inputs := make([]authoring.QuestionInput, len(good))
	for n, i := range good {
		inputs[n] = records[i].value.made()
	}
	checked, problems := authoring.CheckQuestions(inputs)
	for n, i := range good {
		records[i].value.ready = checked[n]
		report(records[i], problems[n], placeInQuestion)
	}
	return records, nil
}

func (q question) named() []termName { return q.terms }

func applyQuestions(ctx context.Context, tx *db.Tx, _ Input, records []record[question], done *Commit) error {
	known, err := makeTerms(ctx, tx, records, question.named)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(records, chunk) {
		inputs := make([]authoring.QuestionInput, len(some))
		for i, r := range some {
			inputs[i] = r.value.ready
			inputs[i].TaxonomyTermIDs = distinct(append(inputs[i].TaxonomyTermIDs, termIDs(r.value.terms, known)...))
		}
		results, err := authoring.UpsertQuestions(ctx, tx, inputs)
		if err != nil {
			return locate(err, some, placeInQuestion)
		}
		for _, r := range results {
			done.count(string(r.Change))
		}
	}
	return nil
}

var optionPath = regexp.MustCompile(`^options\[(\d+)\]`)

// questionColumns names the columns of parts of a question that have another name there.
var questionColumns = map[string]string{"options": "optionA", "taxonomyTermIds": "terms", "scoring.method": "scoring",
	"scoring.minSelections": "minSelections", "scoring.maxSelections": "maxSelections",
	"scoring.acceptedAnswers": "correct", "scoring.value": "correct", "scoring.tolerance": "tolerance"}

func placeInQuestion(r record[question], path string) (row, string) {
	m := optionPath.FindStringSubmatch(path)
	name, _, _ := strings.Cut(path, "[")
	switch {
	case r.value.whole != nil && name != "externalId" && name != "qtype" && name != "taxonomyTermIds":
		return r.rows[0], "content"
	case m != nil:
		i, _ := strconv.Atoi(m[1])
		return r.rows[0], "option" + r.value.options[i].letter
	}
	column, known := questionColumns[name]
	if !known {
		column, _, _ = strings.Cut(name, ".")
	}
	return r.rows[0], column
}
