package scoring

import (
	"math"
	"slices"
	"strings"
)

// Status is the score status of an item.
type Status string

// The score statuses (specification, section 3; decisions, section 4).
const (
	Scored  Status = "SCORED"
	Invalid Status = "INVALID"
	Exempt  Status = "EXEMPT"
	Pending Status = "PENDING"
)

// OmitNoResponse is the reason of an omission: nothing was answered.
const OmitNoResponse = "no_response"

// Item is the score of one answer. Score is in [-weight, weight] and MaxScore is the
// weight, both with ten decimals.
type Item struct {
	Status   Status
	Method   string
	Score    float64
	MaxScore float64
	// IsCorrect says full credit, PartialCredit some but not all of it.
	IsCorrect     bool
	PartialCredit bool
	Omitted       bool
	OmitReason    string
	// InvalidCode is the constraint that an INVALID answer breaks.
	InvalidCode string
	// The counts of options, if answers are options; in an order the options at their place are the right ones, and none is wrong; of a
	// match they are pairs, and wrong ones count if a prompt takes several; of gaps they are their weights. An id counts once.
	CorrectSelected   int
	IncorrectSelected int
	TotalCorrect      int
	// RightParts are the ids of the right gaps in their order, joined by "+": a text tells only a person whether it is right.
	RightParts string
}

// Score says what an answer is worth. It takes any answer, checked or not; an answer that
// Check would refuse is INVALID.
func Score(k Key, c Config, r *Response) Item {
	item := Item{Status: Scored, Method: k.method(), MaxScore: round10(k.weight())}
	item.count(k, r)
	switch {
	case omitted(r):
		item.Status, item.Omitted, item.OmitReason = Exempt, true, OmitNoResponse
		return item
	case k.QType.Type().ByPeople() && k.takes(*r):
		item.Status = Pending
		return item
	}
	item.InvalidCode = k.violation(item, *r)
	if item.InvalidCode != "" {
		item.Status = Invalid
		return item
	}
	credit := 0.0
	if !k.Unkeyed {
		credit = k.QType.Type().credit(k, item, *r)
	}
	item.give(credit, c)
	return item
}

// omitted says that there is no answer in the response, of any kind.
func omitted(r *Response) bool {
	if r == nil {
		return true
	}
	return len(r.OptionIDs) == 0 && len(r.Pairs) == 0 && !anyFilled(r.Gaps) && r.Number == nil && (r.Text == nil || strings.TrimSpace(*r.Text) == "")
}

// count fills in the counts of options.
func (i *Item) count(k Key, r *Response) {
	switch k.QType.Type().Answer {
	case PromptPairs:
		i.countPairs(k, r)
		return
	case FilledGaps:
		i.countGaps(k, r)
		return
	}
	if k.QType.Type().Ordered() {
		i.TotalCorrect = len(k.Order)
		if r != nil {
			i.CorrectSelected = k.places(r.OptionIDs)
		}
		return
	}
	if !k.QType.Type().Chooses() {
		return
	}
	options := k.correct()
	for _, correct := range options {
		if correct {
			i.TotalCorrect++
		}
	}
	if r == nil {
		return
	}
	for _, id := range r.OptionIDs {
		correct, first := options[id]
		switch {
		case !first: // unknown, or counted before
		case correct:
			i.CorrectSelected++
		default:
			i.IncorrectSelected++
		}
		delete(options, id)
	}
}

// violation gives the code of the constraint that the answer breaks; empty for none.
func (k Key) violation(i Item, r Response) string {
	selected, answer := i.CorrectSelected+i.IncorrectSelected, k.QType.Type().Answer
	switch {
	case !k.takes(r):
		return CodeWrongKind
	case r.Number != nil && (math.IsNaN(*r.Number) || math.IsInf(*r.Number, 0)):
		return CodeInvalidNumber
	case r.OptionIDs != nil && k.hasUnknown(r.OptionIDs):
		return CodeUnknownOption
	case answer == OneOption && selected > 1:
		return CodeTooManySelections
	case answer == PromptPairs:
		return k.brokenByPairs(r.Pairs)
	case answer == FilledGaps:
		return k.brokenByGaps(r.Gaps)
	case answer == AllInOrder && distinct(r.OptionIDs) < len(k.Options):
		return CodeTooFewSelections
	case answer == AllInOrder && len(r.OptionIDs) > len(k.Options):
		return CodeTooManySelections
	case answer == SeveralOptions && selected < k.MinSelections:
		return CodeTooFewSelections
	case answer == SeveralOptions && k.MaxSelections > 0 && selected > k.MaxSelections:
		return CodeTooManySelections
	default:
		return ""
	}
}

func (k Key) hasUnknown(ids []string) bool {
	options := k.correct()
	for _, id := range ids {
		_, known := options[id]
		if !known {
			return true
		}
	}
	return false
}

func distinct(ids []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(ids))))
}

// give turns credit into a score; no credit costs what negative marking says.
func (i *Item) give(credit float64, c Config) {
	i.IsCorrect = credit == 1
	i.PartialCredit = credit > 0 && credit < 1
	i.Score = round10(credit * i.MaxScore)
	if credit == 0 {
		i.Score = round10(-c.NegativeMarking * i.MaxScore)
	}
}
