package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// evaluation is one evaluation as its rows describe it.
type evaluation struct {
	externalID, title string
	settings          authoring.Settings
	terms             []termName
	publish           bool
	// termIDs are the ids of the known terms, in the order of the input.
	termIDs []ids.ID
	// kept are the terms of the evaluation before, which a test does not name.
	kept  []ids.ID
	known map[taxonomy.FacetTerm]ids.ID
	// whole is the evaluation of the column content, in place of title, settings and sections.
	whole    *authoring.EvaluationInput
	first    row
	sections []section
	// last is the section of the row above.
	last int
}

type section struct {
	title     string
	timeLimit *int
	items     []item
}

type item struct {
	row      row
	question string
	id       ids.ID
	weight   *float64
}

// onFirstRow are the columns of the evaluation as a whole.
var onFirstRow = []string{"title", "passMarkPercent", "timeLimitSeconds", "feedbackMode", "reviewPolicy",
	"maxAttemptsPerUser", "cooloffSeconds", "navigation", "shuffleItems", "shuffleOptions", "rounding", "negativeMarking",
	"defaultOutcome", "settings", "terms", "content", "publish"}

var (
	feedbackModes  = map[string]string{"": "", "none": "none", "overall": "overall", "tags": "tags", "items": "items"}
	reviewPolicies = map[string]string{"": "", "selfapprove": "self_approve", "foureyes": "four_eyes"}
	outcomes       = map[string]scoring.Outcome{"": "", "pass": scoring.Pass, "fail": scoring.Fail, "incomplete": scoring.Incomplete}
	navigations    = map[string]string{"": "", "linear": "linear", "free": "free"}
)

func newEvaluation(r row, in Input) evaluation {
	e := evaluation{externalID: r.text("evaluation"), title: r.text("title"), first: r, publish: isYes(r.yes("publish"))}
	e.terms = parseTerms(r, in)
	if r.text("content") != "" {
		e.parseWhole(r)
		return e
	}
	if e.title == "" {
		e.title = e.externalID
	}
	// settings has everything without a column of its own; the columns come after it.
	if r.text("settings") != "" {
		r.json("settings", &e.settings)
	}
	s := &e.settings
	s.Navigation = cmp.Or(oneOf(r, "navigation", navigations, "expected linear or free"), s.Navigation)
	s.FeedbackMode = cmp.Or(oneOf(r, "feedbackMode", feedbackModes, "expected none, overall, tags or items"), s.FeedbackMode)
	s.ReviewPolicy = cmp.Or(oneOf(r, "reviewPolicy", reviewPolicies, "expected self_approve or four_eyes"), s.ReviewPolicy)
	s.ScoringConfig.DefaultOutcome = cmp.Or(oneOf(r, "defaultOutcome", outcomes, "expected pass, fail or incomplete"), s.ScoringConfig.DefaultOutcome)
	s.PassMarkPercent = cmp.Or(r.number("passMarkPercent"), s.PassMarkPercent)
	s.TimeLimitSeconds = cmp.Or(r.whole("timeLimitSeconds"), s.TimeLimitSeconds)
	s.MaxAttemptsPerUser = cmp.Or(r.whole("maxAttemptsPerUser"), s.MaxAttemptsPerUser)
	s.ScoringConfig.Rounding = cmp.Or(r.whole("rounding"), s.ScoringConfig.Rounding)
	take(&s.CooloffSeconds, r.whole("cooloffSeconds"))
	take(&s.ScoringConfig.NegativeMarking, r.number("negativeMarking"))
	take(&s.ShuffleItems, r.yes("shuffleItems"))
	take(&s.ShuffleOptions, r.yes("shuffleOptions"))
	return e
}

func take[T any](place, value *T) {
	if value != nil {
		*place = *value
	}
}

// parseWhole reads the column content: the evaluation as POST /evaluations takes it.
func (e *evaluation) parseWhole(r row) {
	var in authoring.EvaluationInput
	for _, c := range r.file.columns {
		if r.text(c.name) != "" && !slices.Contains([]string{"evaluation", "terms", "publish", "content"}, c.name) {
			r.problem(c.name, "beside_content", "the column content holds the whole evaluation; leave this cell empty")
		}
	}
	if !r.json("content", &in) {
		return
	}
	in.ExternalID = e.externalID
	e.whole = &in
}

func isYes(answer *bool) bool { return answer != nil && *answer }

func (e *evaluation) addItem(r row) {
	if e.first.text("content") != "" {
		if r.line != e.first.line {
			r.problem("content", "rows_disagree", "an evaluation with content has one row")
		}
		return
	}
	for _, name := range onFirstRow {
		if text := r.text(name); text != "" && text != e.first.text(name) {
			r.problem(name, "rows_disagree", "the cell belongs to the first row of the evaluation, which says something else")
		}
	}
	e.last = e.section(r.text("section"))
	at := &e.sections[e.last]
	limit := r.whole("sectionTimeLimitSeconds")
	if limit != nil && len(at.items) > 0 && (at.timeLimit == nil || *at.timeLimit != *limit) {
		r.problem("sectionTimeLimitSeconds", "rows_disagree", "the cell belongs to the first row of the section, which says something else")
	}
	at.timeLimit = cmp.Or(at.timeLimit, limit)
	at.items = append(at.items, item{row: r, question: r.text("question"), weight: r.number("weight")})
}

// section finds or adds a section; no title means the one of the row above.
func (e *evaluation) section(title string) int {
	if title == "" && len(e.sections) > 0 {
		return e.last
	}
	for i, s := range e.sections {
		if s.title == title {
			return i
		}
	}
	e.sections = append(e.sections, section{title: title})
	return len(e.sections) - 1
}

func (e *evaluation) resolve(found map[string]ids.ID) {
	for _, s := range e.sections {
		for i, one := range s.items {
			id, known := found[one.question]
			if !known && one.question != "" {
				message := "there is no question of this external id in your org unit"
				if one.row.test != nil {
					message = fmt.Sprintf("there is no question of the external id %q in your org unit; import the questions first", one.question)
				}
				one.row.problem("question", "unknown_question", message)
			}
			s.items[i].id = id
		}
	}
}

func (e evaluation) input() authoring.EvaluationInput {
	if e.whole != nil {
		return *e.whole
	}
	in := authoring.EvaluationInput{ExternalID: e.externalID, Title: e.title, Settings: e.settings, TaxonomyTermIDs: e.kept}
	for _, s := range e.sections {
		written := authoring.SectionInput{Title: s.title, TimeLimitSeconds: s.timeLimit}
		for _, one := range s.items {
			written.Items = append(written.Items, authoring.ItemInput{QuestionID: one.id, Weight: one.weight})
		}
		in.Sections = append(in.Sections, written)
	}
	return in
}

func (e *evaluation) items() []item {
	var all []item
	for _, s := range e.sections {
		all = append(all, s.items...)
	}
	return all
}

func (e evaluation) questionIDs() []ids.ID {
	var all []ids.ID
	for _, s := range e.input().Sections {
		for _, one := range s.Items {
			if one.QuestionID != ids.None {
				all = append(all, one.QuestionID)
			}
		}
	}
	return distinct(all)
}

var (
	itemPath     = regexp.MustCompile(`^sections\[(\d+)\]\.items\[(\d+)\](?:\.(\w+))?`)
	sectionPath  = regexp.MustCompile(`^sections\[(\d+)\]`)
	questionPath = regexp.MustCompile(`^questions\[(\d+)\]`)
)

// placeInEvaluation takes paths of an EvaluationInput and, when publishing, of the list of
// its questions.
func placeInEvaluation(r record[evaluation], f errs.Field) (row, string) {
	path := f.Path
	switch {
	case path == "publish":
		return r.rows[0], path
	case strings.HasPrefix(path, "taxonomyTermIds"):
		return cellOfTerm(r.rows[0], path, r.value.termIDs, r.value.terms, r.value.known)
	case r.value.whole != nil || r.rows[0].unreadable("content"):
		return r.rows[0], "content"
	}
	if m := itemPath.FindStringSubmatch(path); m != nil {
		column := "question"
		if m[3] == "weight" {
			column = m[3]
		}
		return r.value.sections[index(m[1])].items[index(m[2])].row, column
	}
	if m := sectionPath.FindStringSubmatch(path); m != nil && strings.HasSuffix(path, "timeLimitSeconds") {
		return r.value.sections[index(m[1])].items[0].row, "sectionTimeLimitSeconds"
	}
	if m := sectionPath.FindStringSubmatch(path); m != nil {
		return r.value.sections[index(m[1])].items[0].row, "section"
	}
	if m := questionPath.FindStringSubmatch(path); m != nil {
		return rowOfQuestion(r.value, r.value.questionIDs()[index(m[1])]), "question"
	}
	name := canonical(strings.TrimPrefix(strings.TrimPrefix(path, "settings."), "scoringConfig."))
	for _, column := range onFirstRow {
		if canonical(column) == name {
			return r.rows[0], column
		}
	}
	if strings.HasPrefix(path, "settings.") {
		return r.rows[0], "settings"
	}
	return r.rows[0], "evaluation"
}

func rowOfQuestion(e evaluation, id ids.ID) row {
	for _, one := range e.items() {
		if one.id == id {
			return one.row
		}
	}
	return e.first
}

func index(digits string) int {
	i, _ := strconv.Atoi(digits)
	return i
}
