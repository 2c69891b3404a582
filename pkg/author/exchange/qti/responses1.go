package qti

import (
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/scoring"
)

func (r *reader1) shortText() {
	it := r.it
	if len(r.responses) > 1 {
		r.several()
		return
	}
	answers, shares, caseMatters := r.texts("")
	it.Accept(answers, shares)
	if caseMatters {
		it.Lose(bank.CaseIgnored)
	}
	it.Unscored = len(answers) == 0
}

// texts gives the accepted texts of a response, or of all, with their shares of the most points.
func (r *reader1) texts(response string) (answers []string, shares []float64, caseMatters bool) {
	most := 0.0
	for _, c := range r.conditions {
		for _, a := range c.right {
			if response == "" || a.response == response {
				answers, shares = append(answers, a.value), append(shares, c.points)
				caseMatters, most = caseMatters || a.caseMatters, max(most, c.points)
			}
		}
	}
	for i := range shares {
		shares[i] *= 100 / max(most, 1e-9)
	}
	return answers, shares, caseMatters
}

// numeric reads a number: equal to one, or within a range.
func (r *reader1) numeric() {
	it := r.it
	it.Kind = scoring.Numeric
	most := 0.0
	for _, c := range r.conditions {
		most = max(most, c.points)
	}
	for _, c := range r.conditions {
		switch {
		case c.points <= 0, c.low == nil && c.high == nil && len(c.right) == 0:
		case c.points < most:
			it.Lose(bank.PartialAnswer)
		case it.Value != nil:
			it.Lose(bank.SeveralValues)
		default:
			r.number(c)
		}
	}
	it.Unscored = it.Value == nil && len(r.conditions) == 0
}

func (r *reader1) number(c condition) {
	it := r.it
	if len(c.right) > 0 {
		value, err := strconv.ParseFloat(c.right[0].value, 64)
		if err != nil {
			it.Refuse(bank.Malformed, "the right answer is no number")
			return
		}
		it.Number(value, 0)
		if len(c.right) > 1 {
			it.Lose(bank.SeveralValues)
		}
	}
	switch {
	case c.low != nil && c.high != nil:
		it.Between(*c.low, *c.high)
	case c.low != nil || c.high != nil:
		it.Lose(bank.OwnProcessing)
	}
}

// several reads more than one response: prompts with the same options, or fields in a text.
func (r *reader1) several() {
	choices := 0
	for _, response := range r.responses {
		if response.Data == "response_lid" {
			choices++
		}
		if response.Data == "response_grp" {
			r.it.Lose(bank.UnsupportedInteraction, response.Data)
			return
		}
	}
	if choices == len(r.responses) {
		r.matching()
		return
	}
	r.blanks()
}

func (r *reader1) newGap(response *html.Node) bank.GapKey {
	if r.gapIDs == nil {
		r.gapIDs = map[string]string{}
	}
	g := bank.GapKey{ID: bank.Numbered("g", len(r.it.Gaps)+1)}
	r.gapIDs[markup.Attr(response, "ident")] = g.ID
	return g
}

// dropdowns reads gaps with options of their own.
func (r *reader1) dropdowns() {
	for _, response := range r.responses {
		g := r.newGap(response)
		r.dropdown(&g, response)
		r.it.Gaps = append(r.it.Gaps, g)
	}
	r.it.GapsDone()
	r.partMethod()
}

func (r *reader1) dropdown(g *bank.GapKey, response *html.Node) {
	options := r.options(response)
	shares := make([]float64, len(options))
	for _, a := range r.either(markup.Attr(response, "ident")) {
		for i, o := range options {
			if o.ID == a.value {
				shares[i] = 100
			}
		}
	}
	r.it.ChooseGap(g, options, shares)
}

// blanks reads gaps to type. Canvas lists their accepted answers as options; its new quizzes have gaps to choose among them.
func (r *reader1) blanks() {
	it := r.it
	for _, response := range r.responses {
		g := r.newGap(response)
		label := markup.First(response, "response_label")
		kind := markup.Attr(label, "answer_type")
		switch {
		case kind == "dropdown" || kind == "wordbank":
			r.dropdown(&g, response)
		case response.Data == "response_lid":
			var answers []string
			for _, o := range r.options(response) {
				answers = append(answers, bank.Plain(o.Content))
			}
			if algorithm := markup.Attr(label, "scoring_algorithm"); algorithm != "" && algorithm != "TextEquivalence" && algorithm != "TextInChoices" && algorithm != "Equivalence" {
				it.Lose(bank.Wildcard, algorithm)
			}
			it.FillGap(&g, answers, slices.Repeat([]float64{100}, len(answers)))
		case r.isNumber(response):
			g.Kind = bank.GapNumber
			for _, a := range r.either(markup.Attr(response, "ident")) {
				value := decimalOf(a.value)
				g.Value = &value
			}
		default:
			answers, shares, caseMatters := r.texts(markup.Attr(response, "ident"))
			it.FillGap(&g, answers, shares)
			if caseMatters {
				it.Lose(bank.CaseIgnored)
			}
		}
		it.Gaps = append(it.Gaps, g)
	}
	it.GapsDone()
	r.partMethod()
}

// partMethod gives points for each part if the file adds them up, and otherwise only for all.
func (r *reader1) partMethod() {
	given, worth := 0, 0.0
	for _, c := range r.conditions {
		if c.points > 0 && len(c.right) > 0 {
			given++
			if worth > 0 && (c.points-worth > 0.05 || worth-c.points > 0.05) {
				r.it.Lose(bank.UnequalWeights)
			}
			worth = c.points
		}
		if c.points < 0 {
			r.it.Lose(bank.NegativeFraction)
		}
	}
	r.it.Method = scoring.Partial
	if given == 1 && len(r.responses) > 1 {
		r.it.Method = scoring.AllOrNothing
	}
}

// matching reads prompts with a list of options for each.
func (r *reader1) matching() {
	it := r.it
	it.Kind = bank.Match
	for i, response := range r.responses {
		id := bank.Numbered("p", i+1)
		it.Prompts = append(it.Prompts, bank.Option{ID: id, Content: r.material(response)})
		for _, o := range r.options(response) {
			if !slices.ContainsFunc(it.Options, func(known bank.Option) bool { return known.ID == o.ID }) {
				it.Options = append(it.Options, o)
			}
		}
		right := r.either(markup.Attr(response, "ident"))
		for _, a := range right {
			it.Pairs = append(it.Pairs, scoring.Pair{id, a.value})
		}
		it.MaxPerPrompt = max(it.MaxPerPrompt, len(right))
	}
	if it.MaxPerPrompt == 1 {
		it.MaxPerPrompt = 0
	}
	r.partMethod()
	if it.MaxPerPrompt > 1 && it.Method == scoring.Partial {
		it.Lose(bank.MappingChanged, "points for each prompt with all its options")
	}
}

func (r *reader1) ordering() {
	if len(r.responses) == 0 {
		r.it.Refuse(bank.Incomplete, "there is nothing to put in order")
		return
	}
	r.it.Options = r.options(r.responses[0])
	r.ordered()
}

func (r *reader1) ordered() {
	it := r.it
	it.Kind, it.Method = bank.Order, scoring.AllOrNothing
	for _, c := range r.conditions {
		if c.points > 0 && len(it.Order) == 0 {
			for _, a := range c.right {
				it.Order = append(it.Order, a.value)
			}
		}
	}
}
