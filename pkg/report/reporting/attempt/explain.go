package attempt

import (
	"fmt"
	"math"

	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/wire"
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
	key.QType = item.QType // also where the snapshot has no key
	why, made := key.Explain(scoring.Item{Method: item.ScoreMethod, IsCorrect: item.IsCorrect, CorrectSelected: item.CorrectSelected,
		IncorrectSelected: item.IncorrectSelected, TotalCorrect: item.TotalCorrect})
	if !made {
		return fmt.Sprintf("%s: %s.", corrected(item.ScoreMethod), worth)
	}
	if item.Score < 0 {
		worth += fmt.Sprintf("; the wrong answer costs %s", points(-item.Score))
	}
	return why + ": " + worth + "."
}

// corrected names how a correction scored the item.
func corrected(method string) string {
	return "A correction scored it (" + wire.Words(method) + ")"
}

func violation(code *string) string {
	if code == nil {
		return "unknown"
	}
	return wire.Words(*code)
}

// points writes a score with at most four decimals.
func points(x float64) string { return number(math.Round(x*1e4) / 1e4) }
