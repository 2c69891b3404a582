package httpapi

import (
	"context"
	"io"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// HealthQuery are the filters of question health.
type HealthQuery struct {
	Tag                 []string  `query:"tag,explode" maxItems:"50" doc:"Snapshot tag facet:term; several are joined by and"`
	From                time.Time `query:"from" doc:"Only attempts completed at or after this moment"`
	To                  time.Time `query:"to" doc:"Only attempts completed before this moment"`
	EvaluationVersionID ids.ID    `query:"evaluationVersionId" doc:"Only attempts at this evaluation version"`
	RunQuery
}

// RunQuery is the filter by a run. An empty label is one too: attempts that belong to no run have it.
type RunQuery struct {
	RunLabel string `query:"run_label" maxLength:"200" doc:"Only what belongs to this run; empty: only what belongs to none"`
	asked    bool
}

// Resolve looks whether the filter is there at all.
func (q *RunQuery) Resolve(hc huma.Context) []error {
	u := hc.URL()
	q.asked = u.Query().Has("run_label")
	return nil
}

func (q RunQuery) run() *string {
	if !q.asked {
		return nil
	}
	return &q.RunLabel
}

// Resolve adds checks that the schema cannot make.
func (q *HealthQuery) Resolve(hc huma.Context) []error {
	return append(q.RunQuery.Resolve(hc), complaints(q.filter().Check())...)
}

func (q HealthQuery) filter() reporting.HealthFilter {
	return reporting.HealthFilter{Tags: q.Tag, From: moment(q.From), To: moment(q.To),
		EvaluationVersionID: q.EvaluationVersionID, RunLabel: q.run()}
}

type healthInput struct {
	HealthQuery
	Sort string `query:"sort" enum:"needs_attention_first,highest_omit,most_drift,most_exposed" default:"needs_attention_first"`
	PageQuery
}

func listQuestionHealth(ctx context.Context, tx *db.Tx, in *healthInput) (reporting.HealthList, error) {
	f := in.filter()
	f.Sort, f.Page = in.Sort, in.page()
	return reporting.ListHealth(ctx, tx, f)
}

type reportedEvaluationsInput struct {
	Q string `query:"q" maxLength:"200" doc:"A part of the title; case does not matter"`
	PageQuery
}

func listReportedEvaluations(ctx context.Context, tx *db.Tx, in *reportedEvaluationsInput) (reporting.ReportedEvaluations, error) {
	return reporting.ListEvaluations(ctx, tx, reporting.EvaluationFilter{Search: in.Q, Page: in.page()})
}

type healthExportInput struct{ HealthQuery }

func exportQuestionHealth(ctx context.Context, tx *db.Tx, in *healthExportInput, to io.Writer) error {
	_, err := reporting.ExportHealth(ctx, tx, in.filter(), to)
	return err
}

type questionHealthInput struct {
	QuestionVersionID ids.ID `path:"questionVersionId"`
	HealthQuery
}

func questionHealth(ctx context.Context, tx *db.Tx, in *questionHealthInput) (reporting.QuestionHealthDetail, error) {
	return reporting.QuestionHealth(ctx, tx, in.QuestionVersionID, in.filter())
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
