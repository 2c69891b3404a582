package scoring

import (
	"math/big"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func (k Key) accepts(text string) bool {
	folded := Fold(text)
	for _, accepted := range k.Accepted {
		if Fold(accepted) == folded {
			return true
		}
	}
	return false
}

// Fold takes case and white space out of a comparison: texts that fold to the same are the
// same answer (decisions, section 3). Folding can undo the normal form and needs it to find
// its letters: so it is made on both sides. A Caser is not for several goroutines.
func Fold(s string) string {
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
