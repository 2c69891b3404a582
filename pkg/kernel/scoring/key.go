package scoring

import (
	"slices"

	"assess/pkg/kernel/errs"
)

// The methods of scoring. A Key has one of the first two; Manual is a person's.
const (
	AllOrNothing = "all_or_nothing"
	Partial      = "partial"
	Manual       = "manual"
)

// MaxWeight bounds the weight of a question, so that the totals of any evaluation with
// up to 900 such questions are exact.
const MaxWeight = 1_000_000

// Key has the facts of a question that scoring needs. Snapshots freeze it as JSON.
type Key struct {
	QType   QType       `json:"qtype"`
	Options []OptionKey `json:"options,omitempty"`
	// Weight is the score of full credit, up to MaxWeight; 0 means 1.
	Weight float64 `json:"weight"`
	// Method is AllOrNothing, which empty means too, or Partial.
	Method string `json:"method,omitempty"`
	// MinSelections and MaxSelections bound several options; 0 means no bound.
	MinSelections int `json:"minSelections,omitempty"`
	MaxSelections int `json:"maxSelections,omitempty"`
	// Accepted are the right texts.
	Accepted []string `json:"accepted,omitempty"`
	// Order has the ids of all options in their right order.
	Order []string `json:"order,omitempty"`
	// Prompts are matched with Options: Pairs are the right ones. Of MaxPerPrompt 0 means 1, of MaxPerOption any number.
	Prompts      []string `json:"prompts,omitempty"`
	Pairs        []Pair   `json:"pairs,omitempty"`
	MaxPerPrompt int      `json:"maxPerPrompt,omitempty"`
	MaxPerOption int      `json:"maxPerOption,omitempty"`
	// Gaps are the gaps of a text, in its order; Pool has the ids for gaps of kind pool, each for one gap unless Reuse.
	Gaps  []GapKey `json:"gaps,omitempty"`
	Pool  []string `json:"pool,omitempty"`
	Reuse bool     `json:"reuse,omitempty"`
	// Folding says how texts are compared with them. A snapshot says it once for all its keys.
	Folding Folding `json:"-"`
	// Value and Tolerance are the right number.
	Value     float64 `json:"value,omitempty"`
	Tolerance float64 `json:"tolerance,omitempty"`
	// Unkeyed says that a survey item has no right answer: none gets credit.
	Unkeyed bool `json:"unkeyed,omitempty"`
	// ContributesToScore is false for survey items.
	ContributesToScore bool `json:"contributesToScore"`
}

// OptionKey says whether an option is right.
type OptionKey struct {
	ID      string `json:"id"`
	Correct bool   `json:"correct"`
}

func (k Key) weight() float64 {
	if k.Weight == 0 {
		return 1
	}
	return k.Weight
}

func (k Key) method() string {
	methods := k.QType.Type().Methods
	if slices.Contains(methods, k.Method) {
		return k.Method
	}
	return methods[0]
}

// correct says of every option whether it is right.
func (k Key) correct() map[string]bool {
	options := make(map[string]bool, len(k.Options))
	for _, o := range k.Options {
		options[o.ID] = o.Correct
	}
	return options
}

// places counts the options that are where the order has them. An option counts once, at its first place.
func (k Key) places(ids []string) int {
	n, seen := 0, map[string]bool{}
	for i, id := range ids {
		if !seen[id] && i < len(k.Order) && k.Order[i] == id {
			n++
		}
		seen[id] = true
	}
	return n
}

// Outcome is the outcome code of a submission.
type Outcome string

// The outcomes (specification, section 2.1).
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "fail"
	Incomplete Outcome = "incomplete"
)

// Label gives the default label of an outcome; empty for an unknown one.
func (o Outcome) Label() string {
	switch o {
	case Pass:
		return "Pass"
	case Fail:
		return "Fail"
	case Incomplete:
		return "Incomplete"
	default:
		return ""
	}
}

// Config is the scoringConfig of an evaluation version.
type Config struct {
	Rounding        *int    `json:"rounding,omitempty" minimum:"0" maximum:"6" doc:"How many decimals the totals have; absent: as many as they come to"`
	NegativeMarking float64 `json:"negativeMarking,omitempty" minimum:"0" maximum:"1" doc:"The fraction of its weight that a wrong answer costs"`
	DefaultOutcome  Outcome `json:"defaultOutcome,omitempty" enum:"pass,fail,incomplete" doc:"The outcome where there is nothing to pass or fail. Default incomplete"`
}

// Validate reports values that are out of range; paths start at path.
func (c Config) Validate(path string) []errs.Field {
	var fields []errs.Field
	if c.Rounding != nil && (*c.Rounding < 0 || *c.Rounding > maxRounding) {
		fields = append(fields, errs.Field{Path: member(path, "rounding"), Code: CodeOutOfRange, Message: "expected 0 to 6 decimals"})
	}
	if !(c.NegativeMarking >= 0 && c.NegativeMarking <= 1) {
		fields = append(fields, errs.Field{Path: member(path, "negativeMarking"), Code: CodeOutOfRange, Message: "expected a fraction from 0 to 1"})
	}
	if c.DefaultOutcome != "" && c.DefaultOutcome.Label() == "" {
		fields = append(fields, errs.Field{Path: member(path, "defaultOutcome"), Code: CodeOutOfRange, Message: "expected pass, fail or incomplete"})
	}
	return fields
}

func (c Config) defaultOutcome() Outcome {
	if c.DefaultOutcome == "" {
		return Incomplete
	}
	return c.DefaultOutcome
}
