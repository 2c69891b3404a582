package reporting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// Analysis tells what was chosen; both parts are null for questions without options.
type Analysis struct {
	ChoiceSingle *ChoiceSingle `json:"choiceSingle"`
	ChoiceMulti  *ChoiceMulti  `json:"choiceMulti"`
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
	PatternsN            int           `json:"patternsN" doc:"Number of different answer sets"`
	PartialCredit        []CreditRange `json:"partialCredit" nullable:"false" doc:"Scored attempts by share of the weight"`
	ErrorModes           ErrorModes    `json:"errorModes"`
	ConstraintViolations []CodeCount   `json:"constraintViolations" nullable:"false" doc:"Invalid attempts by violation"`
}

// Option counts one option over scored attempts.
type Option struct {
	OptionShare
	IsCorrect bool `json:"isCorrect"`
}

// Pattern is one exact answer set.
type Pattern struct {
	OptionIDs []string `json:"optionIds" nullable:"false"`
	N         int64    `json:"n"`
	Pct       *float64 `json:"pct" doc:"Share of scored attempts"`
}

// CreditRange counts scored attempts from a share of the weight, included, to the next;
// the last range is full credit.
type CreditRange struct {
	FromPct float64 `json:"fromPct"`
	ToPct   float64 `json:"toPct"`
	N       int64   `json:"n"`
}

// ErrorModes may overlap: an attempt in both is also in the other two.
type ErrorModes struct {
	MissedCorrect     int64 `json:"missedCorrect"`
	SelectedIncorrect int64 `json:"selectedIncorrect"`
	Both              int64 `json:"both"`
}

// CodeCount counts a code.
type CodeCount struct {
	Code string `json:"code"`
	N    int64  `json:"n"`
}

const maxPatterns = 1000

// choices are the choice counts of one question, by kind and code, and its options.
type choices struct {
	counts  map[string]map[string]int64
	options []Option
}

func readChoices(ctx context.Context, tx *db.Tx, orgs []ids.ID, question ids.ID) (choices, error) {
	c := choices{counts: map[string]map[string]int64{}}
	rows, err := tx.Query(ctx, `
		select kind, code, sum(n)::bigint from report_question_choice_day
		where tenant_id = $1 and org_unit_id = any($2) and question_version_id = $3 group by 1, 2`,
		tx.Tenant(), orgs, question)
	if err != nil {
		return choices{}, fmt.Errorf("read choices: %w", err)
	}
	var kind, code string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&kind, &code, &n}, func() error {
		if c.counts[kind] == nil {
			c.counts[kind] = map[string]int64{}
		}
		c.counts[kind][code] = n
		return nil
	})
	if err != nil {
		return choices{}, fmt.Errorf("read choices: %w", err)
	}
	rows, err = tx.Query(ctx, `
		select option_id, bool_or(is_correct) from report_question_options
		where tenant_id = $1 and org_unit_id = any($2) and question_version_id = $3
		group by option_id order by min(position), option_id`, tx.Tenant(), orgs, question)
	if err != nil {
		return choices{}, fmt.Errorf("read options: %w", err)
	}
	c.options, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Option, error) {
		var o Option
		err := row.Scan(&o.OptionID, &o.IsCorrect)
		return o, err
	})
	if err != nil {
		return choices{}, fmt.Errorf("read options: %w", err)
	}
	return c, nil
}

func (c choices) analysis(h models.QuestionHealth) Analysis {
	switch h.QType {
	case single:
		return Analysis{ChoiceSingle: &ChoiceSingle{TopOption: topOption(h), Options: c.shares(h)}}
	case multiple:
		patterns := c.patterns(h.ScoredN)
		return Analysis{ChoiceMulti: &ChoiceMulti{Options: c.shares(h), PatternsN: len(patterns),
			TopPatterns: patterns[:min(maxPatterns, len(patterns))], PartialCredit: c.credit(),
			ErrorModes: ErrorModes{MissedCorrect: c.counts["error"]["missed_correct"],
				SelectedIncorrect: c.counts["error"]["selected_incorrect"], Both: c.counts["error"]["both"]},
			ConstraintViolations: sortedCounts(c.counts["violation"])}}
	}
	return Analysis{}
}

func (c choices) shares(h models.QuestionHealth) []Option {
	all := []Option{}
	for _, o := range c.options {
		o.N = c.counts["option"][o.OptionID]
		o.Pct = rate(o.N, h.ScoredN)
		all = append(all, o)
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

func (c choices) credit() []CreditRange {
	all := []CreditRange{}
	for tenth := range 11 {
		all = append(all, CreditRange{FromPct: float64(tenth) / 10, ToPct: float64(min(tenth+1, 10)) / 10,
			N: c.counts["credit"][strconv.Itoa(tenth)]})
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
