package projection

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Standing is what questions are ordered by.
type Standing struct {
	QuestionVersionID ids.ID
	Attempts          int64
	OmitRate          *float64
	Drift             float64
	// AttentionRank is the rank of the question or, as long as it is not settled, the highest that
	// it can have.
	AttentionRank int
	Settled       bool
}

// StandingOf is that of a question that is measured.
func StandingOf(h models.QuestionHealth) Standing {
	return Standing{QuestionVersionID: h.QuestionVersionID, Attempts: h.AttemptsN, OmitRate: h.OmitRate, Drift: h.Drift,
		AttentionRank: h.AttentionRank, Settled: true}
}

// standing judges a question by sums, as if what is not known of it yet were as bad as it can be.
func (t *tally) standing(question ids.ID) Standing {
	h := t.health()
	s := StandingOf(h)
	slowest.set(&h)
	f := figuresOf(h)
	if h.QType == "mcq" || h.QType == "mrq" {
		f.WrongOptions = []float64{1, 1, 0}
	}
	s.QuestionVersionID, s.AttentionRank = question, rankOf(f)
	s.Settled = s.AttentionRank == 0
	return s
}

// slowest are medians of a question whose answers have become as slow as can be.
var slowest = medianTimes{Median7d: new(1e9), Median30d: new(1.0)}

// rank is the attention rank of a question whose options are known, with these medians.
func (t *tally) rank(m medianTimes) int {
	h := t.health()
	m.set(&h)
	return rankOf(t.figures(h))
}

// countsSQL gives attempts and what is exempt alone.
const countsSQL = `
select question_version_id, sum(attempts_n::int), sum(exempt_n::int) from day group by 1`

// Counts gives the attempts of each question and its omit rate, for the orders that look at
// nothing else.
func Counts(ctx context.Context, tx *db.Tx, f Filter) ([]Standing, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	s := f.source(tx, orgs)
	var rows []Standing
	var question ids.ID
	var attempts, exempt int64
	err = each(ctx, tx, "with "+s.cells+countsSQL, s.args, []any{&question, &attempts, &exempt}, func() {
		rows = append(rows, Standing{QuestionVersionID: question, Attempts: attempts, OmitRate: Ratio(exempt, attempts)})
	})
	if err != nil {
		return nil, fmt.Errorf("count attempts: %w", err)
	}
	return rows, nil
}
