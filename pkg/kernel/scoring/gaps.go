package scoring

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// The kinds of gaps: a text, a number as text, the id of an option of the gap, or the id of one in the pool of all gaps.
const (
	GapText   = "text"
	GapNumber = "number"
	GapChoice = "choice"
	GapPool   = "pool"
)

// GapKinds lists them.
var GapKinds = []string{GapText, GapNumber, GapChoice, GapPool}

// ChosenGap says of a kind of gap whether an option is chosen there.
func ChosenGap(kind string) bool { return kind == GapChoice || kind == GapPool }

// ChosenGapKinds lists those kinds.
func ChosenGapKinds() []string {
	return slices.DeleteFunc(slices.Clone(GapKinds), func(kind string) bool { return !ChosenGap(kind) })
}

// The bounds of a gap: the characters of its text, and its weight among the others.
const (
	MaxGapText   = 1000
	MaxGapWeight = 1000
)

// GapKey is the right answer of a gap, by its kind. A number without a Value is never right.
type GapKey struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Options are the ids to choose from, of kind choice; Correct the right ones, of kind choice and pool: any of them.
	Options   []string `json:"options,omitempty"`
	Correct   []string `json:"correct,omitempty"`
	Accepted  []string `json:"accepted,omitempty"`
	Value     *float64 `json:"value,omitempty"`
	Tolerance float64  `json:"tolerance,omitempty"`
	// Weight is 1 to MaxGapWeight; 0 means 1.
	Weight int `json:"weight,omitempty"`
}

func (g GapKey) weight() int { return max(g.Weight, 1) }

// typedNumber is a number as it is typed: with a point, and without signs between thousands.
var typedNumber = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?$`)

// readNumber reads the number in a gap; false where the text is none.
func readNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if len(text) > MaxGapText || !typedNumber.MatchString(text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0)
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

func anyFilled(gaps map[string]string) bool {
	for _, text := range gaps {
		if !isBlank(text) {
			return true
		}
	}
	return false
}

// right says whether the text in the gap is right.
func (g GapKey) right(f Folding, text string) bool {
	switch {
	case isBlank(text):
		return false
	case g.Kind == GapNumber:
		x, is := readNumber(text)
		return is && g.Value != nil && within(x, *g.Value, g.Tolerance)
	case ChosenGap(g.Kind):
		return slices.Contains(g.Correct, text)
	default:
		return f.matches(text, g.Accepted)
	}
}

// broken gives the code of the constraint that a text in the gap breaks; empty for none. A blank text is no answer.
func (k Key) broken(g GapKey, text string) string {
	options := g.Options
	if g.Kind == GapPool {
		options = k.Pool
	}
	_, number := readNumber(text)
	switch {
	case isBlank(text):
		return ""
	case g.Kind == GapNumber && !number:
		return CodeInvalidNumber
	case ChosenGap(g.Kind) && !slices.Contains(options, text):
		return CodeUnknownOption
	default:
		return ""
	}
}

func (k Key) gap(id string) (GapKey, bool) {
	i := slices.IndexFunc(k.Gaps, func(g GapKey) bool { return g.ID == id })
	if i < 0 {
		return GapKey{}, false
	}
	return k.Gaps[i], true
}

var gapProblems = map[string]string{
	CodeInvalidNumber: "expected a number with a decimal point, such as 1.5",
	CodeUnknownOption: "there is no such option for the gap",
}

// checkGaps names every gap with what cannot be. An option of the pool in two gaps is a matter of scoring.
func (k Key) checkGaps(path string, gaps map[string]string) []errs.Field {
	if len(gaps) > len(k.Gaps) {
		return problem(path, CodeOutOfRange, "the question has fewer gaps")
	}
	var problems []errs.Field
	for _, id := range slices.Sorted(maps.Keys(gaps)) {
		g, known := k.gap(id)
		if !known {
			problems = append(problems, errs.Field{Path: path, Code: CodeUnknownGap, Message: "the question has no such gap"})
			continue
		}
		at := member(path, id)
		problems = append(problems, checkText(at, gaps[id])...)
		if utf8.RuneCountInString(gaps[id]) > MaxGapText {
			problems = append(problems, errs.Field{Path: at, Code: CodeTextTooLong, Message: "a gap has at most 1000 characters"})
		} else if code := k.broken(g, gaps[id]); code != "" {
			problems = append(problems, errs.Field{Path: at, Code: code, Message: gapProblems[code]})
		}
	}
	return problems
}

// brokenByGaps gives the constraint that an answer breaks.
func (k Key) brokenByGaps(gaps map[string]string) string {
	used := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(gaps)) {
		g, known := k.gap(id)
		if !known {
			return CodeUnknownGap
		}
		if code := k.broken(g, gaps[id]); code != "" {
			return code
		}
		if g.Kind != GapPool || isBlank(gaps[id]) {
			continue
		}
		if used[gaps[id]] && !k.Reuse {
			return CodeTooManySelections
		}
		used[gaps[id]] = true
	}
	return ""
}

// countGaps counts weights, so that the share of credit is one of integers.
func (i *Item) countGaps(k Key, r *Response) {
	var right []string
	for _, g := range k.Gaps {
		i.TotalCorrect += g.weight()
		if r != nil && g.right(k.Folding, r.Gaps[g.ID]) {
			i.CorrectSelected += g.weight()
			right = append(right, g.ID)
		}
	}
	i.RightParts = strings.Join(right, "+")
}

var rightGaps = rule{
	credit: shareOfParts,
	explain: func(k Key, i Item) string {
		filled := fmt.Sprintf("%d of %d gaps are right", i.CorrectSelected, i.TotalCorrect)
		if slices.ContainsFunc(k.Gaps, func(g GapKey) bool { return g.weight() > 1 }) {
			filled = fmt.Sprintf("Right gaps weigh %d of %d", i.CorrectSelected, i.TotalCorrect)
		}
		if i.Method == Partial {
			return fmt.Sprintf("%s, partial credit %d / %d", filled, i.CorrectSelected, i.TotalCorrect)
		}
		return filled + ", all or nothing"
	},
}
