package httpapi

import (
	"context"
	"time"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/job"
	"assess/pkg/projection"
	"assess/pkg/reporting"
)

type summaryInput struct {
	EvaluationVersionID ids.ID    `query:"evaluationVersionId" required:"true"`
	RunLabel            string    `query:"runLabel" maxLength:"200" doc:"Only attempts of this run"`
	From                time.Time `query:"from" doc:"Only attempts completed at or after this moment"`
	To                  time.Time `query:"to" doc:"Only attempts completed before this moment"`
}

func evaluationSummary(ctx context.Context, tx *db.Tx, in *summaryInput) (reporting.EvaluationSummary, error) {
	return reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: in.EvaluationVersionID,
		RunLabel: given(in.RunLabel), From: moment(in.From), To: moment(in.To)})
}

type healthInput struct {
	Tag                 []string  `query:"tag,explode" doc:"Snapshot tag facet:term; several are joined by and"`
	From                time.Time `query:"from" doc:"Only attempts completed at or after this moment"`
	To                  time.Time `query:"to" doc:"Only attempts completed before this moment"`
	EvaluationVersionID ids.ID    `query:"evaluationVersionId"`
	RunLabel            string    `query:"runLabel" maxLength:"200"`
	Sort                string    `query:"sort" enum:"needs_attention_first,highest_omit,most_drift,most_exposed" default:"needs_attention_first"`
	PageQuery
}

func listQuestionHealth(ctx context.Context, tx *db.Tx, in *healthInput) (reporting.HealthList, error) {
	return reporting.ListHealth(ctx, tx, reporting.HealthFilter{Tags: in.Tag, From: moment(in.From), To: moment(in.To),
		EvaluationVersionID: in.EvaluationVersionID, RunLabel: given(in.RunLabel), Sort: in.Sort, Page: in.page()})
}

type questionHealthInput struct {
	QuestionVersionID ids.ID `path:"questionVersionId"`
}

func questionHealth(ctx context.Context, tx *db.Tx, in *questionHealthInput) (reporting.QuestionHealthDetail, error) {
	return reporting.QuestionHealth(ctx, tx, in.QuestionVersionID)
}

// Queued says what a maintenance call set in motion.
type Queued struct {
	Queued int `json:"queued" doc:"Number of records or jobs that were queued"`
}

func recomputePercentiles(ctx context.Context, tx *db.Tx, _ *nothing) (Queued, error) {
	return Queued{1}, job.Insert(ctx, tx, projection.PercentilesArgs{Tenant: tx.Tenant()})
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
