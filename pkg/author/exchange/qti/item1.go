package qti

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// reader1 reads one item of QTI 1.2.
type reader1 struct {
	markup.Reader
	it     *bank.Item
	n      *html.Node
	fields map[string]string
	// responses are the responses to answer, in the order of the text.
	responses  []*html.Node
	conditions []condition
	// gapIDs gives the gap of a response, and of the name between brackets by which Canvas marks its place.
	gapIDs map[string]string
}

// condition is a respcondition that gives points.
type condition struct {
	right, wrong []answer1
	low, high    *float64
	points       float64
}

// answer1 is an answer to a response.
type answer1 struct {
	response, value string
	caseMatters     bool
}

// Metadata that name the type of a question, from Canvas and from Common Cartridges, with its treatment.
var types1 = map[string]func(r *reader1){
	"calculated_question":              func(r *reader1) { r.it.Lose(bank.Parameterised) },
	"file_upload_question":             func(r *reader1) { r.it.Lose(bank.UnsupportedInteraction, "a file to upload") },
	"hot_spot_question":                func(r *reader1) { r.it.Lose(bank.UnsupportedInteraction, "an area of a picture") },
	"text_only_question":               (*reader1).passage,
	"essay_question":                   func(r *reader1) { r.it.Kind = scoring.Essay },
	"cc.essay.v0p1":                    func(r *reader1) { r.it.Kind = scoring.Essay },
	"numerical_question":               (*reader1).numeric,
	"short_answer_question":            (*reader1).shortText,
	"cc.fib.v0p1":                      (*reader1).shortText,
	"cc.pattern_match.v0p1":            (*reader1).shortText,
	"matching_question":                (*reader1).matching,
	"categorization_question":          (*reader1).matching,
	"multiple_dropdowns_question":      (*reader1).dropdowns,
	"fill_in_multiple_blanks_question": (*reader1).blanks,
	"ordering_question":                (*reader1).ordering,
}

func (f *file) item1(n *html.Node) []*bank.Item {
	it := &bank.Item{ID: markup.Attr(n, "ident"), Name: strings.Join(strings.Fields(markup.Attr(n, "title")), " "), Locale: language(n)}
	r := &reader1{it: it, n: n, fields: map[string]string{}}
	r.Item, r.File, r.Element = it, f.pictures, r.gap
	for field := range markup.All(n, "qtimetadatafield") {
		r.fields[markup.Text(field, "fieldlabel")] = markup.Text(field, "fieldentry")
	}
	if points, err := strconv.ParseFloat(r.fields["points_possible"], 64); err == nil && points > 0 {
		it.Weigh(points)
	}
	if entry := r.fields["parent_stimulus_item_ident"]; entry != "" {
		it.Passage = entry
	}
	presentation := markup.Child(n, "presentation")
	for response := range markup.All(presentation, "response_lid", "response_str", "response_num", "response_xy", "response_grp") {
		r.responses = append(r.responses, response)
	}
	for c := range markup.All(n, "respcondition") {
		r.condition(c)
	}
	r.read()
	it.Stem = r.material(presentation)
	r.feedback()
	return []*bank.Item{it}
}

func (r *reader1) read() {
	it := r.it
	read, named := types1[r.fields["question_type"]]
	if !named {
		read, named = types1[r.fields["cc_profile"]]
	}
	switch {
	case markup.First(r.n, "render_hotspot", "response_xy", "render_slider", "render_object") != nil:
		it.Lose(bank.UnsupportedInteraction, "an area of a picture")
	case named:
		read(r)
	case len(r.responses) == 0:
		r.passage()
	case len(r.responses) > 1:
		r.several()
	case r.responses[0].Data == "response_lid":
		r.choice(r.responses[0])
	case r.responses[0].Data == "response_num" || r.isNumber(r.responses[0]):
		r.numeric()
	case r.responses[0].Data == "response_str" && r.keyed():
		r.shortText()
	case r.responses[0].Data == "response_str":
		it.Kind = scoring.Essay
	default:
		it.Lose(bank.UnsupportedInteraction, r.responses[0].Data)
	}
}

func (r *reader1) passage() {
	r.it.Kind = bank.Passage
	r.it.Weight = nil
	r.it.Lose(bank.DescriptionAsPassage)
}

func (r *reader1) isNumber(response *html.Node) bool {
	kind := markup.Attr(markup.Child(response, "render_fib"), "fibtype")
	return strings.EqualFold(kind, "Decimal") || strings.EqualFold(kind, "Integer") || strings.EqualFold(kind, "Scientific")
}

func (r *reader1) keyed() bool {
	return slices.ContainsFunc(r.conditions, func(c condition) bool { return len(c.right) > 0 })
}

// condition reads a respcondition; one that only shows feedback gives no points.
func (r *reader1) condition(n *html.Node) {
	set := markup.Child(n, "setvar")
	if set == nil {
		return
	}
	c := condition{points: decimalOf(markup.Text(set))}
	if markup.Attr(set, "action") == "Subtract" {
		c.points = -c.points
	}
	tests := markup.Child(n, "conditionvar")
	for test := range markup.All(tests, "varequal", "vargte", "varlte", "vargt", "varlt", "varsubstring", "varsubset", "varinside") {
		value := decimalOf(markup.Text(test))
		switch test.Data {
		case "varequal", "varsubset":
			a := answer1{markup.Attr(test, "respident"), strings.Join(strings.Fields(markup.Text(test)), " "), strings.EqualFold(markup.Attr(test, "case"), "yes")}
			if test.Parent.Data == "not" {
				c.wrong = append(c.wrong, a)
				continue
			}
			c.right = append(c.right, a)
		case "vargte":
			c.low = &value
		case "varlte":
			c.high = &value
		case "varsubstring":
			r.it.Lose(bank.Wildcard, "part of an answer was enough")
			c.right = append(c.right, answer1{markup.Attr(test, "respident"), strings.TrimSpace(markup.Text(test)), strings.EqualFold(markup.Attr(test, "case"), "yes")})
		default:
			r.it.Lose(bank.OwnProcessing)
		}
	}
	r.conditions = append(r.conditions, c)
}

// either gives the answers to a response that give points.
func (r *reader1) either(response string) []answer1 {
	var all []answer1
	for _, c := range r.conditions {
		if c.points <= 0 {
			continue
		}
		for _, a := range c.right {
			if a.response == response {
				all = append(all, a)
			}
		}
	}
	return all
}

// material reads the content of an element except the content of its responses; the text of
// Canvas is HTML within text.
func (r *reader1) material(n *html.Node) []content.Block {
	if n == nil {
		return nil
	}
	return r.Nodes(r.expand(n)...)
}

// expand gives the nodes of materials, with their HTML read, and with responses in their places.
func (r *reader1) expand(n *html.Node) []*html.Node {
	var nodes []*html.Node
	for c := range markup.Children(n, "") {
		switch c.Data {
		case "mattext", "matemtext":
			nodes = append(nodes, r.mattext(c)...)
		case "matimage":
			nodes = append(nodes, &html.Node{Type: html.ElementNode, Data: "img", Attr: []html.Attribute{{Key: "src", Val: markup.Attr(c, "uri")}, {Key: "alt", Val: markup.Attr(c, "label")}}})
		case "mataudio", "matvideo", "matapplet", "matapplication":
			r.it.Lose(bank.MediaDropped)
		case "matbreak":
			nodes = append(nodes, &html.Node{Type: html.ElementNode, Data: "br"})
		case "response_lid", "response_str", "response_num", "response_grp", "response_xy":
			if id, ok := r.gapIDs[markup.Attr(c, "ident")]; ok && !strings.HasPrefix(markup.Attr(c, "ident"), "response_") {
				nodes = append(nodes, gapNode(id))
			}
		case "flow", "flow_mat", "material", "solution", "solutionmaterial":
			nodes = append(nodes, r.expand(c)...)
		}
	}
	return nodes
}

func gapNode(id string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: "x-gap", Attr: []html.Attribute{{Key: "id", Val: id}}}
}

func (r *reader1) gap(n *html.Node) ([]content.Text, bool) {
	if n.Data != "x-gap" {
		return nil, false
	}
	return []content.Text{bank.GapOf(markup.Attr(n, "id"))}, true
}

var bracketed = regexp.MustCompile(`\[([^\[\]<>]+)\]`)

// mattext reads text, and HTML where it says so or looks so.
func (r *reader1) mattext(n *html.Node) []*html.Node {
	text := markup.RawText(n)
	isHTML := markup.Attr(n, "texttype") == "text/html" || strings.Contains(text, "</") || strings.Contains(text, "/>")
	if !isHTML {
		text = html.EscapeString(text)
	}
	text = bracketed.ReplaceAllStringFunc(text, func(s string) string {
		if id, ok := r.gapIDs["response_"+html.UnescapeString(s[1:len(s)-1])]; ok {
			return `<x-gap id="` + id + `"></x-gap>`
		}
		return s
	})
	nodes, err := markup.ParseHTML(text)
	if err != nil { // nested too deep
		r.it.Refuse(bank.Malformed, "the HTML is nested too deep")
		return nil
	}
	return nodes
}

// options reads the labels of a response.
func (r *reader1) options(response *html.Node) []bank.Option {
	var options []bank.Option
	for label := range markup.All(response, "response_label") {
		options = append(options, bank.Option{ID: markup.Attr(label, "ident"), Content: r.material(label)})
	}
	return options
}

// choice reads one or several options, or their order.
func (r *reader1) choice(response *html.Node) {
	it := r.it
	it.Options = r.options(response)
	switch strings.ToLower(markup.Attr(response, "rcardinality")) {
	case "ordered":
		r.ordered()
	case "multiple":
		r.multiple()
	default:
		it.Kind = scoring.MCQ
		it.Fractions(true, r.shares())
		it.Unscored = it.Correct() == 0
	}
}

// shares gives the points of each option in hundredths of the most.
func (r *reader1) shares() []float64 {
	it := r.it
	shares, most := make([]float64, len(it.Options)), 0.0
	for _, c := range r.conditions {
		if len(c.right) != 1 || len(c.wrong) > 0 {
			continue
		}
		for i, o := range it.Options {
			if o.ID == c.right[0].value {
				shares[i] = c.points
			}
		}
	}
	for _, s := range shares {
		most = max(most, s)
	}
	for i := range shares {
		if most > 0 {
			shares[i] *= 100 / most
		}
	}
	return shares
}

// multiple reads a set of options: one condition for all of it, or points for each.
func (r *reader1) multiple() {
	it := r.it
	it.Kind, it.Method = scoring.MRQ, scoring.AllOrNothing
	scoredSets := slices.DeleteFunc(slices.Clone(r.conditions), func(c condition) bool { return c.points <= 0 || len(c.right) == 0 })
	if len(scoredSets) == 1 {
		for i, o := range it.Options {
			it.Options[i].Correct = slices.ContainsFunc(scoredSets[0].right, func(a answer1) bool { return a.value == o.ID })
		}
		return
	}
	shares, all := r.shares(), 0.0
	for _, s := range shares {
		all += max(s, 0)
	}
	for i := range shares {
		if all > 0 {
			shares[i] *= 100 / all
		}
	}
	if len(scoredSets) > 0 {
		it.Fractions(false, shares)
		return
	}
	it.Method, it.Unscored = "", true
}

// feedback keeps the general one, which everybody sees, and the solution.
func (r *reader1) feedback() {
	for n := range markup.Children(r.n, "itemfeedback") {
		switch {
		case markup.First(n, "hint") != nil:
			r.it.Lose(bank.HintDropped)
		case markup.Attr(n, "ident") == "general_fb" || markup.First(n, "solution") != nil:
			r.it.Explanation = append(r.it.Explanation, r.material(n)...)
		case markup.Text(n) != "":
			r.it.Lose(bank.OptionFeedbackDropped)
		}
	}
}
