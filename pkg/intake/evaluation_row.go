package intake

import (
	"regexp"
	"strconv"
	"strings"

	"assess/pkg/authoring"
	"assess/pkg/ids"
)

// evaluation is one evaluation as its rows describe it.
type evaluation struct {
	externalID, title string
	settings          authoring.Settings
	publish           bool
	first             row
	sections          []section
	// last is the section of the row above.
	last int
}

type section struct {
	title string
	items []item
}

type item struct {
	row      row
	question string
	id       ids.ID
	weight   *float64
}

// onFirstRow are the columns of the evaluation as a whole.
var onFirstRow = []string{"title", "passMarkPercent", "timeLimitSeconds", "feedbackMode", "reviewPolicy",
	"maxAttemptsPerUser", "cooloffSeconds", "navigation", "shuffleItems", "shuffleOptions", "publish"}

var (
	feedbackModes  = map[string]string{"": "", "none": "none", "overall": "overall", "tags": "tags", "items": "items"}
	reviewPolicies = map[string]string{"": "", "selfapprove": "self_approve", "foureyes": "four_eyes"}
	navigations    = map[string]string{"": "", "linear": "linear", "free": "free"}
)

func newEvaluation(r row) evaluation {
	e := evaluation{externalID: r.text("evaluation"), title: r.text("title"), first: r, publish: isYes(r.yes("publish"))}
	if e.title == "" {
		e.title = e.externalID
	}
	e.settings = authoring.Settings{
		PassMarkPercent:    r.number("passMarkPercent"),
		TimeLimitSeconds:   r.whole("timeLimitSeconds"),
		MaxAttemptsPerUser: r.whole("maxAttemptsPerUser"),
		FeedbackMode:       oneOf(r, "feedbackMode", feedbackModes, "expected none, overall, tags or items"),
		ReviewPolicy:       oneOf(r, "reviewPolicy", reviewPolicies, "expected self_approve or four_eyes"),
		Navigation:         oneOf(r, "navigation", navigations, "expected linear or free"),
		ShuffleItems:       isYes(r.yes("shuffleItems")),
		ShuffleOptions:     isYes(r.yes("shuffleOptions")),
	}
	if cooloff := r.whole("cooloffSeconds"); cooloff != nil {
		e.settings.CooloffSeconds = *cooloff
	}
	return e
}

func isYes(answer *bool) bool { return answer != nil && *answer }

func (e *evaluation) addItem(r row) {
	for _, name := range onFirstRow {
		if text := r.text(name); text != "" && text != e.first.text(name) {
			r.problem(name, "rows_disagree", "the cell belongs to the first row of the evaluation, which says something else")
		}
	}
	e.last = e.section(r.text("section"))
	at := &e.sections[e.last]
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
				one.row.problem("question", "unknown_question", "there is no question of this external id in your org unit")
			}
			s.items[i].id = id
		}
	}
}

func (e *evaluation) input() authoring.EvaluationInput {
	in := authoring.EvaluationInput{ExternalID: e.externalID, Title: e.title, Settings: e.settings}
	for _, s := range e.sections {
		written := authoring.SectionInput{Title: s.title}
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

func (e *evaluation) questionIDs() []ids.ID {
	var all []ids.ID
	for _, one := range e.items() {
		all = append(all, one.id)
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
func placeInEvaluation(r record[evaluation], path string) (row, string) {
	if m := itemPath.FindStringSubmatch(path); m != nil {
		column := "question"
		if m[3] == "weight" {
			column = "weight"
		}
		return r.value.sections[index(m[1])].items[index(m[2])].row, column
	}
	if m := sectionPath.FindStringSubmatch(path); m != nil {
		return r.value.sections[index(m[1])].items[0].row, "section"
	}
	if m := questionPath.FindStringSubmatch(path); m != nil {
		return rowOfQuestion(r.value, r.value.questionIDs()[index(m[1])]), "question"
	}
	name := canonical(strings.TrimPrefix(path, "settings."))
	for _, column := range onFirstRow {
		if canonical(column) == name {
			return r.rows[0], column
		}
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
