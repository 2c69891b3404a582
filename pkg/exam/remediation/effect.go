package remediation

import (
	"encoding/json"
	"slices"

	"assess/models"
	"assess/pkg/kernel/scoring"
)

// The rules of remediations (decisions, section 4).
const (
	RuleExempt     = "exempt_question"
	RuleRekey      = "rekey"
	RuleFullCredit = "full_credit"
	RuleAdjust     = "adjust_item"
)

// Parameters are what a rule needs besides its question: a new key for rekey, the score for
// adjust_item, nothing for the others.
type Parameters struct {
	CorrectOptionIDs []string       `json:"correctOptionIds,omitempty" nullable:"false" maxItems:"100" maxLength:"32" doc:"rekey: the right options. Where the answer is one option, each of them is right"`
	Order            []string       `json:"order,omitempty" nullable:"false" maxItems:"100" maxLength:"32" doc:"rekey of an order: the ids of all options in their right order"`
	Pairs            []scoring.Pair `json:"pairs,omitempty" nullable:"false" maxItems:"1000" doc:"rekey of a match: the right pairs, each a prompt's id and an option's"`
	Gaps             []GapKey       `json:"gaps,omitempty" nullable:"false" maxItems:"100" doc:"rekey of gaps: what is right in the gaps that change; the others stay as they are"`
	AcceptedAnswers  []string       `json:"acceptedAnswers,omitempty" nullable:"false" maxItems:"100" maxLength:"1000" doc:"rekey of text: the right answers"`
	Value            *float64       `json:"value,omitempty" doc:"rekey of a number: the right one"`
	Tolerance        *float64       `json:"tolerance,omitempty" minimum:"0" doc:"rekey of a number: how far off is right; as it was when absent"`
	Score            *float64       `json:"score,omitempty" minimum:"0" doc:"adjust_item: the score that everybody gets, at most the weight of the item"`
}

// GapKey holds the right answer of a gap: options, texts or a number, by the kind of the gap.
type GapKey struct {
	ID               string   `json:"id" maxLength:"32" example:"g1"`
	CorrectOptionIDs []string `json:"correctOptionIds,omitempty" nullable:"false" maxItems:"100" maxLength:"32" doc:"The right options of a choice or of the pool"`
	AcceptedAnswers  []string `json:"acceptedAnswers,omitempty" nullable:"false" maxItems:"100" maxLength:"1000" doc:"The right texts"`
	Value            *float64 `json:"value,omitempty" doc:"The right number"`
	Tolerance        *float64 `json:"tolerance,omitempty" minimum:"0" doc:"How far off a number is right; as it was when absent"`
}

// in gives the gap of a key with this as right.
func (g GapKey) in(was scoring.GapKey) scoring.GapKey {
	was.Correct, was.Accepted = g.CorrectOptionIDs, g.AcceptedAnswers
	if g.Value != nil {
		was.Value = g.Value
	}
	if g.Tolerance != nil {
		was.Tolerance = *g.Tolerance
	}
	return was
}

// rule says what a remediation does to an item.
type rule struct {
	name string
	Parameters
}

func ruleOf(row models.Remediation) (rule, error) {
	r := rule{name: row.Rule}
	return r, json.Unmarshal(row.Parameters, &r.Parameters)
}

// overrules says whether the rule affects the item at all. A new key does not change a score given by a person.
func (r rule) overrules(item seen) bool { return r.name != RuleRekey || !item.marked }

// give is the score of an item under the rule. It depends on the answer and on nothing
// that was corrected before: of several rules the last one holds, and taking it back brings
// back the one before.
func (r rule) give(item seen, key scoring.Key, config scoring.Config) scoring.Item {
	result := item.base
	result.Status, result.InvalidCode, result.Method = scoring.Scored, "", r.name
	switch r.name {
	case RuleExempt:
		result.Status, result.Score, result.MaxScore = scoring.Exempt, 0, 0
	case RuleFullCredit:
		result.Score = result.MaxScore
	case RuleAdjust:
		result.Score = scoring.Stored(*r.Score)
	default:
		return r.rekeyed(item, key, config)
	}
	result.IsCorrect = r.name != RuleExempt && result.Score == result.MaxScore
	return result
}

// rekeyed scores the answer with the new key. Nothing answered stays nothing.
func (r rule) rekeyed(item seen, key scoring.Key, config scoring.Config) scoring.Item {
	var response scoring.Response
	if item.omitted || item.response == nil || json.Unmarshal([]byte(*item.response), &response) != nil {
		return item.base
	}
	return scoring.Score(r.rekey(key), config, &response)
}

// rekey gives the key of the snapshot with other right answers.
func (r rule) rekey(key scoring.Key) scoring.Key {
	right := map[string]bool{}
	for _, id := range r.CorrectOptionIDs {
		right[id] = true
	}
	options := make([]scoring.OptionKey, 0, len(key.Options))
	for _, o := range key.Options {
		options = append(options, scoring.OptionKey{ID: o.ID, Correct: right[o.ID]})
	}
	key.Options, key.Accepted, key.Order, key.Pairs = options, r.AcceptedAnswers, r.Order, r.Pairs
	key.Gaps = slices.Clone(key.Gaps)
	for _, g := range r.Gaps {
		if i := slices.IndexFunc(key.Gaps, func(was scoring.GapKey) bool { return was.ID == g.ID }); i >= 0 {
			key.Gaps[i] = g.in(key.Gaps[i])
		}
	}
	if r.Value != nil {
		key.Value = *r.Value
	}
	if r.Tolerance != nil {
		key.Tolerance = *r.Tolerance
	}
	return key
}

// same says whether two scores of an item are the same to everybody: the method is a note.
func same(a, b scoring.Item) bool {
	a.Method, a.PartialCredit, a.Omitted, a.OmitReason = b.Method, b.PartialCredit, b.Omitted, b.OmitReason
	return a == b
}
