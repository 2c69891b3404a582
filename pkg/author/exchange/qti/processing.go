package qti

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/scoring"
)

// processing is the item's rule for turning answers into points.
type processing struct {
	kind string
	// points are the points of the right answer, or of each part by the id of its response; tests are the comparisons.
	points map[string]float64
	tests  map[string]*html.Node
	whole  float64
	root   *html.Node
}

// The kinds of processing. matchCorrect gives all points for the key, sumOfParts points for each response that meets its key,
// mapResponse the points of the mapping, inPlace points for each option at its place; byKey says that nothing is said.
const (
	byKey         = "by key"
	matchCorrect  = "match correct"
	sumOfParts    = "sum of parts"
	atOnce        = "at once"
	inPlace       = "in place"
	mapResponse   = "map response"
	comparison    = "comparison"
	ownProcessing = "own"
)

// Templates are the standard templates, by the last part of their addresses.
var Templates = map[string]string{"match_correct": matchCorrect, "map_response": mapResponse, "map_response_point": ownProcessing}

// processingOf recognises the template, or one of four shapes.
func processingOf(item *html.Node) processing {
	root := markup.Child(item, "responseProcessing")
	p := processing{kind: byKey, points: map[string]float64{}, tests: map[string]*html.Node{}, root: root}
	if root == nil {
		return p
	}
	if template := attr(root, "template"); template != "" {
		name := strings.TrimSuffix(path.Base(template), path.Ext(template))
		p.kind = ownProcessing
		for known, kind := range Templates {
			if name == known {
				p.kind = kind
			}
		}
		return p
	}
	p.recognise()
	return p
}

// recognise reads the conditions that set a score. Conditions that set only feedback are skipped.
func (p *processing) recognise() {
	kinds := map[string]bool{}
	for n := range markup.Children(p.root, "") {
		if !setsScore(n) {
			continue
		}
		kinds[p.rule(n)] = true
	}
	delete(kinds, "")
	delete(p.points, "")
	switch {
	case len(kinds) == 0:
		p.kind = byKey
	case kinds[ownProcessing]:
		p.kind = ownProcessing
	case len(p.points) > 1 && !kinds[atOnce]:
		p.kind = sumOfParts
	case len(kinds) > 1:
		p.kind = ownProcessing
	default:
		for kind := range kinds {
			p.kind = kind
		}
	}
	if p.kind == atOnce {
		p.kind = matchCorrect
	}
}

// isScore says whether an outcome has points.
func isScore(id string) bool {
	return strings.Contains(strings.ToUpper(id), "SCORE") && !strings.Contains(strings.ToUpper(id), "MAX")
}

func setsScore(n *html.Node) bool {
	if n.Data == "setOutcomeValue" {
		return isScore(attr(n, "identifier"))
	}
	for set := range markup.All(n, "setOutcomeValue") {
		if isScore(attr(set, "identifier")) {
			return true
		}
	}
	return false
}

// rule gives the kind of one condition or statement; empty for one that only adds up.
func (p *processing) rule(n *html.Node) string {
	if n.Data == "setOutcomeValue" {
		return p.statement(n)
	}
	test := markup.Child(n, "responseIf")
	if n.Data != "responseCondition" || test == nil {
		return ownProcessing
	}
	for branch := range markup.Children(n, "responseElseIf") {
		if setsScore(branch) {
			return ownProcessing
		}
	}
	if other := markup.Child(n, "responseElse"); other != nil && markup.First(test, "isNull") != nil && markup.First(test, "match") == nil {
		return p.branch(other) // without an answer there are no points
	}
	if other := markup.Child(n, "responseElse"); other != nil && points(other) != 0 {
		return ownProcessing
	}
	return p.branch(test)
}

// statement reads a statement that sets a score in any case.
func (p *processing) statement(n *html.Node) string {
	for name := range elements(n) {
		if !slices.Contains([]string{"sum", "variable", "mapResponse", "baseValue", "isNull"}, name) {
			return ownProcessing
		}
	}
	for m := range markup.All(n, "mapResponse") {
		p.points[attr(m, "identifier")] = 0
	}
	if markup.First(n, "mapResponse") != nil {
		return mapResponse
	}
	return ""
}

func elements(n *html.Node) map[string]bool {
	all := map[string]bool{}
	for c := range n.Descendants() {
		if c.Type == html.ElementNode {
			all[c.Data] = true
		}
	}
	return all
}

// branch reads a test with its consequences.
func (p *processing) branch(n *html.Node) string {
	names := elements(n)
	only := func(allowed ...string) bool {
		for name := range names {
			if !slices.Contains(append(allowed, "setOutcomeValue", "baseValue", "variable", "sum", "isNull", "not"), name) {
				return false
			}
		}
		return true
	}
	switch {
	case names["index"] && only("index", "match", "correct"):
		p.whole += points(n)
		return inPlace
	case only("match", "correct", "equal", "gte", "mapResponse", "and") && p.parts(n):
		if len(p.points) > 1 && names["and"] {
			return atOnce
		}
		if names["match"] {
			return matchCorrect
		}
		return comparison
	case names["mapResponse"] && only("mapResponse"):
		return p.statement(markup.First(n, "setOutcomeValue"))
	case (names["equal"] || names["equalRounded"] || names["gte"] || names["lte"] || names["stringMatch"]) &&
		only("equal", "equalRounded", "gte", "lte", "gt", "lt", "and", "stringMatch", "correct", "or"):
		p.whole = points(n)
		return comparison
	}
	return ownProcessing
}

// parts takes the tests of a branch, all of which must hold: a response is its key, a number is near one, or the points of a
// mapping are the full points. It gives false if there is another test.
func (p *processing) parts(n *html.Node) bool {
	worth, found := points(n), map[string]*html.Node{}
	for test := range markup.All(n, "match", "equal", "gte") {
		id := attr(markup.Child(test, "variable"), "identifier")
		switch {
		case test.Parent.Data == "not":
			return false
		case test.Data == "match" && (markup.Child(test, "correct") == nil || attr(markup.Child(test, "correct"), "identifier") != id):
			return false
		case test.Data == "gte" && markup.Child(test, "mapResponse") == nil:
			return false
		case test.Data == "gte":
			id = attr(markup.Child(test, "mapResponse"), "identifier")
		}
		found[id] = test
	}
	for id, test := range found {
		p.points[id], p.tests[id] = worth, test
	}
	p.whole += worth
	return len(found) > 0
}

// points gives the points that a branch sets or adds.
func points(n *html.Node) float64 {
	for set := range markup.All(n, "setOutcomeValue") {
		if isScore(attr(set, "identifier")) {
			if value := markup.First(set, "baseValue"); value != nil {
				return decimalOf(markup.Text(value))
			}
		}
	}
	return 0
}

// scored applies the processing to an item with one response: the method, the weight, and the losses. It says
// whether the mapping counts.
func (r *reader2) scored(d *declaration, partial bool) (mapped bool) {
	it, p := r.it, r.processing
	switch {
	case len(d.correct) == 0 && d.mapped == nil:
		it.Unscored = true
		return false
	case p.kind == mapResponse && d.mapped != nil:
		return true
	case p.kind == byKey && d.mapped != nil && len(d.correct) == 0:
		return true
	case p.kind == byKey && it.Passage == "":
		it.Lose(bank.ScoredByKey)
	case p.kind == ownProcessing, p.kind == mapResponse, p.kind == comparison && partial:
		if it.Passage == "" {
			it.Lose(bank.OwnProcessing)
		}
	case p.kind == sumOfParts && p.points[d.id] > 0:
		it.Weigh(p.points[d.id])
	case p.whole > 0 && it.Passage == "":
		it.Weigh(p.whole)
	}
	it.Method = ""
	if partial {
		it.Method = scoring.AllOrNothing
	}
	return false
}
