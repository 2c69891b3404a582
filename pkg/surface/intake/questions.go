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
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
)

var questions = kind[question]{
	name:  "questions",
	needs: []capability.Capability{capability.QuestionsWrite},
	columns: append([]column{
		{name: "externalId", alias: "id", required: true},
		{name: "qtype", required: true},
		{name: "stem", required: true, raw: true},
		{name: "correct", required: true, raw: true},
		{name: "weight"},
		{name: "explanation", raw: true},
		{name: "terms"},
		{name: "tags"},
		{name: "lang"},
		{name: "format"},
		{name: "contributesToScore"},
		{name: "content", raw: true},
	}, slices.Concat(optionColumns(), columnsOf(partNames()))...),
	key: func(r row) string {
		if r.item != nil {
			return r.item.ID
		}
		return r.text("externalId")
	},
	banks: true,
	plan:  planQuestions,
	apply: applyQuestions,
	place: placeInQuestion,
}

const optionLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func optionNames() []string {
	var names []string
	for _, letter := range optionLetters {
		names = append(names, "option"+string(letter))
	}
	return names
}

func optionColumns() []column {
	columns := columnsOf(optionNames())
	for i := range columns {
		columns[i].raw = true
	}
	return columns
}

// partNames names the columns of the parts that only some types have, except options, correct and
// content, which every file has.
func partNames() []string {
	var names []string
	for _, p := range scoring.Parts {
		if p != scoring.PartOptions && p.Column != "correct" && p.Column != scoring.ColumnContent {
			names = append(names, p.Column)
		}
	}
	return names
}

func columnsOf(names []string) []column {
	columns := make([]column, len(names))
	for i, name := range names {
		columns[i] = column{name: name}
	}
	return columns
}

// PreviewQuestions shows what CommitQuestions would do. It needs questions.write, and
// taxonomy.read when the file names terms, taxonomy.manage when it makes some.
func PreviewQuestions(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return questions.preview(ctx, tx, in)
}

// CommitQuestions writes questions by external id as drafts. Rows of one external id and
// several languages are one question, whose default locale is the locale of the first row; a
// file states the whole question, so a language that it leaves out goes. It needs what
// PreviewQuestions needs, and taxonomy.manage when terms have to be made. Errors:
// import_invalid.
func CommitQuestions(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return questions.commit(ctx, tx, in)
}

func planQuestions(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[question], error) {
	var records []record[question]
	at := map[string]int{}
	assets, err := knownAssets(ctx, tx, f.chunk)
	if err != nil {
		return nil, err
	}
	for r := range f.rows() {
		if r.item != nil {
			q := questionOf(r, in, assets)
			records = append(records, record[question]{key: q.externalID, rows: []row{r}, value: q})
			continue
		}
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
	known, err := knownTerms(ctx, tx, in, records, question.named)
	if err != nil {
		return nil, err
	}
	made := make([]authoring.MadeQuestion, len(records))
	for i, r := range records {
		made[i] = r.value.made()
		made[i].TaxonomyTermIDs = withTerms(made[i].TaxonomyTermIDs, r.value.terms, known)
	}
	inputs := authoring.CheckQuestions(made)
	for i := range records {
		records[i].value.ready, records[i].value.known = inputs[i], known
	}
	var problems []errs.Field
	err = tx.Rehearse(ctx, func() error {
		err := makeAssets(ctx, tx, records, true)
		if err != nil {
			return err
		}
		problems, err = authoring.CheckUpsertQuestions(ctx, tx, inputs)
		return err
	})
	reportAll(records, problems, placeInQuestion)
	warnOfDrafts(f, records)
	return records, err
}

// warnOfDrafts: the column content takes the same as POST /questions, a draft that is not complete too.
func warnOfDrafts(f *file, records []record[question]) {
	for _, r := range records {
		if lacks := r.value.ready.Lacks(); len(lacks) > 0 && !r.bad() {
			f.warn(r.rows[0].line, f.header.spelling("content"), "incomplete_draft",
				"the question cannot be published yet: "+lacks[0].Path+": "+lacks[0].Message)
		}
	}
}

func (q question) named() []termName { return q.terms }

func applyQuestions(ctx context.Context, tx *db.Tx, in Input, records []record[question], done *Commit) error {
	err := nestCategories(ctx, tx, in, records)
	if err == nil {
		err = makeAssets(ctx, tx, records, in.Unkept)
	}
	if err != nil {
		return err
	}
	known, err := makeTerms(ctx, tx, in, records, question.named)
	if err != nil {
		return err
	}
	inputs := make([]authoring.CheckedQuestion, len(records))
	for i, r := range records {
		inputs[i] = r.value.ready
		inputs[i].TaxonomyTermIDs = withTerms(inputs[i].TaxonomyTermIDs, r.value.terms, known)
	}
	results, err := authoring.UpsertCheckedQuestions(ctx, tx, inputs)
	for _, r := range results {
		done.count(string(r.Change))
	}
	return err
}

var optionPath = regexp.MustCompile(`^options\[(\d+)\]`)

// columnAt gives the column for a path of a question.
func columnAt(path string) string {
	i := slices.IndexFunc(scoring.Parts, func(p scoring.Part) bool { return p.Path == path })
	if i >= 0 {
		return scoring.Parts[i].Column
	}
	column, _, _ := strings.Cut(path, ".")
	return column
}

// placeInQuestion leaves out, by naming a cell that cannot be read, the problems that follow from
// that cell: a key without letters, or content that is not JSON.
func placeInQuestion(r record[question], f errs.Field) (row, string) {
	at, spoken := rowOfLocale(r.rows, f.Path)
	m := optionPath.FindStringSubmatch(f.Path)
	name, _, _ := strings.Cut(f.Path, "[")
	switch {
	case name == "taxonomyTermIds":
		return r.value.cellOfTerm(r.rows[0], f.Path)
	case at.item != nil:
		return at, f.Path
	case at.unreadable("content") || r.value.whole != nil && name != "externalId" && name != "qtype":
		return r.rows[0], "content"
	case f.Code == "locale_not_enabled" || f.Code == "invalid_locale" || spoken && at.unreadable("lang"):
		return at, "lang"
	case at.unreadable("correct") && followsFromKey(f):
		return at, "correct"
	case m != nil:
		i, _ := strconv.Atoi(m[1])
		return at, "option" + r.value.options[i].letter
	}
	return at, columnAt(name)
}

func followsFromKey(f errs.Field) bool {
	return f.Code == "one_correct_option" || f.Code == "no_correct_option" || strings.HasPrefix(f.Path, "scoring.")
}

func (q question) cellOfTerm(r row, path string) (row, string) {
	return cellOfTerm(r, path, q.ready.TaxonomyTermIDs, q.terms, q.known)
}
