package intake

import (
	"slices"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// merge adds a row with another language. Everything except language must agree with the
// first row.
func (q *question) merge(r row, other question) {
	if q.whole != nil || other.whole != nil {
		r.problem("content", "rows_disagree", "a question with content has one row, which holds every language")
		return
	}
	q.agree(r, other)
	if slices.Contains(q.locales, other.locales[0]) {
		r.problem("lang", "duplicate_locale", "another row has the same external id and language")
		return
	}
	if !slices.EqualFunc(q.options, other.options, func(a, b option) bool { return a.letter == b.letter && a.correct == b.correct }) {
		r.problem("correct", "options_disagree", "the options and the right ones must be the same in every language")
		return
	}
	q.locales = append(q.locales, other.locales[0])
	q.stem = q.stem.Merge(other.stem)
	for i := range q.options {
		q.options[i].content = q.options[i].content.Merge(other.options[i].content)
	}
	switch {
	case q.explanation == nil:
		q.explanation = other.explanation
	case other.explanation != nil:
		merged := q.explanation.Merge(*other.explanation)
		q.explanation = &merged
	}
	q.scoring.AcceptedAnswers = q.acceptedToo(other.scoring.AcceptedAnswers)
	q.terms = append(q.terms, other.terms...)
}

// acceptedToo adds the accepted answers of another language.
func (q *question) acceptedToo(others []string) []string {
	all := q.scoring.AcceptedAnswers
	folding := scoring.Folding{Rule: scoring.NewestFolding, Locale: q.stem.DefaultLocale}
	for _, answer := range others {
		known := slices.ContainsFunc(all, func(one string) bool { return folding.Fold(one) == folding.Fold(answer) })
		if !known {
			all = append(all, answer)
		}
	}
	return all
}

// agree compares all cells that do not depend on the language with the first row. An empty cell agrees.
func (q *question) agree(r row, other question) {
	mine, theirs := q.scoring, other.scoring
	for _, one := range []struct {
		column    string
		disagrees bool
	}{
		{"qtype", q.qtype != other.qtype},
		{"weight", differ(q.weight, other.weight)},
		{"contributesToScore", differ(q.contributes, other.contributes)},
		{"scoring", theirs.Method != "" && theirs.Method != mine.Method},
		{"minSelections", theirs.MinSelections != 0 && theirs.MinSelections != mine.MinSelections},
		{"maxSelections", theirs.MaxSelections != 0 && theirs.MaxSelections != mine.MaxSelections},
		{"correct", differ(mine.Value, theirs.Value) || len(theirs.Order) > 0 && !slices.Equal(mine.Order, theirs.Order)},
		{"tolerance", theirs.Tolerance != 0 && theirs.Tolerance != mine.Tolerance},
	} {
		if one.disagrees {
			r.problem(one.column, "rows_disagree", "the cell must agree with the first row of this external id")
		}
	}
}

func differ[T comparable](first, later *T) bool {
	return later != nil && (first == nil || *first != *later)
}

func (q *question) input() (authoring.QuestionInput, error) {
	if q.whole != nil {
		return *q.whole, nil
	}
	in := authoring.QuestionInput{ExternalID: q.externalID, QType: q.qtype, Scoring: &q.scoring, Weight: q.weight,
		ContributesToScore: q.contributes, Options: []authoring.OptionInput{}}
	var err error
	in.Stem, err = written(q.stem)
	if err != nil {
		return in, err
	}
	if q.explanation != nil {
		in.Explanation, err = written(*q.explanation)
		if err != nil {
			return in, err
		}
	}
	for _, o := range q.options {
		text, err := written(o.content)
		if err != nil {
			return in, err
		}
		in.Options = append(in.Options, authoring.OptionInput{ID: o.letter, Content: text, IsCorrect: o.correct})
	}
	return in, nil
}

// made is input without the way over JSON.
func (q *question) made() authoring.MadeQuestion {
	if q.whole != nil {
		return authoring.MadeQuestion{QuestionInput: *q.whole, Draft: true}
	}
	in := authoring.QuestionInput{ExternalID: q.externalID, QType: q.qtype, Scoring: &q.scoring, Weight: q.weight,
		ContributesToScore: q.contributes, Options: make([]authoring.OptionInput, len(q.options))}
	said := authoring.QuestionDocuments{Stem: q.stem, Explanation: q.explanation, Options: make([]content.Document, len(q.options))}
	for i, o := range q.options {
		in.Options[i], said.Options[i] = authoring.OptionInput{ID: o.letter, IsCorrect: o.correct}, o.content
	}
	return authoring.MadeQuestion{QuestionInput: in, Documents: &said}
}
