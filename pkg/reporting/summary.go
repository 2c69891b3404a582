package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// SummaryInput chooses what to sum up. From (included) and To (excluded) bound the
// completion of submissions and the start of sessions; nil means no bound.
type SummaryInput struct {
	EvaluationVersionID ids.ID
	RunLabel            *string
	From, To            *time.Time
}

// EvaluationSummary sums up the attempts at one evaluation version (specification,
// section 4.1).
type EvaluationSummary struct {
	Scope    SummaryScope `json:"scope"`
	Hero     Hero         `json:"hero"`
	Attempts Attempts     `json:"attempts"`
	Outcomes Outcomes     `json:"outcomes"`
	Scores   Scores       `json:"scores"`
	projection.Freshness
}

// SummaryScope echoes what was asked for.
type SummaryScope struct {
	EvaluationID        ids.ID         `json:"evaluationId"`
	EvaluationVersionID ids.ID         `json:"evaluationVersionId"`
	RunLabel            *string        `json:"runLabel"`
	GroupID             *ids.ID        `json:"groupId"`
	From                *time.Time     `json:"from"`
	To                  *time.Time     `json:"to"`
	FiltersApplied      FiltersApplied `json:"filtersApplied"`
}

// FiltersApplied holds the filters that narrowed the figures, and no others.
type FiltersApplied struct {
	RunLabel *string    `json:"runLabel,omitempty"`
	GroupID  *ids.ID    `json:"groupId,omitempty"`
	From     *time.Time `json:"from,omitempty"`
	To       *time.Time `json:"to,omitempty"`
}

// Summary needs reporting.view. A version that exists and that nobody has started gives
// zero figures; one that is not in the scope gives not_found.
func Summary(ctx context.Context, tx *db.Tx, in SummaryInput) (EvaluationSummary, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return EvaluationSummary{}, err
	}
	err = checkPeriod(in.From, in.To)
	if err != nil {
		return EvaluationSummary{}, err
	}
	evaluation, err := evaluationOf(ctx, tx, in.EvaluationVersionID)
	if err != nil {
		return EvaluationSummary{}, err
	}
	c, err := count(ctx, tx, in)
	if err != nil {
		return EvaluationSummary{}, err
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return EvaluationSummary{}, err
	}
	return EvaluationSummary{
		Scope: SummaryScope{EvaluationID: evaluation, EvaluationVersionID: in.EvaluationVersionID, RunLabel: in.RunLabel,
			From: in.From, To: in.To, FiltersApplied: FiltersApplied{RunLabel: in.RunLabel, From: in.From, To: in.To}},
		Hero: c.hero(AccessPoints{}), Attempts: c.attempts(), Outcomes: c.outcomes(), Scores: c.scores(),
		Freshness: fresh,
	}, nil
}

func checkPeriod(from, to *time.Time) error {
	if from != nil && to != nil && !from.Before(*to) {
		return errs.Invalid(errs.Field{Path: "to", Code: "out_of_range", Message: "to must be after from"})
	}
	return nil
}

// evaluationOf looks in the reporting tables first: they outlive what they report on.
func evaluationOf(ctx context.Context, tx *db.Tx, version ids.ID) (ids.ID, error) {
	var evaluation *ids.ID
	err := tx.QueryRow(ctx, `
		select coalesce(
			(select evaluation_id from report_evaluation_rollup where tenant_id = $1 and evaluation_version_id = $2 limit 1),
			(select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2))`,
		tx.Tenant(), version).Scan(&evaluation)
	if err != nil {
		return ids.None, fmt.Errorf("find evaluation version: %w", err)
	}
	if evaluation == nil {
		return ids.None, errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	}
	return *evaluation, nil
}
