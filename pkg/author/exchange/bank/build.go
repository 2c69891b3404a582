package bank

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// Paragraph makes content of a line of text.
func Paragraph(text string) []content.Block {
	return []content.Block{{Type: content.Paragraph, Children: []content.Text{{Text: text}}}}
}

// Fractions turns the share of the points that each option gives, in hundredths, into a key: single says that
// one option is selected. It notes every result that differs from the shares.
func (it *Item) Fractions(single bool, shares []float64) {
	right := slices.Max(append([]float64{0}, shares...))
	if single {
		it.single(right, shares)
		return
	}
	it.Kind, it.Method = scoring.MRQ, scoring.Partial
	n := 0.0
	for i, s := range shares {
		it.Options[i].Correct = s > 0
		if s > 0 {
			n++
		}
	}
	for _, s := range shares {
		switch {
		case s > 0 && !near(s, 100/n):
			it.Lose(UnequalWeights)
		case s <= 0 && !near(s, -100/n):
			it.Lose(NegativeFraction)
		}
	}
	if n == 0 {
		it.Method = ""
	}
}

// single keeps the option with all points. If several have them, or none does, no mcq is equivalent.
func (it *Item) single(right float64, shares []float64) {
	it.Kind = scoring.MCQ
	for i, s := range shares {
		it.Options[i].Correct = right > 0 && near(s, right)
		switch {
		case s < 0:
			it.Lose(NegativeFraction)
		case s > 0 && (!near(s, right) || !near(right, 100)):
			it.Lose(PartialAnswer)
		}
	}
	if it.Correct() > 1 { // any one of them was enough
		it.Kind, it.Method = scoring.MRQ, scoring.AllOrNothing
		it.Lose(MappingChanged, "one of several right options was enough, and all of them are to be selected")
	}
}

// near allows for the five digits that Moodle writes.
func near(a, b float64) bool { return math.Abs(a-b) < 0.01 }

// Accept takes answers with the share of the points that each gives, in hundredths, as accepted ones. Answers
// that are the same to the service become one.
func (it *Item) Accept(answers []string, shares []float64) {
	it.Kind = scoring.ShortText
	folding, seen := scoring.Folding{Rule: scoring.NewestFolding, Locale: it.Locale}, map[string]bool{}
	for i, answer := range answers {
		answer = strings.Join(strings.Fields(answer), " ")
		switch {
		case shares[i] <= 0:
			continue
		case !near(shares[i], 100):
			it.Lose(PartialAnswer)
			continue
		}
		if same := folding.Fold(answer); same != "" && !seen[same] {
			it.Accepted, seen[same] = append(it.Accepted, answer), true
		}
	}
}

// Patterns gives answers of Moodle, in which * means any text and \* a star, in their literal form; a wildcard in an
// answer that gives points is lost.
func (it *Item) Patterns(answers []string, shares []float64) []string {
	plain := make([]string, len(answers))
	for i, answer := range answers {
		if shares[i] > 0 && strings.Contains(strings.ReplaceAll(answer, `\*`, ""), "*") {
			it.Lose(Wildcard)
		}
		plain[i] = strings.ReplaceAll(answer, `\*`, "*")
	}
	return plain
}

// Number takes the right number and its tolerance.
func (it *Item) Number(value, tolerance float64) {
	it.Kind, it.Value, it.Tolerance = scoring.Numeric, &value, tolerance
}

// Between takes a range as a number and its tolerance, without the noise of binary fractions.
func (it *Item) Between(low, high float64) { it.Number(Middle(low, high)) }

// Middle gives the number in the middle of a range, and how far it is from the ends.
func Middle(low, high float64) (value, tolerance float64) {
	tidy := func(x float64) float64 { return math.Round(x*1e12) / 1e12 }
	value, tolerance = (low+high)/2, (high-low)/2
	if math.Abs(value) < 1e3 {
		value, tolerance = tidy(value), tidy(tolerance)
	}
	return value, math.Abs(tolerance)
}

// Lettered gives options without ids the letters of their places.
func Lettered(contents ...[]content.Block) []Option {
	options := make([]Option, len(contents))
	for i, c := range contents {
		options[i] = Option{ID: Letter(i), Content: c}
	}
	return options
}

// MatchPairs makes a match of prompts and options that belong together row by row: equal options become one, an empty
// prompt makes an option that fits nowhere.
func (it *Item) MatchPairs(prompts, options [][]content.Block) {
	it.Kind = Match
	seen := map[string]string{}
	for i := range options {
		text := Plain(options[i])
		id, known := seen[text]
		if !known || HasImage(options[i]) {
			id = Letter(len(it.Options))
			seen[text] = id
			it.Options = append(it.Options, Option{ID: id, Content: options[i]})
		}
		if len(prompts[i]) > 0 {
			prompt := Numbered("p", len(it.Prompts)+1)
			it.Prompts = append(it.Prompts, Option{ID: prompt, Content: prompts[i]})
			it.Pairs = append(it.Pairs, scoring.Pair{prompt, id})
		}
	}
}

// HasImage says whether content shows a picture.
func HasImage(blocks []content.Block) bool {
	return slices.ContainsFunc(blocks, func(b content.Block) bool { return b.Type == content.Image })
}

// CategoryPath splits a category as Moodle writes it: "$course$/top/Logic/Sets". Two slashes are one in a name; the
// beginning of the path is left out.
func CategoryPath(text string) []string {
	const slash = "\ufdd0"
	var names []string
	for name := range strings.SplitSeq(strings.ReplaceAll(text, "//", slash), "/") {
		name = strings.TrimSpace(strings.ReplaceAll(name, slash, "/"))
		if name == "" || len(names) == 0 && (name == "top" || strings.HasPrefix(name, "$") && strings.HasSuffix(name, "$")) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// CategoryText writes a path that CategoryPath reads.
func CategoryText(names []string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.ReplaceAll(name, "/", "//")
	}
	return "$course$/top/" + strings.Join(escaped, "/")
}

// Shares gives the share of the points of each option, in hundredths, from which Fractions makes the same key.
func (it *Item) Shares() []float64 {
	n := float64(max(it.Correct(), 1))
	shares := make([]float64, len(it.Options))
	for i, o := range it.Options {
		switch {
		case it.Kind == scoring.MCQ && o.Correct:
			shares[i] = 100
		case it.Kind == scoring.MCQ:
		case o.Correct:
			shares[i] = 100 / n
		case it.Method == scoring.Partial:
			shares[i] = -100 / n
		default:
			shares[i] = -100
		}
	}
	return shares
}

// IDs gives the ids of options as they are written, for Rename: empty if they are the letters of their places, and with the
// place of each in the question if that is another one.
func IDs(written, options []Option) string {
	ids := make([]string, len(written))
	odd, moved := false, false
	for i, o := range written {
		ids[i] = o.ID
		odd, moved = odd || o.ID != Letter(i), moved || placeOf(o.ID, options) != i
	}
	switch {
	case moved:
		return PlacedIDs(written, options)
	case odd:
		return strings.Join(ids, ",")
	}
	return ""
}

// PlacedIDs gives the ids of options as they are written, each with its place in the question.
func PlacedIDs(written, options []Option) string {
	ids := make([]string, len(written))
	for i, o := range written {
		ids[i] = o.ID + ":" + strconv.Itoa(placeOf(o.ID, options))
	}
	return strings.Join(ids, ",")
}

func placeOf(id string, options []Option) int {
	return slices.IndexFunc(options, func(one Option) bool { return one.ID == id })
}

// MixOptions shuffles the options of an order, which came in their right order, or of a match, which came in the order of its
// prompts, always in the same way, and gives them new letters: the exam's page receives the ids, and the old ones would reveal
// what is right.
func (it *Item) MixOptions() {
	said := map[string]string{}
	for _, o := range it.Options {
		canonical, _ := content.Canonical(o.Content) // content that has no canonical form comes first
		said[o.ID] = content.Hash(canonical)
	}
	slices.SortStableFunc(it.Options, func(a, b Option) int { return strings.Compare(said[a.ID], said[b.ID]) })
	ids := renumber(it.Options, Letter)
	for i, id := range it.Order {
		it.Order[i] = renamed(ids, id)
	}
	for i, p := range it.Pairs {
		it.Pairs[i][1] = renamed(ids, p[1])
	}
}

// JudgesTruth says whether TrueFalse makes this item from these words.
func (it *Item) JudgesTruth(words [2]string) bool {
	return it.Kind == scoring.MCQ && len(it.Options) == 2 && it.Correct() == 1 && it.Options[0].ID == "T" && it.Options[1].ID == "F" &&
		isText(it.Options[0].Content, words[0]) && isText(it.Options[1].Content, words[1])
}

func isText(blocks []content.Block, text string) bool {
	return len(blocks) == 1 && blocks[0].Type == content.Paragraph && len(blocks[0].Children) == 1 && blocks[0].Children[0].Text == text &&
		len(blocks[0].Children[0].Marks) == 0
}

// Rename gives the options the ids and places that IDs wrote, and updates references to them; a list of
// another length changes nothing.
func (it *Item) Rename(written string) {
	ids := strings.Split(written, ",")
	if len(ids) != len(it.Options) {
		return
	}
	renamed, sorted := map[string]string{}, make([]Option, len(ids))
	for i, o := range it.Options {
		id, place, moved := strings.Cut(ids[i], ":")
		renamed[o.ID], o.ID = id, id
		at := i
		if moved {
			at, _ = strconv.Atoi(place)
		}
		if at < 0 || at >= len(sorted) || sorted[at].ID != "" {
			return
		}
		sorted[at] = o
	}
	it.Options = sorted
	for i := range it.Pairs {
		it.Pairs[i][1] = renamed[it.Pairs[i][1]]
	}
	for i := range it.Order {
		it.Order[i] = renamed[it.Order[i]]
	}
}
