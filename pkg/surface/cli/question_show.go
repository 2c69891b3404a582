package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/wire"
)

func newQuestionShow(s *Shell) *cobra.Command {
	var lang string
	cmd := newShow(s, "show ID|EXTERNAL-ID", "Show a question with the text and the key of its newest version",
		found("question", findQuestion, func(ctx context.Context, tx *db.Tx, id ids.ID) (namedQuestion, error) {
			q, err := authoring.GetQuestion(ctx, tx, id)
			if err != nil {
				return namedQuestion{}, err
			}
			return nameTerms(ctx, tx, q.In(lang))
		}), drawnAs(func(q namedQuestion) any { return q.Question }, func(screen *Screen, q namedQuestion) error { return q.draw(screen) }))
	langFlag(cmd, &lang)
	return cmd
}

func langFlag(cmd *cobra.Command, lang *string) {
	cmd.Flags().StringVar(lang, "lang", "", "language of the content (default: all in JSON, the default one for people)")
}

// namedQuestion is a question and the terms of its newest version, as facet:slug: the terms of
// questions are all in the content domain.
type namedQuestion struct {
	Question authoring.ShownQuestion
	Terms    []string
}

func nameTerms(ctx context.Context, tx *db.Tx, q authoring.ShownQuestion) (namedQuestion, error) {
	named := namedQuestion{Question: q}
	wanted := named.newest().TaxonomyTermIDs
	names, err := taxonomy.Names(ctx, tx, wanted)
	for _, id := range wanted {
		named.Terms = append(named.Terms, names[id].Facet+":"+names[id].Term)
	}
	return named, err
}

func (q namedQuestion) newest() authoring.ShownQuestionVersion {
	if q.Question.Draft != nil {
		return *q.Question.Draft
	}
	return *q.Question.Published
}

func (q namedQuestion) draw(screen *Screen) error {
	v := q.newest()
	screen.title(orID(q.Question.ExternalID, q.Question.ID), q.Question.Status, q.Question.ID)
	fmt.Fprintf(screen, "Version %d, %s\n\n", v.Number, v.Status)
	err := writeFields(screen, q, questionFields)
	if err != nil {
		return err
	}
	fmt.Fprintln(screen)
	screen.text(v.Stem)
	for _, o := range v.Options {
		mark := "  "
		if o.IsCorrect {
			mark = screen.tick() + " "
		}
		line := mark + o.ID + ") "
		fmt.Fprint(screen, line, screen.indented(plain(o.Content), len([]rune(line))))
	}
	for _, p := range v.Prompts {
		line := "  " + p.ID + ") "
		fmt.Fprint(screen, line, screen.indented(plain(p.Content), len([]rune(line))))
	}
	for i, g := range v.Gaps {
		line := fmt.Sprintf("  (%d) ", i+1)
		fmt.Fprint(screen, line, screen.indented(gapWords(v, g), len([]rune(line))))
	}
	if v.Explanation != nil {
		screen.heading("Explanation")
		screen.text(*v.Explanation)
	}
	return nil
}

var questionFields = []Column[namedQuestion]{
	{Header: "Type", Cell: func(q namedQuestion) string { return wire.Words(string(q.newest().QType)) }},
	{Header: "Language", Cell: func(q namedQuestion) string { return languages(q.newest().Stem) }},
	{Header: "Terms", Cell: func(q namedQuestion) string { return orDash(strings.Join(q.Terms, ", ")) }},
	{Header: "Passage version", Cell: func(q namedQuestion) string { return orNone(q.newest().PassageVersionID) }},
	{Header: "Weight", Cell: func(q namedQuestion) string {
		v := q.newest()
		if !v.ContributesToScore {
			return "none: a survey item"
		}
		return points(v.Weight)
	}},
	{Header: "Key", Cell: func(q namedQuestion) string { return answerKey(q.newest()) }},
}

// answerKey gives the right answer, as far as the options do not show it.
func answerKey(v authoring.ShownQuestionVersion) string {
	k, t := v.Scoring, v.QType.Type()
	switch {
	case t.ByPeople():
		return "a reviewer decides"
	case t.Has(scoring.PartAcceptedAnswers):
		return strings.Join(k.AcceptedAnswers, " | ")
	case t.Has(scoring.PartGaps):
		return wire.Words(k.Method)
	case t.Has(scoring.PartPairs):
		return orDash(pairs(k.Pairs)) + ", " + wire.Words(k.Method)
	case t.Has(scoring.PartOrder):
		return orDash(strings.Join(k.Order, ", ")) + ", " + wire.Words(k.Method)
	case k.Value != nil:
		return fmt.Sprintf("%s, tolerance %s", points(*k.Value), points(k.Tolerance))
	}
	return orDash(wire.Words(k.Method) + selections(k.MinSelections, k.MaxSelections))
}

// gapWords says what a gap takes, right answers with a star: "*Rome | Milan", "9.81 ± 0.01".
func gapWords(v authoring.ShownQuestionVersion, g authoring.ShownGap) string {
	words := slices.Clone(g.AcceptedAnswers)
	if g.Value != nil {
		number := strconv.FormatFloat(*g.Value, 'f', -1, 64)
		if g.Tolerance != 0 {
			number += " ± " + strconv.FormatFloat(g.Tolerance, 'f', -1, 64)
		}
		words = append(words, number)
	}
	options := g.Options
	if g.Kind == scoring.GapPool {
		options = v.Pool
	}
	for _, o := range options {
		mark := ""
		if slices.Contains(g.CorrectOptionIDs, o.ID) {
			mark = "*"
		}
		words = append(words, mark+plain(o.Content))
	}
	return orDash(strings.Join(words, " | ")) + "\n"
}

func pairs(all []scoring.Pair) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = p[0] + "=" + p[1]
	}
	return strings.Join(words, ", ")
}

func selections(least, most int) string {
	var text string
	if least > 0 {
		text += ", at least " + strconv.Itoa(least)
	}
	if most > 0 {
		text += ", at most " + strconv.Itoa(most)
	}
	return text
}

// languages lists the languages of content, the default one first.
func languages(c content.Shown) string {
	if c.Locale != "" {
		return c.Locale
	}
	all := []string{c.DefaultLocale}
	for _, locale := range slices.Sorted(maps.Keys(c.Locales)) {
		if locale != c.DefaultLocale {
			all = append(all, locale)
		}
	}
	return strings.Join(all, ", ")
}

func orDash(text string) string {
	if text == "" {
		return none
	}
	return text
}
