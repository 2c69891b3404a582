package qti

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// declaration is a responseDeclaration: the key of an interaction.
type declaration struct {
	id, cardinality, base string
	correct               []string
	// mapped is nil without a mapping; other is the points for an answer outside of it.
	mapped       map[string]float64
	order        []string
	other        float64
	lower, upper *float64
	caseMatters  bool
}

// item2 gives the items of an assessmentItem: one, or a passage and a question for each interaction.
func (f *file) item2(n *html.Node) []*bank.Item {
	it := &bank.Item{ID: unspell(attr(n, "identifier")), Name: strings.Join(strings.Fields(attr(n, "title")), " "), Locale: language(n)}
	r := &reader2{f: f, n: n, it: it, declared: map[string]*declaration{}}
	r.Item, r.File, r.Element = it, f.pictures, r.inline
	for d := range markup.Children(n, "responseDeclaration") {
		one := declarationOf(d)
		r.declared[one.id] = one
	}
	if attr(n, "adaptive") == "true" {
		it.Lose(bank.Adaptive)
	}
	if markup.First(n, "templateDeclaration", "templateProcessing", "printedVariable") != nil {
		it.Lose(bank.Parameterised)
	}
	body := markup.Child(n, "itemBody")
	if body == nil {
		it.Refuse(bank.Incomplete, "the item has no body")
		return []*bank.Item{it}
	}
	if it.Has(bank.Unsupported) {
		it.Stem = r.Below(body)
		return []*bank.Item{it}
	}
	r.explanation()
	all := interactionsOf(body)
	r.processing = processingOf(n)
	if len(all) > 1 && !r.gapped(all) {
		return r.composite(body, all)
	}
	r.read(body, all)
	return []*bank.Item{it}
}

func language(n *html.Node) string { return markup.Attr(n, "lang") }

func declarationOf(n *html.Node) *declaration {
	d := &declaration{id: attr(n, "identifier"), cardinality: attr(n, "cardinality"), base: attr(n, "baseType")}
	for v := range markup.Children(markup.Child(n, "correctResponse"), "value") {
		d.correct = append(d.correct, unspell(strings.Join(strings.Fields(markup.Text(v)), " ")))
	}
	mapping := markup.Child(n, "mapping")
	if mapping == nil {
		return d
	}
	d.mapped, d.other = map[string]float64{}, decimalOf(attr(mapping, "defaultValue"))
	d.lower, d.upper = bound(attr(mapping, "lowerBound")), bound(attr(mapping, "upperBound"))
	for e := range markup.Children(mapping, "mapEntry") {
		key := unspell(strings.Join(strings.Fields(attr(e, "mapKey")), " "))
		d.mapped[key] = decimalOf(attr(e, "mappedValue"))
		d.order = append(d.order, key)
		d.caseMatters = d.caseMatters || attr(e, "caseSensitive") != "false"
	}
	return d
}

func decimalOf(s string) float64 {
	x, _ := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return x
}

func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	x := decimalOf(s)
	return &x
}

// reader2 reads one item.
type reader2 struct {
	markup.Reader
	f          *file
	n          *html.Node
	it         *bank.Item
	declared   map[string]*declaration
	processing processing
	// gapIDs gives the gap of an identifier of a gapMatch.
	gapIDs map[string]string
}

// interactionsOf gives the interactions in the order of the text.
func interactionsOf(body *html.Node) []*html.Node {
	var all []*html.Node
	for n := range body.Descendants() {
		if n.Type == html.ElementNode && strings.HasSuffix(n.Data, "Interaction") && n.Data != "endAttemptInteraction" {
			all = append(all, n)
		}
	}
	return all
}

// gapped says that all interactions are fields within the text.
func (r *reader2) gapped(all []*html.Node) bool {
	for _, n := range all {
		if n.Data != "textEntryInteraction" && n.Data != "inlineChoiceInteraction" {
			return false
		}
	}
	return true
}

// Interactions says how to read an item with one interaction of a kind. Other kinds are reported as unsupported.
var Interactions = map[string]func(r *reader2, n *html.Node, d *declaration){
	"choiceInteraction":       (*reader2).choice,
	"textEntryInteraction":    (*reader2).textEntry,
	"extendedTextInteraction": (*reader2).essay,
	"inlineChoiceInteraction": func(r *reader2, n *html.Node, d *declaration) { r.fields([]*html.Node{n}) },
	"gapMatchInteraction":     (*reader2).gapMatch,
	"matchInteraction":        (*reader2).match,
	"associateInteraction":    (*reader2).associate,
	"orderInteraction":        (*reader2).order,
	"hotspotInteraction":      (*reader2).hotspot,
	"hottextInteraction":      (*reader2).hottext,
	"sliderInteraction":       (*reader2).slider,
}

// essay is scored by people; its points are the most that the score can reach.
func (r *reader2) essay(*html.Node, *declaration) {
	r.it.Kind = scoring.Essay
	for n := range markup.Children(r.n, "outcomeDeclaration") {
		if most := decimalOf(attr(n, "normalMaximum")); isScore(attr(n, "identifier")) && most > 0 && r.it.Passage == "" {
			r.it.Weigh(most)
		}
	}
}

// read reads the item of a body with its interactions: none, one, or fields in the text.
func (r *reader2) read(body *html.Node, all []*html.Node) {
	it := r.it
	switch {
	case len(all) == 0:
		it.Kind = bank.Passage
		it.Lose(bank.DescriptionAsPassage)
	case len(all) > 1:
		r.fields(all)
	default:
		n := all[0]
		read, known := Interactions[n.Data]
		if !known {
			it.Lose(bank.UnsupportedInteraction, n.Data)
			break
		}
		d := r.declared[attr(n, "responseIdentifier")]
		if d == nil {
			d = &declaration{}
		}
		read(r, n, d)
	}
	it.Stem = r.Below(body)
	if len(all) == 1 && all[0].Data == "hotspotInteraction" && !bank.HasImage(it.Stem) {
		it.Refuse(bank.NotThere, "the picture of the areas is not in the file")
	}
}

// composite makes a passage of the text around the interactions, and a question of each interaction.
func (r *reader2) composite(body *html.Node, all []*html.Node) []*bank.Item {
	whole := r.it
	whole.Kind = bank.Passage
	whole.Lose(bank.CompositeSplit)
	if r.processing.kind == ownProcessing {
		whole.Lose(bank.OwnProcessing)
	}
	items := []*bank.Item{whole}
	explanation := whole.Explanation
	whole.Explanation = nil
	for i, n := range all {
		it := &bank.Item{ID: whole.ID + "-" + strconv.Itoa(i+1), Name: whole.Name, Locale: whole.Locale, Passage: whole.ID, Explanation: explanation}
		one := &reader2{f: r.f, n: r.n, it: it, declared: r.declared, processing: r.processing}
		one.Item, one.File, one.Element = it, r.File, one.inline
		part := &html.Node{Type: html.ElementNode, Data: "itemBody"}
		hole := &html.Node{Type: html.ElementNode, Data: "passageHole"}
		n.Parent.InsertBefore(hole, n)
		n.Parent.RemoveChild(n)
		part.AppendChild(n)
		one.read(part, []*html.Node{n})
		if len(it.Stem) == 0 {
			it.Stem = bank.Paragraph(strconv.Itoa(i + 1))
		}
		items = append(items, it)
	}
	whole.Stem = r.Below(body)
	share(items)
	return items
}

// share gives everything that keeps one part out, or changes the scoring of the whole, to all parts.
func share(items []*bank.Item) {
	for _, from := range items {
		for _, n := range from.Notices {
			for _, to := range items {
				if n.Class == bank.Unsupported || n.Code == bank.OwnProcessing && from == items[0] {
					to.Lose(n.Code)
				}
			}
		}
	}
}

// inline is called for each element of a text.
func (r *reader2) inline(n *html.Node) ([]content.Text, bool) {
	switch n.Data {
	case "textEntryInteraction", "inlineChoiceInteraction":
		if id, ok := r.gapIDs[attr(n, "responseIdentifier")]; ok {
			return []content.Text{bank.GapOf(id)}, true
		}
		if alone(n) {
			return nil, true
		}
		return []content.Text{{Text: "_____"}}, true
	case "gap":
		if id, ok := r.gapIDs[attr(n, "identifier")]; ok {
			return []content.Text{bank.GapOf(id)}, true
		}
		return nil, true
	case "feedbackInline", "feedbackBlock", "modalFeedback":
		r.it.Lose(bank.OptionFeedbackDropped)
		return nil, true
	case "rubricBlock":
		if view := attr(n, "view"); view != "" && !strings.Contains(view, "candidate") {
			r.it.Lose(bank.HintDropped)
			return nil, true
		}
	case "infoControl", "endAttemptInteraction":
		r.it.Lose(bank.HintDropped)
		return nil, true
	case "templateBlock", "templateInline", "responseDeclaration", "catalogInfo", "companionMaterialsInfo":
		return nil, true
	case "simpleChoice", "gapText", "gapImg", "simpleMatchSet", "simpleAssociableChoice", "hotspotChoice", "inlineChoice", "associableHotspot":
		return nil, true
	case "positionObjectStage":
		return nil, true
	}
	return nil, false
}

// alone says that a field has no text next to it, so that it is not part of the text.
func alone(n *html.Node) bool { return strings.Trim(markup.RawText(n.Parent), " \t\r\n\u00a0") == "" }

// explanation takes the modal feedback that everybody sees: the feedback for a value that its outcome has from the start.
func (r *reader2) explanation() {
	for n := range markup.Children(r.n, "modalFeedback") {
		if !r.seenByAll(n) {
			r.it.Lose(bank.OptionFeedbackDropped)
			continue
		}
		r.it.Explanation = append(r.it.Explanation, r.Below(n)...)
	}
}

func (r *reader2) seenByAll(feedback *html.Node) bool {
	if attr(feedback, "showHide") == "hide" {
		return false
	}
	outcome := attr(feedback, "outcomeIdentifier")
	for n := range markup.All(r.n, "setOutcomeValue") {
		if attr(n, "identifier") == outcome {
			return false
		}
	}
	for n := range markup.Children(r.n, "outcomeDeclaration") {
		if attr(n, "identifier") == outcome && markup.Text(n, "defaultValue", "value") == attr(feedback, "identifier") {
			return true
		}
	}
	return false
}
