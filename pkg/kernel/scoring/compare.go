package scoring

import (
	"math/big"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"assess/pkg/kernel/spelling"
)

func (k Key) accepts(text string) bool { return k.Folding.matches(text, k.Accepted) }

// matches says whether the text is one of the accepted ones.
func (f Folding) matches(text string, all []string) bool {
	folded := f.Fold(text)
	for _, accepted := range all {
		if f.Fold(accepted) == folded {
			return true
		}
	}
	return false
}

// NewestFolding is the rule that new snapshots name.
const NewestFolding = "v2"

// Folding says which texts are the same answer. A published version is scored for ever by the rule of
// its time, so that its scores stay. The zero value is the first rule.
type Folding struct {
	// Rule is NewestFolding, or empty for the first.
	Rule string
	// Locale is the language of the question.
	Locale string
}

// Fold gives the form that the texts of one answer have in common.
func (f Folding) Fold(s string) string {
	if f.Rule == NewestFolding {
		return spelling.Fold(s, f.Locale)
	}
	return foldCase(s)
}

// foldCase is the first rule: it takes case and white space out of a comparison. Folding can undo the
// normal form and needs it to find its letters: so it is made on both sides. A Caser is not for several
// goroutines.
func foldCase(s string) string {
	s = strings.ToLower(cases.Fold().String(norm.NFC.String(s))) // Folding exchanges the cases of Cherokee letters.
	return norm.NFC.String(strings.Join(strings.Fields(s), " "))
}

// within compares in decimals, as people do: 1.1 is within 0.1 of 1, although the
// doubles are not.
func within(x, value, tolerance float64) bool {
	distance := new(big.Rat).Sub(decimal(x), decimal(value))
	return distance.Abs(distance).Cmp(decimal(tolerance)) <= 0
}

// decimal gives the shortest decimal number that reads as the double. Doubles that are
// no numbers give 0; answers with them are INVALID before.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}
