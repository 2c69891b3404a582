package scoring

import (
	"fmt"
	"strconv"
)

// rule is how answers are scored with a key: credit gives the earned share of the weight, from
// 0 to 1, of an answer that breaks no constraint; explain says why in half a sentence.
type rule struct {
	credit  func(k Key, i Item, r Response) float64
	explain func(k Key, i Item) string
}

var rightOption = rule{
	credit: func(_ Key, i Item, _ Response) float64 { return fullIf(i.CorrectSelected == 1) },
	explain: func(_ Key, i Item) string {
		return either(i.IsCorrect, "The selected option is right", "The selected option is wrong")
	},
}

var rightSet = rule{
	// Where no option is right, no selection can be.
	credit: func(_ Key, i Item, _ Response) float64 {
		switch {
		case i.TotalCorrect == 0:
			return 0
		case i.Method == Partial:
			return float64(max(0, i.CorrectSelected-i.IncorrectSelected)) / float64(i.TotalCorrect)
		default:
			return fullIf(i.CorrectSelected == i.TotalCorrect && i.IncorrectSelected == 0)
		}
	},
	explain: func(_ Key, i Item) string {
		selected := fmt.Sprintf("%d of %d right options and %d wrong selected", i.CorrectSelected, i.TotalCorrect, i.IncorrectSelected)
		if i.Method == Partial {
			return fmt.Sprintf("%s, partial credit max(0, %d − %d) / %d", selected, i.CorrectSelected, i.IncorrectSelected, i.TotalCorrect)
		}
		return selected + ", all or nothing"
	},
}

// shareOfParts is the share of the parts of an answer that are right, or all or nothing.
func shareOfParts(_ Key, i Item, _ Response) float64 {
	switch {
	case i.TotalCorrect == 0:
		return 0
	case i.Method == Partial:
		return float64(i.CorrectSelected) / float64(i.TotalCorrect)
	default:
		return fullIf(i.CorrectSelected == i.TotalCorrect)
	}
}

var rightOrder = rule{
	credit: shareOfParts,
	explain: func(_ Key, i Item) string {
		placed := fmt.Sprintf("%d of %d options at their place", i.CorrectSelected, i.TotalCorrect)
		if i.Method == Partial {
			return fmt.Sprintf("%s, partial credit %d / %d", placed, i.CorrectSelected, i.TotalCorrect)
		}
		return placed + ", all or nothing"
	},
}

var acceptedText = rule{
	credit: func(k Key, _ Item, r Response) float64 { return fullIf(k.accepts(*r.Text)) },
	explain: func(_ Key, i Item) string {
		return either(i.IsCorrect, "The text is an accepted answer", "The text is not an accepted answer")
	},
}

var nearNumber = rule{
	credit: func(k Key, _ Item, r Response) float64 { return fullIf(within(*r.Number, k.Value, k.Tolerance)) },
	explain: func(k Key, i Item) string {
		target := "the number " + inFull(k.Value)
		if k.Tolerance > 0 {
			target += " with a tolerance of " + inFull(k.Tolerance)
		}
		return either(i.IsCorrect, "It meets ", "It misses ") + target
	},
}

// Explain says how the item came to its score, in half a sentence: "The selected option is
// right". False where neither a person nor the key decided.
func (k Key) Explain(i Item) (string, bool) {
	t := k.QType.Type()
	switch {
	case i.Method == Manual:
		return "A person scored it", true
	case t.explain == nil || i.Method != AllOrNothing && i.Method != Partial:
		return "", false
	}
	return t.explain(k, i), true
}

func fullIf(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

func inFull(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
