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

var reportFile = fileKind{".csv", "text/csv; charset=utf-8", "A CSV file with the same filters"}

// SummaryQuery are the filters of the evaluation summary.
type SummaryQuery struct {
	EvaluationVersionID ids.ID `query:"evaluationVersionId" required:"true"`
	RunQuery
	GroupID ids.ID    `query:"groupId" doc:"Only attempts at assignments to this group"`
	From    time.Time `query:"from" doc:"Only attempts completed at or after this moment; one that is not completed counts by its start"`
	To      time.Time `query:"to" doc:"Only attempts completed before this moment"`
	Scope   string    `query:"scope" enum:"version,allVersions" default:"version" doc:"allVersions sums up all versions of the evaluation"`
}

// Resolve adds checks that the schema cannot make.
func (in *SummaryQuery) Resolve(hc huma.Context) []error {
	return append(in.RunQuery.Resolve(hc), complaints(in.summary().Check())...)
}

func (in SummaryQuery) summary() reporting.SummaryInput {
	s := reporting.SummaryInput{EvaluationVersionID: in.EvaluationVersionID, RunLabel: in.run(), From: moment(in.From),
		To: moment(in.To), AllVersions: in.Scope == reporting.AllVersions}
	if in.GroupID != ids.None {
		s.GroupID = &in.GroupID
	}
	return s
}

type summaryInput struct {
	SummaryQuery
	Include []string `query:"include" maxItems:"10" enum:"tags,sections" doc:"Further blocks, joined by commas; a page has them all"`
}

func evaluationSummary(ctx context.Context, tx *db.Tx, in *summaryInput) (reporting.EvaluationSummary, error) {
	chosen := in.summary()
	chosen.Include = in.Include
	if asksForPage(ctx) {
		chosen.Include = []string{reporting.IncludeTags, reporting.IncludeSections}
	}
	return reporting.Summary(ctx, tx, chosen)
}

func exportEvaluationSummary(ctx context.Context, tx *db.Tx, in *SummaryQuery, to io.Writer) error {
	return reporting.ExportSummary(ctx, tx, in.summary(), to)
}

type summaryListInput struct {
	SummaryQuery
	Include []string `query:"include" maxItems:"10" enum:"scores,timing,distributions,tags,sections" doc:"Further blocks of each row, joined by commas"`
	PageQuery
}

func (in summaryListInput) list() reporting.SummaryListInput {
	chosen := in.summary()
	chosen.Include = in.Include
	return reporting.SummaryListInput{SummaryInput: chosen, Page: in.page()}
}

func evaluationSummaryGroups(ctx context.Context, tx *db.Tx, in *summaryListInput) (reporting.GroupSummaries, error) {
	return reporting.SummaryGroups(ctx, tx, in.list())
}

func evaluationSummaryCohorts(ctx context.Context, tx *db.Tx, in *summaryListInput) (reporting.CohortSummaries, error) {
	return reporting.SummaryCohorts(ctx, tx, in.list())
}

func exportEvaluationSummaryGroups(ctx context.Context, tx *db.Tx, in *SummaryQuery, to io.Writer) error {
	return reporting.ExportGroups(ctx, tx, in.summary(), to)
}

func exportEvaluationSummaryCohorts(ctx context.Context, tx *db.Tx, in *SummaryQuery, to io.Writer) error {
	return reporting.ExportCohorts(ctx, tx, in.summary(), to)
}
