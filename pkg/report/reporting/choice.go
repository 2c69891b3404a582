package reporting

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// Analysis tells what was answered; questions with options have one of its parts, others none, nor does a link whose maker
// may not read questions: the parts say which answers are right.
type Analysis struct {
	ChoiceSingle *ChoiceSingle `json:"choiceSingle"`
	ChoiceMulti  *ChoiceMulti  `json:"choiceMulti"`
	Parts        *Parts        `json:"parts"`
}

// ChoiceSingle is the analysis of a question with one right option.
type ChoiceSingle struct {
	TopOption *OptionShare `json:"topOption"`
	Options   []Option     `json:"options" nullable:"false" doc:"Every option of the question, chosen or not"`
}

// ChoiceMulti is the analysis of a question with several right options.
type ChoiceMulti struct {
	Options              []Option      `json:"options" nullable:"false" doc:"Inclusion of every option"`
	TopPatterns          []Pattern     `json:"topPatterns" nullable:"false" doc:"Exact answer sets, most frequent first, at most 1,000"`
	PatternsN            int64         `json:"patternsN" doc:"Number of different answer sets, those too that are not in topPatterns"`
	OtherPatterns        OtherPatterns `json:"otherPatterns"`
	PartialCredit        []CreditRange `json:"partialCredit" nullable:"false" doc:"Scored attempts by share of the weight"`
	ErrorModes           ErrorModes    `json:"errorModes"`
	ConstraintViolations []CodeCount   `json:"constraintViolations" nullable:"false" doc:"Invalid attempts by violation"`
}

// Option counts one option over scored attempts.
type Option struct {
	OptionShare
	Text      string `json:"text" doc:"As plain text in its default language, at most 500 characters; empty where the stem is" example:"Carbon dioxide"`
	IsCorrect bool   `json:"isCorrect" doc:"By the key that holds, which a remediation may have corrected; where evaluation versions differ, right in one of them"`
}

// Pattern is one exact answer set.
type Pattern struct {
	OptionIDs []string `json:"optionIds" nullable:"false"`
	N         int64    `json:"n"`
	Pct       *float64 `json:"pct" doc:"Share of scored attempts"`
}

// OtherPatterns are the answer sets that topPatterns leaves out.
type OtherPatterns struct {
	PatternsN int64    `json:"patternsN" doc:"How many answer sets topPatterns leaves out"`
	N         int64    `json:"n" doc:"Their scored attempts"`
	Pct       *float64 `json:"pct" doc:"Share of scored attempts"`
}

// CreditRange counts scored attempts from a share of the weight, included, to the next;
// the last range is full credit.
type CreditRange struct {
	FromPct float64  `json:"fromPct"`
	ToPct   float64  `json:"toPct"`
	N       int64    `json:"n"`
	Pct     *float64 `json:"pct" doc:"Share of scored attempts"`
}

// ErrorModes may overlap: an attempt that is in both also counts in the other two.
type ErrorModes struct {
	MissedCorrect     int64 `json:"missedCorrect" doc:"Scored attempts that left out a right option"`
	SelectedIncorrect int64 `json:"selectedIncorrect" doc:"Scored attempts that chose a wrong option"`
	Both              int64 `json:"both"`
}

// CodeCount counts a code.
type CodeCount struct {
	Code string   `json:"code"`
	N    int64    `json:"n"`
	Pct  *float64 `json:"pct" doc:"Share of all attempts"`
}

// choices are the choice counts of one question, by kind and code, its key and its words.
type choices struct {
	counts projection.ChoiceCounts
	key    projection.Key
	spoken
}

// readChoices counts what was chosen in the attempts of a filter, which names the questions. The keys
// are the ones in force in these attempts.
func readChoices(ctx context.Context, tx *db.Tx, orgs []ids.ID, f projection.Filter, keys map[ids.ID]projection.Key) (map[ids.ID]choices, error) {
	counts, err := projection.Choices(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	said, err := readWords(ctx, tx, orgs, f.Questions)
	if err != nil {
		return nil, err
	}
	all := map[ids.ID]choices{}
	for _, question := range f.Questions {
		all[question] = choices{counts[question], keys[question], said[question]}
	}
	return all, nil
}

func (c choices) analysis(h models.QuestionHealth) Analysis {
	switch answerOf(h.QType) {
	case scoring.OneOption:
		return Analysis{ChoiceSingle: &ChoiceSingle{TopOption: topOption(h), Options: c.shares(h)}}
	case scoring.SeveralOptions:
		return Analysis{ChoiceMulti: &ChoiceMulti{Options: c.shares(h), PatternsN: c.patternsN(),
			TopPatterns: c.patterns(h.ScoredN), OtherPatterns: c.otherPatterns(h.ScoredN), PartialCredit: c.credit(h.ScoredN),
			ErrorModes: c.errorModes(), ConstraintViolations: c.violations(h.AttemptsN)}}
	case scoring.AllInOrder, scoring.PromptPairs, scoring.FilledGaps:
		return Analysis{Parts: &Parts{Parts: c.parts(h), PatternsN: c.patternsN(), TopPatterns: c.patterns(h.ScoredN),
			OtherPatterns: c.otherPatterns(h.ScoredN), PartialCredit: c.credit(h.ScoredN), ConstraintViolations: c.violations(h.AttemptsN)}}
	}
	return Analysis{}
}

func (c choices) errorModes() ErrorModes {
	modes := c.counts["error"]
	return ErrorModes{MissedCorrect: modes["missed_correct"], SelectedIncorrect: modes["selected_incorrect"], Both: modes["both"]}
}

func (c choices) violations(attempts int64) []CodeCount {
	all := sortedCounts(c.counts["violation"])
	for i := range all {
		all[i].Pct = rate(all[i].N, attempts)
	}
	return all
}

func (c choices) shares(h models.QuestionHealth) []Option {
	all := []Option{}
	for _, o := range c.key.Options {
		n := c.counts["option"][o.ID]
		all = append(all, Option{OptionShare{OptionID: o.ID, N: n, Pct: rate(n, h.ScoredN)}, c.options[o.ID], o.Correct})
	}
	return all
}

func (c choices) patterns(scored int64) []Pattern {
	all := []Pattern{}
	for _, found := range sortedCounts(c.counts["pattern"]) {
		all = append(all, Pattern{OptionIDs: strings.Split(found.Code, "+"), N: found.N, Pct: rate(found.N, scored)})
	}
	return all
}

func (c choices) otherPatterns(scored int64) OtherPatterns {
	rest := c.counts["rest"]
	return OtherPatterns{PatternsN: rest["patterns"], N: rest["attempts"], Pct: rate(rest["attempts"], scored)}
}

func (c choices) patternsN() int64 {
	return int64(len(c.counts["pattern"])) + c.counts["rest"]["patterns"]
}

func (c choices) credit(scored int64) []CreditRange {
	all := []CreditRange{}
	for tenth := range 11 {
		n := c.counts["credit"][strconv.Itoa(tenth)]
		all = append(all, CreditRange{FromPct: float64(tenth) / 10, ToPct: float64(min(tenth+1, 10)) / 10, N: n, Pct: rate(n, scored)})
	}
	return all
}

// sortedCounts puts the most frequent first.
func sortedCounts(counts map[string]int64) []CodeCount {
	all := []CodeCount{}
	for code, n := range counts {
		all = append(all, CodeCount{Code: code, N: n})
	}
	slices.SortFunc(all, func(a, b CodeCount) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Code, b.Code)) })
	return all
}
