package gift

import (
	"html"
	"io"
	"slices"
	"strconv"

	nethtml "golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// Words are the options of a statement to judge.
var Words = [2]string{"True", "False"}

// Read reads the items of a file. An error of take ends it.
func Read(input io.Reader, take func(*bank.Item) error) error {
	data, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	var path []string
	return parse(markup.Decode(data), func(q question) error {
		if q.kind == category {
			path = bank.CategoryPath(q.title)
			return nil
		}
		it := q.item(path)
		it.Identify()
		return take(it)
	})
}

// item gives the item of a question.
func (q question) item(path []string) *bank.Item {
	it := &bank.Item{Line: q.line, Name: q.title, Category: path}
	r := &markup.Reader{Item: it}
	if q.gapped() {
		r.Element = func(n *nethtml.Node) ([]content.Text, bool) {
			return []content.Text{bank.GapOf(firstGap)}, n.Data == "x-gap"
		}
	}
	if q.err != nil {
		it.Refuse(bank.Malformed, q.err.Error())
	}
	it.Stem = r.Text(q.stem.format, q.stem.text)
	if q.feedback != nil {
		it.Explanation = r.Text(q.feedback.format, q.feedback.text)
	}
	q.key(it, r)
	if q.gapped() {
		q.gap(it)
	}
	q.noted(it)
	if q.kind == matching && !slices.ContainsFunc(q.notes, func(n note) bool { return n.key == "options" }) {
		it.MixOptions()
	}
	for _, a := range q.answers {
		if a.feedback != nil {
			it.Lose(bank.OptionFeedbackDropped)
		}
	}
	if q.onTrue != nil || q.onFalse != nil {
		it.Lose(bank.OptionFeedbackDropped)
	}
	return it
}

func (q question) key(it *bank.Item, r *markup.Reader) {
	switch q.kind {
	case description:
		it.Kind = bank.Passage
		it.Lose(bank.DescriptionAsPassage)
	case essay:
		it.Kind = scoring.Essay
	case trueFalse:
		it.TrueFalse(q.isTrue, Words)
	case choices:
		contents, single := q.contents(r), false
		for _, a := range q.answers {
			single = single || a.correct
		}
		it.Options = bank.Lettered(contents...)
		it.Fractions(single, q.shares())
	case short:
		answers := make([]string, len(q.answers))
		for i, a := range q.answers {
			answers[i] = a.text.text
			if a.text.format == markup.FormatHTML {
				answers[i] = html.UnescapeString(answers[i])
			}
		}
		it.Accept(it.Patterns(answers, q.shares()), q.shares())
	case numerical:
		q.number(it)
	case matching:
		options := make([][]content.Block, len(q.answers))
		for i, a := range q.answers {
			options[i] = r.Text(markup.FormatPlain, a.pair)
		}
		it.Method = scoring.Partial
		it.MatchPairs(q.contents(r), options)
	}
}

const firstGap = "g1"

// gap makes the key of a question the key of the only gap of its text.
func (q question) gap(it *bank.Item) {
	g := bank.GapKey{ID: firstGap}
	switch q.kind {
	case short:
		g.Kind, g.Accepted = bank.GapTyped, it.Accepted
	case choices:
		g.Kind, g.Options = bank.GapChoice, it.Options
		for i, o := range it.Options {
			it.Options[i].Correct = false
			if q.answers[i].correct {
				g.Right = append(g.Right, o.ID)
			}
		}
		it.Keep(bank.Presentation, bank.Feedback) // any of the right ones is right, in both systems
	case numerical:
		g.Kind, g.Value, g.Tolerance = bank.GapNumber, it.Value, it.Tolerance
	}
	it.Key, it.Options, it.Gaps = bank.Key{}, nil, []bank.GapKey{g}
	it.GapsDone()
}

func (q question) contents(r *markup.Reader) [][]content.Block {
	all := make([][]content.Block, len(q.answers))
	for i, a := range q.answers {
		all[i] = r.Text(a.text.format, a.text.text)
	}
	return all
}

func (q question) shares() []float64 {
	all := make([]float64, len(q.answers))
	for i, a := range q.answers {
		switch {
		case a.weight != nil:
			all[i] = *a.weight
		case a.correct:
			all[i] = 100
		}
	}
	return all
}

// number takes the number that gives all points.
func (q question) number(it *bank.Item) {
	it.Kind = scoring.Numeric
	for i, share := range q.shares() {
		n := q.answers[i].number
		switch {
		case n == nil || share <= 0:
		case share < 100:
			it.Lose(bank.PartialAnswer)
		case it.Value != nil:
			it.Lose(bank.SeveralValues)
		case n.kind == "high-low":
			it.Between(n.lowest, n.higher)
		default:
			it.Number(n.value, n.within)
		}
	}
}

// noted applies the comments.
func (q question) noted(it *bank.Item) {
	for _, n := range q.notes {
		number, _ := strconv.Atoi(n.value)
		switch n.key {
		case "id":
			it.ID = n.value
		case "tag":
			it.Tags = append(it.Tags, n.value)
		case "lang":
			it.Locale = n.value
		case "weight":
			if weight, err := strconv.ParseFloat(n.value, 64); err == nil {
				it.Weigh(weight)
			}
		case "scoring":
			it.Method = n.value
			it.Keep(bank.Presentation, bank.Feedback) // the shares are only near the comment's method
		case "min":
			it.MinSelections = number
		case "max":
			it.MaxSelections = number
		case "layout":
			it.Layout = n.value
		case "options":
			it.Rename(n.value)
		}
	}
}
