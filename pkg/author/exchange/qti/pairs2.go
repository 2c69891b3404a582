package qti

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/scoring"
)

// pairsOf gives the right pairs, as they are written.
func (r *reader2) pairsOf(d *declaration, mapped bool) []scoring.Pair {
	var pairs []scoring.Pair
	given := d.correct
	if mapped && len(given) == 0 {
		given = d.order
	}
	for _, value := range given {
		if first, second, ok := strings.Cut(value, " "); ok && (!mapped || d.mapped[value] > 0 || len(d.correct) > 0) {
			pairs = append(pairs, scoring.Pair{first, second})
		}
	}
	return pairs
}

// mappedPairs takes the points of pairs, which all count the same.
func (r *reader2) mappedPairs(d *declaration) {
	all, worth := 0.0, 0.0
	for _, key := range d.order {
		value := d.mapped[key]
		all += max(value, 0)
		switch {
		case value < 0:
			r.it.Lose(bank.NegativeFraction)
		case value > 0 && worth > 0 && value != worth:
			r.it.Lose(bank.UnequalWeights)
		case value > 0:
			worth = value
		}
	}
	if d.other < 0 && (r.it.MaxPerPrompt <= 1 || math.Abs(d.other+worth) > 1e-6) || d.other == 0 && r.it.MaxPerPrompt > 1 {
		r.it.Lose(bank.NegativeFraction)
	}
	r.it.Method = scoring.Partial
	r.bounds(d, all)
}

// gapMatch fills gaps with texts of a pool; pictures cannot be dragged.
func (r *reader2) gapMatch(n *html.Node, d *declaration) {
	it := r.it
	if markup.First(n, "gapImg") != nil {
		it.Lose(bank.UnsupportedInteraction, "pictures to drag into gaps")
	}
	it.Pool = r.optionsOf(n, "gapText", "gapImg")
	for o := range markup.All(n, "gapText") {
		it.Reuse = it.Reuse || attr(o, "matchMax") != "1" && attr(o, "matchMax") != ""
	}
	r.gapIDs = map[string]string{}
	for gap := range markup.All(n, "gap") {
		id := bank.Numbered("g", len(it.Gaps)+1)
		r.gapIDs[attr(gap, "identifier")] = id
		it.Gaps = append(it.Gaps, bank.GapKey{ID: id, Kind: bank.GapPool})
	}
	mapped := r.scored(d, true)
	for _, pair := range r.pairsOf(d, mapped) {
		for i := range it.Gaps {
			if it.Gaps[i].ID == r.gapIDs[pair[1]] {
				it.Gaps[i].Right = append(it.Gaps[i].Right, pair[0])
				if value := d.mapped[pair[0]+" "+pair[1]]; mapped && value > 0 {
					it.Gaps[i].Weight = &value
				}
			}
		}
	}
	r.relative()
	method := it.Method
	it.GapsDone()
	it.Method = method
	if mapped {
		r.mappedPairs(d)
		it.Notices = slices.DeleteFunc(it.Notices, func(n bank.Notice) bool { return n.Code == bank.UnequalWeights })
	}
}

func (r *reader2) match(n *html.Node, d *declaration) {
	it := r.it
	it.Kind = bank.Match
	var sets []*html.Node
	for set := range markup.All(n, "simpleMatchSet") {
		sets = append(sets, set)
	}
	if len(sets) != 2 {
		it.Refuse(bank.Incomplete, "a match has two sets")
		return
	}
	it.Prompts, it.Options = r.optionsOf(sets[0], "simpleAssociableChoice"), r.optionsOf(sets[1], "simpleAssociableChoice")
	it.MaxPerPrompt, it.MaxPerOption = mostOf(sets[0]), mostOf(sets[1])
	if it.MaxPerPrompt == 1 {
		it.MaxPerPrompt = 0
	}
	if strings.Contains(attr(n, "class"), "qti-match-tabular") || strings.Contains(attr(n, "class"), "grid") {
		it.Layout = "grid"
	}
	mapped := r.scored(d, true)
	it.Pairs = r.pairsOf(d, mapped)
	if mapped {
		r.mappedPairs(d)
	}
}

// mostOf gives the matchMax of a set: the members' value if they agree, or else the largest; 0 for any.
func mostOf(set *html.Node) int {
	most := 0
	for o := range markup.Children(set, "simpleAssociableChoice") {
		n := whole(attr(o, "matchMax"))
		if n == 0 {
			return 0
		}
		most = max(most, n)
	}
	return most
}

// associate pairs members of one set: the members that come first in the key are the prompts.
func (r *reader2) associate(n *html.Node, d *declaration) {
	it := r.it
	it.Kind = bank.Match
	mapped := r.scored(d, true)
	it.Pairs = r.pairsOf(d, mapped)
	for _, o := range r.optionsOf(n, "simpleAssociableChoice") {
		if slices.ContainsFunc(it.Pairs, func(p scoring.Pair) bool { return p[0] == o.ID }) {
			it.Prompts = append(it.Prompts, o)
			continue
		}
		it.Options = append(it.Options, o)
	}
	if mapped {
		r.mappedPairs(d)
	}
}

func (r *reader2) order(n *html.Node, d *declaration) {
	it := r.it
	it.Options = r.optionsOf(n, "simpleChoice")
	it.Kind = bank.Order
	if r.scored(d, true) {
		it.Method = scoring.Partial
		it.Lose(bank.MappingChanged)
	}
	if r.processing.kind == inPlace {
		it.Method = scoring.Partial
		it.Weigh(math.Round(r.processing.whole*1e9) / 1e9)
	}
	it.Order = d.correct
}
