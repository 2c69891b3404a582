package attempt

import (
	"fmt"
	"math"
	"strings"

	"assess/pkg/kernel/scoring"
)

// explain says in a sentence how the score of an item came about.
func explain(item Item, key scoring.Key) string {
	worth := fmt.Sprintf("%s of %s", points(item.Score), points(item.MaxScore))
	text := reason(item, key, worth)
	if !item.ContributesToScore {
		text += " It is a survey item and adds nothing to the score."
	}
	return text
}

func reason(item Item, key scoring.Key, worth string) string {
	switch {
	case item.ScoreStatus == pending:
		return fmt.Sprintf("It waits for a person to score it and is worth up to %s.", points(item.MaxScore))
	case item.IsOmitted:
		return fmt.Sprintf("It was left out: %s, and it does not count in the statistics of the question.", worth)
	case item.ScoreStatus == invalid:
		return fmt.Sprintf("The answer breaks a rule of the question (%s): %s.", violation(item.InvalidCode), worth)
	case item.ScoreStatus != scored:
		return fmt.Sprintf("It was exempted: %s, and it does not count in the statistics of the question.", worth)
	}
	why, made := byMethod(item, key)
	if !made {
		return fmt.Sprintf("%s: %s.", corrected(item.ScoreMethod), worth)
	}
	if item.Score < 0 {
		worth += fmt.Sprintf("; the wrong answer costs %s", points(-item.Score))
	}
	return why + ": " + worth + "."
}

// byMethod says what the scoring of the submit saw; false for methods that it does not have.
func byMethod(item Item, key scoring.Key) (string, bool) {
	switch {
	case item.ScoreMethod == scoring.Manual:
		return "A person scored it", true
	case item.ScoreMethod != scoring.AllOrNothing && item.ScoreMethod != scoring.Partial:
		return "", false
	}
	switch scoring.QType(item.QType) {
	case scoring.MCQ:
		return either(item.IsCorrect, "The selected option is right", "The selected option is wrong"), true
	case scoring.MRQ:
		return ofSet(item), true
	case scoring.ShortText:
		return either(item.IsCorrect, "The text is an accepted answer", "The text is not an accepted answer"), true
	}
	target := "the number " + number(key.Value)
	if key.Tolerance > 0 {
		target = fmt.Sprintf("%s with a tolerance of %s", target, number(key.Tolerance))
	}
	return either(item.IsCorrect, "It meets ", "It misses ") + target, true
}

// ofSet counts what was selected of a question with several right options.
func ofSet(item Item) string {
	selected := fmt.Sprintf("%d of %d right options and %d wrong selected", item.CorrectSelected, item.TotalCorrect, item.IncorrectSelected)
	if item.ScoreMethod == scoring.Partial {
		return fmt.Sprintf("%s, partial credit max(0, %d − %d) / %d", selected, item.CorrectSelected, item.IncorrectSelected, item.TotalCorrect)
	}
	return selected + ", all or nothing"
}

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

// corrected names how a correction scored the item.
func corrected(method string) string {
	return "A correction scored it (" + strings.ReplaceAll(method, "_", " ") + ")"
}

func violation(code *string) string {
	if code == nil {
		return "unknown"
	}
	return strings.ReplaceAll(*code, "_", " ")
}

// points writes a score with at most four decimals.
func points(x float64) string { return number(math.Round(x*1e4) / 1e4) }
