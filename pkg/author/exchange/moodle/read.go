package moodle

import (
	"encoding/base64"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// Words are the options of a statement to judge.
var Words = [2]string{"True", "False"}

// Types says how to read the questions of each type. Other types
// are reported as unsupported.
var Types = map[string]func(r *reader){
	"multichoice":    (*reader).multichoice,
	"multichoiceset": (*reader).multichoiceset,
	"truefalse":      (*reader).truefalse,
	"shortanswer":    (*reader).shortanswer,
	"numerical":      (*reader).numerical,
	"essay":          func(r *reader) { r.it.Kind = scoring.Essay },
	"description":    (*reader).description,
	"cloze":          (*reader).cloze,
	"multianswer":    (*reader).cloze,
	"gapselect":      (*reader).gapselect,
	"ddwtos":         (*reader).gapselect,
	"gapfill":        (*reader).gapfill,
	"matching":       (*reader).matching,
	"match":          (*reader).matching,
	"ddmatch":        (*reader).matching,
	"mtf":            (*reader).grid,
	"kprime":         (*reader).grid,
	"ordering":       (*reader).ordering,

	"calculated": parameterised, "calculatedsimple": parameterised, "calculatedmulti": parameterised, "stack": parameterised, "formulas": parameterised,
}

func parameterised(r *reader) { r.it.Lose(bank.Parameterised, r.kind) }

// reader reads one question; field is the one that is being read.
type reader struct {
	markup.Reader
	it    *bank.Item
	n     *html.Node
	kind  string
	field *html.Node
}

// Read reads the items of a file as a stream. An error of take ends it.
func Read(input io.Reader, take func(*bank.Item) error) error {
	var path []string
	v := markup.Visitor{
		Whole: func(n *html.Node) bool { return n.Data == "question" },
		Root:  isQuiz,
		Visit: func(n *html.Node, line int) error {
			if markup.Attr(n, "type") == "category" {
				path = bank.CategoryPath(markup.Text(n, "category"))
				return nil
			}
			it := item(n, line)
			it.Category = path
			it.Identify()
			return take(it)
		},
	}
	return v.Read(input)
}

func isQuiz(n *html.Node) error {
	if n.Data != "quiz" {
		return &bank.Problem{Code: bank.UnknownFormat, Message: "this is no Moodle XML: it begins with " + n.Data}
	}
	return nil
}

func item(n *html.Node, line int) *bank.Item {
	it := &bank.Item{Line: line, ID: markup.Text(n, "idnumber"), Name: strings.Join(strings.Fields(markup.Text(n, "name")), " ")}
	r := &reader{it: it, n: n, kind: markup.Attr(n, "type")}
	r.Item, r.File = it, r.file
	for tag := range markup.Children(markup.Child(n, "tags"), "tag") {
		it.Tags = append(it.Tags, markup.Text(tag))
	}
	if weight, err := strconv.ParseFloat(markup.Text(n, "defaultgrade"), 64); err == nil {
		it.Weigh(weight)
	}
	read, known := Types[r.kind]
	if !known {
		r.stem(r.text)
		it.Kind = scoring.QType(r.kind)
		it.Lose(bank.UnsupportedPlugin, r.kind)
		return it
	}
	it.Explanation = r.content(markup.Child(n, "generalfeedback"))
	read(r)
	if it.Stem == nil { // gaps read the stem in their own way
		r.stem(r.text)
	}
	r.dropped()
	r.own()
	if own := markup.Child(n, "exchange"); (it.Kind == bank.Order || r.kind == "matching" || r.kind == "ddmatch") && (own == nil || markup.Attr(own, "options") == "") {
		it.MixOptions()
	}
	return it
}

func (r *reader) text(s string) string { return s }

// stem reads the text of the question; gaps transforms it first.
func (r *reader) stem(gaps func(string) string) {
	field := markup.Child(r.n, "questiontext")
	r.it.Stem = r.fieldContent(field, gaps)
}

// content reads a field with text, format and files.
func (r *reader) content(field *html.Node) []content.Block { return r.fieldContent(field, r.text) }

func (r *reader) fieldContent(field *html.Node, change func(string) string) []content.Block {
	if field == nil {
		return nil
	}
	r.field = field
	text := markup.RawText(field, "text")
	if markup.Child(field, "text") == nil {
		text = markup.RawText(field)
	}
	return r.Text(formatOf(field), change(text))
}

func formatOf(field *html.Node) string {
	switch markup.Attr(field, "format") {
	case "html", "":
		return markup.FormatHTML
	case "markdown":
		return markup.FormatMarkdown
	case "plain_text":
		return markup.FormatPlain
	}
	return markup.FormatMoodle
}

// file finds a picture among the files of the field, or else of the whole question.
func (r *reader) file(address string) ([]byte, bool) {
	name := markup.NameOf(address)
	for _, place := range []*html.Node{r.field, r.n} {
		for f := range markup.All(place, "file") {
			if markup.Attr(f, "name") == name || strings.TrimPrefix(markup.Attr(f, "path"), "/")+markup.Attr(f, "name") == name {
				data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(markup.RawText(f)), ""))
				return data, err == nil
			}
		}
	}
	return nil, false
}

// dropped notes feedback and hints, which have no place.
func (r *reader) dropped() {
	for n := range markup.Children(r.n, "") {
		switch n.Data {
		case "answer", "row", "optiontext", "dragbox", "selectoption":
			if markup.Text(n, "feedback") != "" || markup.Text(n, "feedbacktext") != "" {
				r.it.Lose(bank.OptionFeedbackDropped)
			}
		case "correctfeedback", "partiallycorrectfeedback", "incorrectfeedback":
			if markup.Text(n, "text") != "" {
				r.it.Lose(bank.OptionFeedbackDropped)
			}
		case "hint", "graderinfo":
			if markup.Text(n, "text") != "" {
				r.it.Lose(bank.HintDropped)
			}
		}
	}
}

// own takes the element that our writer adds.
func (r *reader) own() {
	n := markup.Child(r.n, "exchange")
	if n == nil {
		return
	}
	it := r.it
	it.Locale = markup.Attr(n, "lang")
	if method := markup.Attr(n, "scoring"); method != "" {
		it.Method = method
		it.Keep(bank.Presentation, bank.Feedback) // the shares are only near it
	}
	if markup.Attr(n, "survey") == "yes" {
		it.Unscored = true
		it.Keep(bank.Presentation, bank.Feedback)
	}
	it.MinSelections, _ = strconv.Atoi(markup.Attr(n, "min"))
	it.MaxSelections, _ = strconv.Atoi(markup.Attr(n, "max"))
	if ids := markup.Attr(n, "options"); ids != "" {
		it.Rename(ids)
	}
	if layout := markup.Attr(n, "layout"); layout != "" {
		it.Layout = layout
	}
	if markup.Attr(n, "name") == "none" {
		it.Name = ""
	}
}

// answers gives the texts and shares of the answers.
func (r *reader) answers() (nodes []*html.Node, texts []string, shares []float64) {
	for n := range markup.Children(r.n, "answer") {
		text := markup.RawText(n, "text")
		if markup.Child(n, "text") == nil {
			text = markup.RawText(n)
		}
		nodes, texts, shares = append(nodes, n), append(texts, strings.TrimSpace(text)), append(shares, number(markup.Attr(n, "fraction")))
	}
	return nodes, texts, shares
}

func number(s string) float64 {
	x, _ := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), ",", "."), 64)
	return x
}

func (r *reader) options() []float64 {
	nodes, _, shares := r.answers()
	contents := make([][]content.Block, len(nodes))
	for i, n := range nodes {
		contents[i] = r.content(n)
	}
	r.it.Options = bank.Lettered(contents...)
	return shares
}

func yes(s string) bool { return s == "1" || strings.EqualFold(s, "true") }

func (r *reader) multichoice() {
	single := markup.Text(r.n, "single")
	shares := r.options()
	r.it.Fractions(single == "" || yes(single), shares)
}

// multichoiceset is the plugin whose questions give all points or none.
func (r *reader) multichoiceset() {
	shares := r.options()
	r.it.Kind, r.it.Method = scoring.MRQ, scoring.AllOrNothing
	for i, s := range shares {
		r.it.Options[i].Correct = s > 0
	}
}

func (r *reader) truefalse() {
	_, texts, shares := r.answers()
	for i, t := range texts {
		if shares[i] > 0 {
			r.it.TrueFalse(strings.EqualFold(t, "true"), Words)
			return
		}
	}
	r.it.Refuse(bank.Incomplete, "neither true nor false is right")
}

func (r *reader) shortanswer() {
	_, texts, shares := r.answers()
	r.it.Accept(r.it.Patterns(texts, shares), shares)
	if yes(markup.Text(r.n, "usecase")) {
		r.it.Lose(bank.CaseIgnored)
	}
}

func (r *reader) numerical() {
	it := r.it
	it.Kind = scoring.Numeric
	nodes, texts, shares := r.answers()
	for i, t := range texts {
		value, err := strconv.ParseFloat(strings.ReplaceAll(t, ",", "."), 64)
		switch {
		case shares[i] <= 0:
		case err != nil:
			it.Refuse(bank.Malformed, "the right answer is no number")
		case shares[i] < 100:
			it.Lose(bank.PartialAnswer)
		case it.Value != nil:
			it.Lose(bank.SeveralValues)
		default:
			it.Number(value, number(markup.RawText(nodes[i], "tolerance")))
		}
	}
	if markup.Text(r.n, "unitgradingtype") == "1" || markup.First(r.n, "unit") != nil {
		it.Lose(bank.Units)
	}
}

func (r *reader) description() {
	r.it.Kind = bank.Passage
	r.it.Weight = nil
	r.it.Lose(bank.DescriptionAsPassage)
}

func (r *reader) matching() {
	var prompts, options [][]content.Block
	for n := range markup.Children(r.n, "subquestion") {
		answer := markup.Child(n, "answer")
		prompts = append(prompts, r.content(n))
		if r.kind == "ddmatch" {
			options = append(options, r.content(answer))
			continue
		}
		options = append(options, r.Text(markup.FormatPlain, html.UnescapeString(markup.Text(answer))))
	}
	r.it.Method = scoring.Partial
	r.it.MatchPairs(prompts, options)
}

// grid reads rows with one right column each.
func (r *reader) grid() {
	it := r.it
	it.Kind, it.Layout, it.Method = bank.Match, "grid", scoring.AllOrNothing
	for row := range markup.Children(r.n, "row") {
		it.Prompts = append(it.Prompts, bank.Option{ID: "p" + markup.Attr(row, "number"), Content: r.content(markup.Child(row, "optiontext"))})
	}
	columns := map[string]string{}
	for column := range markup.Children(r.n, "column") {
		id := bank.Letter(len(it.Options))
		columns[markup.Attr(column, "number")] = id
		it.Options = append(it.Options, bank.Option{ID: id, Content: r.content(markup.Child(column, "responsetext"))})
	}
	for weight := range markup.Children(r.n, "weight") {
		if number(markup.Text(weight, "value")) > 0 {
			it.Pairs = append(it.Pairs, scoring.Pair{"p" + markup.Attr(weight, "rownumber"), columns[markup.Attr(weight, "columnnumber")]})
		}
	}
	switch method := markup.Text(r.n, "scoringmethod"); method {
	case "subpoints":
		it.Method = scoring.Partial
	case "kprime":
		it.Lose(bank.MappingChanged, "half the points for all but one right row")
	case "subpointdeduction":
		it.Method = scoring.Partial
		it.Lose(bank.NegativeFraction)
	}
}

// ordering has its answers in their right order.
func (r *reader) ordering() {
	it := r.it
	r.options()
	it.Kind, it.Method = bank.Order, scoring.AllOrNothing
	for _, o := range it.Options {
		it.Order = append(it.Order, o.ID)
	}
	switch grading := markup.Text(r.n, "gradingtype"); grading {
	case "-1", "":
	case "0":
		it.Method = scoring.Partial
	default:
		it.Method = scoring.Partial
		it.Lose(bank.MappingChanged, "points for the place next to others")
	}
	if count := number(markup.Text(r.n, "selectcount")); count > 0 && int(count) < len(it.Options) && markup.Text(r.n, "selecttype") != "0" {
		it.Lose(bank.MappingChanged, "some of the options were shown")
	}
}
