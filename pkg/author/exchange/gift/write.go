package gift

import (
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
	category []string
}

// NewWriter writes to out, which stays open.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Close ends the file.
func (w *Writer) Close() error { return nil }

// Add writes an item, and notes in it what GIFT cannot say; an item that has no form in GIFT is left out.
func (w *Writer) Add(it *bank.Item) error {
	e := &entry{it: it}
	answers := e.answers()
	if !it.Usable() {
		return nil
	}
	var b strings.Builder
	if !slices.Equal(w.category, it.Category) {
		w.category = it.Category
		b.WriteString("$CATEGORY: " + bank.CategoryText(it.Category) + "\n\n")
	}
	b.WriteString("// " + strings.Join(e.notes(), " ") + "\n")
	if it.Name != "" {
		b.WriteString("::" + writing.Replace(it.Name) + "::")
	}
	stem := e.html(it.Stem)
	if it.Kind == bank.Gap {
		stem, answers = strings.Replace(stem, gapSign, answers, 1), ""
	}
	b.WriteString("[html]" + stem + answers + "\n\n")
	_, err := io.WriteString(w.out, b.String())
	return err
}

// entry writes one item.
type entry struct {
	it    *bank.Item
	extra []string
}

// gapSign is where the answers go in the text of a question with a gap.
const gapSign = "\ufdd8"

func (e *entry) html(blocks []content.Block) string {
	w := markup.Writer{Source: e.picture, Gap: func(string) string { return gapSign }}
	return writing.Replace(w.Blocks(blocks))
}

// picture gives a picture as an address that holds it.
func (e *entry) picture(name string) string {
	for _, f := range e.it.Files {
		if f.Name == name {
			return markup.DataAddress(f)
		}
	}
	return name
}

// note is a word of the comment line.
func remark(key, value string) string {
	return "[" + key + ":" + strings.NewReplacer(`\`, `\\`, "]", `\]`, "\n", " ").Replace(value) + "]"
}

func (e *entry) notes() []string {
	it := e.it
	all := []string{remark("id", it.ID)}
	for _, tag := range it.Tags {
		all = append(all, remark("tag", tag))
	}
	if it.Locale != "" {
		all = append(all, remark("lang", it.Locale))
	}
	if it.Weight != nil && *it.Weight != 1 {
		all = append(all, remark("weight", decimal(*it.Weight)))
	}
	return append(all, e.extra...)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// answers writes the text between { and }.
func (e *entry) answers() string {
	it, explanation := e.it, ""
	if len(it.Explanation) > 0 {
		explanation = "\n\t####" + e.html(it.Explanation)
	}
	var lines []string
	switch {
	case it.Kind == bank.Passage:
		return ""
	case it.Kind == scoring.Essay:
	case it.Kind.Type().Chooses():
		if slices.ContainsFunc(it.Options, func(o bank.Option) bool { return o.Area != nil }) {
			it.Lose(bank.UnsupportedInteraction, "areas of a picture")
		}
		if it.Unscored {
			it.Refuse(bank.Incomplete, "GIFT has no question without a right answer")
			return ""
		}
		if it.JudgesTruth(Words) {
			return "{" + strings.ToUpper(strconv.FormatBool(it.Options[0].Correct)) + explanation + "\n}"
		}
		lines = e.options()
	case it.Kind == scoring.ShortText:
		lines = e.accepted(it.Accepted)
	case it.Kind == scoring.Numeric && it.Value != nil:
		return numeric(*it.Value, it.Tolerance, explanation)
	case it.Kind == bank.Gap && len(it.Gaps) == 1 && len(it.Pool) == 0:
		e.extra = append(e.extra, remark("type", string(bank.Gap)))
		g := it.Gaps[0]
		if g.Kind == bank.GapNumber && g.Value != nil {
			return numeric(*g.Value, g.Tolerance, explanation)
		}
		lines = e.gap(g)
	case it.Kind == bank.Gap:
		it.Lose(bank.UnsupportedInteraction, "GIFT has one gap in a question, to type in or to choose from")
	case it.Kind == bank.Match && e.pairs():
		lines = e.matches()
	default:
		it.Lose(bank.UnsupportedInteraction, "GIFT has no "+string(it.Kind))
	}
	if len(lines) == 0 && it.Kind != scoring.Essay {
		it.Refuse(bank.Incomplete, "without a key there is no such question in GIFT")
	}
	return "{" + strings.Join(lines, "") + explanation + "\n}"
}

func numeric(value, tolerance float64, explanation string) string {
	return "{#\n\t=" + decimal(value) + ":" + decimal(tolerance) + explanation + "\n}"
}

// gap writes the answers of the only gap. Without a wrong option they would be answers to type.
func (e *entry) gap(g bank.GapKey) []string {
	if g.Kind == bank.GapTyped {
		return e.accepted(g.Accepted)
	}
	if len(g.Right) == 0 {
		return nil
	}
	if len(g.Right) == len(g.Options) {
		e.it.Lose(bank.UnsupportedInteraction, "a gap whose options are all right")
	}
	var lines []string
	for _, o := range g.Options {
		sign := "~"
		if slices.Contains(g.Right, o.ID) {
			sign = "="
		}
		lines = append(lines, "\n\t"+sign+e.html(o.Content))
	}
	return lines
}

func (e *entry) options() []string {
	it := e.it
	var lines []string
	for i, share := range it.Shares() {
		sign := "~"
		switch {
		case it.Kind == scoring.MCQ && share > 0:
			sign = "="
		case it.Kind != scoring.MCQ:
			sign = fmt.Sprintf("~%%%s%%", strconv.FormatFloat(share, 'f', 5, 64))
		}
		lines = append(lines, "\n\t"+sign+e.html(it.Options[i].Content))
	}
	if it.Kind != scoring.MCQ && it.Method != scoring.Partial {
		e.whole()
	}
	if it.MinSelections > 0 {
		e.extra = append(e.extra, remark("min", strconv.Itoa(it.MinSelections)))
	}
	if it.MaxSelections > 0 {
		e.extra = append(e.extra, remark("max", strconv.Itoa(it.MaxSelections)))
	}
	e.ids(it.Options)
	return lines
}

// whole notes that the service gives all points or none, but Moodle gives part of them.
func (e *entry) whole() {
	e.extra = append(e.extra, remark("scoring", scoring.AllOrNothing))
	e.it.Lose(bank.MappingChanged, "Moodle gives part of the points")
}

func (e *entry) ids(options []bank.Option) { // as they are written
	if ids := bank.IDs(options, e.it.Options); ids != "" {
		e.extra = append(e.extra, remark("options", ids))
	}
}

func (e *entry) accepted(answers []string) []string {
	var lines []string
	arrows := 0
	for _, answer := range answers {
		if strings.Contains(answer, "->") {
			arrows++
		}
		lines = append(lines, "\n\t=[plain]"+writing.Replace(strings.ReplaceAll(answer, "*", `\*`)))
	}
	if arrows > 0 && arrows == len(lines) {
		e.it.Refuse(bank.Incomplete, "GIFT takes answers with -> for pairs")
	}
	return lines
}

// pairs says that a match has one option for each prompt: GIFT knows no other, and only text.
func (e *entry) pairs() bool {
	it := e.it
	seen := map[string]bool{}
	for _, p := range it.Pairs {
		if seen[p[0]] {
			return false
		}
		seen[p[0]] = true
	}
	return len(it.Pairs) == len(it.Prompts) && it.MaxPerOption == 0 && it.MaxPerPrompt <= 1
}

func (e *entry) matches() []string {
	it := e.it
	var lines []string
	if it.Method == scoring.AllOrNothing {
		e.whole()
	}
	if it.Layout != "" {
		e.extra = append(e.extra, remark("layout", it.Layout))
	}
	used := map[string]bool{}
	text := map[string]string{}
	for _, o := range it.Options {
		plain := bank.Plain(o.Content)
		if !slices.EqualFunc(o.Content, bank.Paragraph(plain), sameBlock) {
			it.Lose(bank.StyleDropped)
		}
		text[o.ID] = writing.Replace(plain)
	}
	var written []bank.Option
	use := func(id string) {
		if !used[id] {
			written = append(written, bank.Option{ID: id})
		}
		used[id] = true
	}
	for _, p := range it.Pairs {
		use(p[1])
		at := slices.IndexFunc(it.Prompts, func(o bank.Option) bool { return o.ID == p[0] })
		lines = append(lines, "\n\t="+e.html(it.Prompts[at].Content)+" -> "+text[p[1]])
	}
	for _, o := range it.Options {
		if !used[o.ID] {
			use(o.ID)
			lines = append(lines, "\n\t= -> "+text[o.ID])
		}
	}
	e.extra = append(e.extra, remark("options", bank.PlacedIDs(written, it.Options)))
	return lines
}

func sameBlock(a, b content.Block) bool {
	return a.Type == b.Type && slices.EqualFunc(a.Children, b.Children, func(x, y content.Text) bool {
		return x.Text == y.Text && slices.Equal(x.Marks, y.Marks)
	})
}
