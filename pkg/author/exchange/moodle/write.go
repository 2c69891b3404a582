package moodle

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// Writer writes a file.
type Writer struct {
	out      io.Writer
	begun    bool
	category []string
}

// NewWriter writes to out, which stays open.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	_, err := io.WriteString(w.out, xml.Header+"<quiz>\n")
	return err
}

// Close ends the file.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	_, err := io.WriteString(w.out, "</quiz>\n")
	return err
}

// Add writes an item, and notes in it what Moodle cannot say; an item that has no form there is left out.
func (w *Writer) Add(it *bank.Item) error {
	if err := w.begin(); err != nil {
		return err
	}
	q := &entry{it: it, own: map[string]string{}}
	body := q.body()
	if !it.Usable() {
		return nil
	}
	category := ""
	if !slices.Equal(w.category, it.Category) {
		w.category = it.Category
		category = `<question type="category"><category><text>` + escape(bank.CategoryText(it.Category)) + "</text></category></question>\n"
	}
	_, err := io.WriteString(w.out, category+body)
	return err
}

// entry writes one question; own has what Moodle cannot say.
type entry struct {
	strings.Builder
	it  *bank.Item
	own map[string]string
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (q *entry) body() string {
	it := q.it
	kind := q.kind()
	if kind == "" {
		it.Lose(bank.UnsupportedInteraction, "Moodle has no such "+string(it.Kind))
		return ""
	}
	q.WriteString(`<question type="` + kind + `">` + "\n<name><text>" + escape(q.name()) + "</text></name>\n")
	q.field("questiontext", it.Stem, q.html(it.Stem))
	q.field("generalfeedback", it.Explanation, q.html(it.Explanation))
	weight := 1.0
	if it.Weight != nil {
		weight = *it.Weight
	}
	q.WriteString("<defaultgrade>" + decimal(weight) + "</defaultgrade>\n<penalty>0</penalty>\n<hidden>0</hidden>\n<idnumber>" + escape(it.ID) + "</idnumber>\n")
	q.key(kind)
	if len(it.Tags) > 0 {
		q.WriteString("<tags>")
		for _, tag := range it.Tags {
			q.WriteString("<tag><text>" + escape(tag) + "</text></tag>")
		}
		q.WriteString("</tags>\n")
	}
	q.said()
	q.WriteString("</question>\n")
	return q.String()
}

// name is needed by Moodle.
func (q *entry) name() string {
	if q.it.Name != "" {
		return q.it.Name
	}
	q.own["name"] = "none"
	const shown = 60
	plain := []rune(strings.Join(strings.Fields(bank.Plain(q.it.Stem)), " "))
	return string(plain[:min(len(plain), shown)])
}

// kind gives the type of Moodle; empty where there is none.
func (q *entry) kind() string {
	it := q.it
	switch {
	case slices.ContainsFunc(it.Options, func(o bank.Option) bool { return o.Area != nil }):
		return ""
	case it.Kind == bank.Passage:
		return "description"
	case it.Kind == scoring.Essay:
		return "essay"
	case it.JudgesTruth(Words):
		return "truefalse"
	case it.Kind.Type().Chooses():
		return "multichoice"
	case it.Kind == scoring.ShortText && len(it.Accepted) > 0:
		return "shortanswer"
	case it.Kind == scoring.Numeric && it.Value != nil:
		return "numerical"
	case it.Kind == bank.Match && q.onePair():
		return "matching"
	case it.Kind == bank.Order:
		return "ordering"
	case it.Kind == bank.Gap && it.Pooled():
		return "ddwtos"
	case it.Kind == bank.Gap && len(it.Pool) == 0:
		return "cloze"
	}
	return ""
}

// onePair says that each prompt has one option (Moodle knows no other) and that options are text.
func (q *entry) onePair() bool {
	it := q.it
	seen := map[string]bool{}
	for _, p := range it.Pairs {
		seen[p[0]] = true
	}
	images := slices.ContainsFunc(it.Options, func(o bank.Option) bool {
		return slices.ContainsFunc(o.Content, func(b content.Block) bool { return b.Type == content.Image })
	})
	return len(seen) == len(it.Prompts) && len(it.Pairs) == len(it.Prompts) && it.MaxPerOption == 0 && it.MaxPerPrompt <= 1 && !images
}

func (q *entry) html(blocks []content.Block) string {
	w := markup.Writer{Source: func(name string) string { return "@@PLUGINFILE@@/" + name }, Gap: q.gap}
	return w.Blocks(blocks)
}

// field writes a text with its pictures.
func (q *entry) field(name string, blocks []content.Block, text string) {
	q.WriteString("<" + name + ` format="html"><text>` + escape(text) + "</text>")
	q.files(blocks)
	q.WriteString("</" + name + ">\n")
}

func (q *entry) files(blocks []content.Block) {
	for _, b := range blocks {
		if b.Type != content.Image {
			continue
		}
		for _, f := range q.it.Files {
			if f.Name == b.AssetID {
				q.WriteString(`<file name="` + escape(f.Name) + `" path="/" encoding="base64">` + base64.StdEncoding.EncodeToString(f.Data) + "</file>")
			}
		}
	}
}

// gap writes the text for a gap in a stem.
func (q *entry) gap(id string) string {
	i := slices.IndexFunc(q.it.Gaps, func(g bank.GapKey) bool { return g.ID == id })
	if i < 0 {
		return content.GapText
	}
	g := q.it.Gaps[i]
	if g.Kind == bank.GapPool {
		at := slices.IndexFunc(q.it.Pool, func(o bank.Option) bool { return len(g.Right) > 0 && o.ID == g.Right[0] })
		if len(g.Right) != 1 {
			q.it.Lose(bank.MappingChanged, "a gap takes one of several words")
		}
		return "[[" + strconv.Itoa(at+1) + "]]"
	}
	weight := 1
	if g.Weight != nil {
		weight = int(*g.Weight)
		if float64(weight) != *g.Weight || weight < 1 {
			q.it.Lose(bank.UnequalWeights)
			weight = 1
		}
	}
	return q.cloze(g, weight)
}

// clozeText is text in a field of a cloze; numeric references of characters would begin feedback.
var clozeText = strings.NewReplacer(`\`, `\\`, "~", `\~`, "#", `\#`, "}", `\}`, "=", `\=`, "&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (q *entry) cloze(g bank.GapKey, weight int) string {
	var answers []string
	kind := "SHORTANSWER"
	switch g.Kind {
	case bank.GapNumber:
		kind = "NUMERICAL"
		answers = append(answers, "="+decimal(*g.Value)+":"+decimal(g.Tolerance))
	case bank.GapChoice:
		kind = "MULTICHOICE"
		for _, o := range g.Options {
			sign := ""
			if slices.Contains(g.Right, o.ID) {
				sign = "="
			}
			answers = append(answers, sign+clozeText.Replace(q.plain(o.Content)))
		}
	default:
		for _, a := range g.Accepted {
			answers = append(answers, "="+clozeText.Replace(strings.ReplaceAll(a, "*", `\*`)))
		}
	}
	return fmt.Sprintf("{%d:%s:%s}", weight, kind, strings.Join(answers, "~"))
}

// plain gives content as text, and notes if it is more.
func (q *entry) plain(blocks []content.Block) string {
	text := bank.Plain(blocks)
	if len(blocks) != 1 || blocks[0].Type != content.Paragraph || len(blocks[0].Children) != 1 || len(blocks[0].Children[0].Marks) > 0 {
		q.it.Lose(bank.StyleDropped)
	}
	return text
}

func (q *entry) answer(fraction float64, blocks []content.Block) {
	q.WriteString(`<answer fraction="` + strconv.FormatFloat(fraction, 'f', -1, 64) + `" format="html"><text>` + escape(q.html(blocks)) + "</text>")
	q.files(blocks)
	q.WriteString("</answer>\n")
}

func (q *entry) plainAnswer(text string, more string) {
	q.WriteString(`<answer fraction="100" format="plain_text"><text>` + escape(text) + "</text>" + more + "</answer>\n")
}

func (q *entry) key(kind string) {
	it := q.it
	switch kind {
	case "truefalse":
		for i, word := range []string{"true", "false"} {
			fraction := 0
			if it.Options[i].Correct {
				fraction = 100
			}
			q.WriteString(`<answer fraction="` + strconv.Itoa(fraction) + `"><text>` + word + "</text></answer>\n")
		}
	case "multichoice":
		q.multichoice()
	case "shortanswer":
		q.WriteString("<usecase>0</usecase>\n")
		for _, a := range it.Accepted {
			q.plainAnswer(strings.ReplaceAll(a, "*", `\*`), "")
		}
	case "numerical":
		q.plainAnswer(decimal(*it.Value), "<tolerance>"+decimal(it.Tolerance)+"</tolerance>")
	case "matching":
		q.matching()
	case "ordering":
		q.ordering()
	case "ddwtos":
		q.pool()
	}
	if kind == "cloze" || kind == "ddwtos" || kind == "matching" {
		q.method(scoring.Partial)
	}
}

// method notes a way of scoring that Moodle does not have.
func (q *entry) method(moodle string) {
	it := q.it
	if it.Method == moodle || it.Method == "" && moodle == scoring.Partial {
		return
	}
	q.own["scoring"] = it.Method
	if it.Method == "" {
		q.own["scoring"] = scoring.AllOrNothing
	}
	it.Lose(bank.MappingChanged, "Moodle gives part of the points")
}

func (q *entry) multichoice() {
	it := q.it
	single := it.Kind == scoring.MCQ
	q.WriteString("<single>" + strconv.FormatBool(single) + "</single>\n<shuffleanswers>true</shuffleanswers>\n<answernumbering>abc</answernumbering>\n")
	for i, share := range it.Shares() {
		q.answer(share, it.Options[i].Content)
	}
	if !single && it.Method != scoring.Partial {
		q.method("")
	}
	q.ids(it.Options)
}

func (q *entry) ids(options []bank.Option) {
	if ids := bank.IDs(options, q.it.Options); ids != "" {
		q.own["options"] = ids
	}
}

func (q *entry) matching() {
	it := q.it
	q.WriteString("<shuffleanswers>true</shuffleanswers>\n")
	used := map[string]bool{}
	var written []bank.Option
	row := func(prompt []content.Block, option string) {
		at := slices.IndexFunc(it.Options, func(o bank.Option) bool { return o.ID == option })
		q.WriteString(`<subquestion format="html"><text>` + escape(q.html(prompt)) + "</text>")
		q.files(prompt)
		q.WriteString("<answer><text>" + escape(q.plain(it.Options[at].Content)) + "</text></answer></subquestion>\n")
		if !used[option] {
			written = append(written, bank.Option{ID: option})
		}
		used[option] = true
	}
	for _, p := range it.Prompts {
		at := slices.IndexFunc(it.Pairs, func(pair scoring.Pair) bool { return pair[0] == p.ID })
		row(p.Content, it.Pairs[at][1])
	}
	for _, o := range it.Options {
		if !used[o.ID] {
			row(nil, o.ID)
		}
	}
	if it.Layout != "" {
		q.own["layout"] = it.Layout
	}
	q.own["options"] = bank.PlacedIDs(written, it.Options)
}

func (q *entry) ordering() {
	it := q.it
	grading := "-1"
	if it.Method == scoring.Partial {
		grading = "0"
	}
	q.WriteString("<layouttype>0</layouttype>\n<selecttype>0</selecttype>\n<selectcount>0</selectcount>\n<gradingtype>" + grading + "</gradingtype>\n")
	var sorted []bank.Option
	for i, id := range it.Order {
		at := slices.IndexFunc(it.Options, func(o bank.Option) bool { return o.ID == id })
		q.answer(float64(i+1), it.Options[at].Content)
		sorted = append(sorted, it.Options[at])
	}
	q.own["options"] = bank.PlacedIDs(sorted, it.Options)
}

func (q *entry) pool() {
	if slices.ContainsFunc(q.it.Gaps, func(g bank.GapKey) bool { return g.Weight != nil }) {
		q.it.Lose(bank.UnequalWeights)
	}
	for _, o := range q.it.Pool {
		q.WriteString("<dragbox><text>" + escape(inline(q.it, o.Content)) + "</text><group>1</group>")
		if q.it.Reuse {
			q.WriteString("<infinite/>")
		}
		q.WriteString("</dragbox>\n")
	}
}

// inline writes the one paragraph that a box to drag has.
func inline(it *bank.Item, blocks []content.Block) string {
	if len(blocks) != 1 || blocks[0].Type != content.Paragraph {
		it.Lose(bank.StyleDropped)
		return escape(bank.Plain(blocks))
	}
	var w markup.Writer
	return w.Inline(blocks[0].Children)
}

// said writes the element that Moodle ignores.
func (q *entry) said() {
	it := q.it
	for key, value := range map[string]string{"lang": it.Locale, "min": positive(it.MinSelections), "max": positive(it.MaxSelections)} {
		if value != "" {
			q.own[key] = value
		}
	}
	if it.Unscored {
		q.own["survey"] = "yes"
	}
	if len(q.own) == 0 {
		return
	}
	q.WriteString("<exchange")
	for _, key := range []string{"scoring", "min", "max", "options", "layout", "lang", "survey", "name"} {
		if value, ok := q.own[key]; ok {
			q.WriteString(" " + key + `="` + escape(value) + `"`)
		}
	}
	q.WriteString("/>\n")
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
