package moodle

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

// gapTag marks a gap in the HTML of a stem until it is read.
const gapTag = "x-gap"

func gapHTML(id string) string { return "<" + gapTag + ` id="` + id + `"></` + gapTag + ">" }

// gapStem reads a stem; mark puts a gap in place of each match of the expression.
func (r *reader) gapStem(found *regexp.Regexp, mark func(groups []string) string) {
	r.Element = func(n *html.Node) ([]content.Text, bool) {
		if n.Data != gapTag {
			return nil, false
		}
		return []content.Text{bank.GapOf(markup.Attr(n, "id"))}, true
	}
	r.stem(func(s string) string {
		return found.ReplaceAllStringFunc(s, func(one string) string { return mark(found.FindStringSubmatch(one)) })
	})
	r.Element = nil
	r.it.GapsDone()
}

func (r *reader) newGap() *bank.GapKey {
	it := r.it
	it.Gaps = append(it.Gaps, bank.GapKey{ID: bank.Numbered("g", len(it.Gaps)+1)})
	return &it.Gaps[len(it.Gaps)-1]
}

// embedded is a field of a cloze: {2:SHORTANSWER:=right~%50%half#feedback}
// (docs.moodle.org/en/Embedded_Answers_(Cloze)_question_type).
var embedded = regexp.MustCompile(`(?s)\{(\d*):([A-Z_]+):((?:\\.|[^\\}])*)\}`)

func (r *reader) cloze() {
	r.gapStem(embedded, func(groups []string) string {
		g := r.newGap()
		if weight := number(groups[1]); weight > 1 {
			g.Weight = &weight
		}
		r.clozeGap(g, groups[2], clozeAnswers(groups[3]))
		return gapHTML(g.ID)
	})
}

// clozeAnswer is an answer of a field.
type clozeAnswer struct {
	text     string
	share    float64
	feedback bool
}

var clozeShare = regexp.MustCompile(`^%(-?[\d.]+)%`)

// clozeAnswers splits the answers of a field at ~, but not at \~.
func clozeAnswers(s string) []clozeAnswer {
	hold := strings.NewReplacer(`\\`, "\ufdd0", `\~`, "\ufdd1", `\#`, "\ufdd2", "&#", "\ufdd3", `\=`, "=", `\}`, "}", `\{`, "{", `\"`, `"`, `\/`, "/")
	free := strings.NewReplacer("\ufdd0", `\`, "\ufdd1", "~", "\ufdd2", "#", "\ufdd3", "&#")
	var all []clozeAnswer
	for one := range strings.SplitSeq(hold.Replace(s), "~") {
		one = strings.TrimSpace(one)
		var a clozeAnswer
		if m := clozeShare.FindStringSubmatch(one); m != nil {
			a.share, one = number(m[1]), one[len(m[0]):]
		} else if rest, right := strings.CutPrefix(one, "="); right {
			a.share, one = 100, rest
		}
		text, feedback, _ := strings.Cut(one, "#")
		a.text, a.feedback = free.Replace(strings.TrimSpace(text)), strings.TrimSpace(feedback) != ""
		all = append(all, a)
	}
	return all
}

// clozeGap reads the answers of a field by its kind.
func (r *reader) clozeGap(g *bank.GapKey, kind string, answers []clozeAnswer) {
	it := r.it
	texts, shares := make([]string, len(answers)), make([]float64, len(answers))
	for i, a := range answers {
		texts[i], shares[i] = html.UnescapeString(a.text), a.share
		if a.feedback {
			it.Lose(bank.OptionFeedbackDropped)
		}
	}
	switch strings.TrimRight(kind, "_") {
	case "SHORTANSWER_C", "SAC", "MWC":
		it.Lose(bank.CaseIgnored)
		it.FillGap(g, it.Patterns(texts, shares), shares)
	case "SHORTANSWER", "SA", "MW":
		it.FillGap(g, it.Patterns(texts, shares), shares)
	case "NUMERICAL", "NM":
		r.numericGap(g, texts, shares)
	case "MULTICHOICE", "MC", "MULTICHOICE_S", "MCS", "MULTICHOICE_V", "MCV", "MULTICHOICE_VS", "MCVS", "MULTICHOICE_H", "MCH", "MULTICHOICE_HS", "MCHS":
		contents := make([][]content.Block, len(answers))
		for i, a := range answers {
			contents[i] = r.HTML(a.text)
		}
		it.ChooseGap(g, bank.Lettered(contents...), shares)
	default:
		g.Kind, g.Accepted = bank.GapTyped, []string{""}
		it.Lose(bank.UnsupportedInteraction, "a field of kind "+kind)
	}
}

func (r *reader) numericGap(g *bank.GapKey, texts []string, shares []float64) {
	g.Kind = bank.GapNumber
	for i, t := range texts {
		value, tolerance, _ := strings.Cut(t, ":")
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(value), ",", "."), 64)
		switch {
		case shares[i] <= 0 || err != nil:
		case shares[i] < 100:
			r.it.Lose(bank.PartialAnswer)
		case g.Value != nil:
			r.it.Lose(bank.SeveralValues)
		default:
			g.Value, g.Tolerance = &x, number(tolerance)
		}
	}
}

// place is where an option of a gapselect or ddwtos goes: [[2]].
var place = regexp.MustCompile(`\[\[(\d+)\]\]`)

// gapselect has options in groups. If all gaps have the same group, it is a pool; else each gap
// has the options of its group.
func (r *reader) gapselect() {
	it := r.it
	var groups []string
	var all []bank.Option
	endless := false
	for n := range markup.Children(r.n, "") {
		if n.Data != "dragbox" && n.Data != "selectoption" {
			continue
		}
		endless = endless || markup.Child(n, "infinite") != nil
		groups = append(groups, markup.Text(n, "group"))
		all = append(all, bank.Option{ID: bank.Letter(len(all)), Content: r.HTML(markup.RawText(n, "text"))})
	}
	pooled := r.kind == "ddwtos" && len(slices.Compact(slices.Clone(groups))) == 1
	if pooled {
		it.Pool, it.Reuse = all, endless
	}
	r.gapStem(place, func(found []string) string {
		n, _ := strconv.Atoi(found[1])
		if n < 1 || n > len(all) {
			return found[0]
		}
		g := r.newGap()
		g.Kind, g.Right = bank.GapPool, []string{all[n-1].ID}
		if !pooled {
			g.Kind = bank.GapChoice
			for i, o := range all {
				if groups[i] != groups[n-1] {
					continue
				}
				id := bank.Letter(len(g.Options))
				if i == n-1 {
					g.Right = []string{id}
				}
				g.Options = append(g.Options, bank.Option{ID: id, Content: o.Content})
			}
		}
		return gapHTML(g.ID)
	})
}

// gapfill writes its answers where the gaps are: [cat|dog].
func (r *reader) gapfill() {
	it := r.it
	signs := markup.Text(r.n, "delimitchars")
	if len([]rune(signs)) != 2 {
		signs = "[]"
	}
	open, shut := string([]rune(signs)[0]), string([]rune(signs)[1])
	found := regexp.MustCompile(regexp.QuoteMeta(open) + `([^` + regexp.QuoteMeta(open+shut) + `]*)` + regexp.QuoteMeta(shut))
	if yes(markup.Text(r.n, "casesensitive")) {
		it.Lose(bank.CaseIgnored)
	}
	display := markup.Text(r.n, "answerdisplay")
	var words []string
	if display == "dragdrop" || display == "dropdown" {
		words = r.gapWords()
		it.Pool, it.Reuse = bank.PlainOptions(words), !yes(markup.Text(r.n, "noduplicates"))
	}
	r.gapStem(found, func(groups []string) string {
		g := r.newGap()
		text := strings.TrimSpace(html.UnescapeString(groups[1]))
		answers := strings.Split(text, "|")
		if words == nil {
			it.FillGap(g, answers, slices.Repeat([]float64{100}, len(answers)))
			if !yes(markup.Text(r.n, "disableregex")) && strings.ContainsAny(text, `*+?^$.()\`) {
				it.Lose(bank.Wildcard)
			}
			return gapHTML(g.ID)
		}
		g.Kind = bank.GapPool
		for _, a := range append(answers, text) {
			if i := slices.Index(words, strings.TrimSpace(a)); i >= 0 && !slices.Contains(g.Right, it.Pool[i].ID) {
				g.Right = append(g.Right, it.Pool[i].ID)
			}
		}
		return gapHTML(g.ID)
	})
	it.Method = scoring.Partial
}

// gapWords gives the words to drag or choose, wrong ones included.
func (r *reader) gapWords() []string {
	var words []string
	_, texts, _ := r.answers()
	for _, t := range texts {
		t = strings.Trim(html.UnescapeString(t), " \u00a0")
		if t != "" && !slices.Contains(words, t) {
			words = append(words, t)
		}
	}
	return append([]string{}, words...)
}
