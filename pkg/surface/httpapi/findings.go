package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

type reportedFindingsInput struct {
	SubmissionID ids.ID `query:"submissionId" required:"true"`
	PageQuery
}

func listReportedFindings(ctx context.Context, tx *db.Tx, in *reportedFindingsInput) (reporting.FindingList, error) {
	return reporting.ListFindings(ctx, tx, in.SubmissionID, in.page())
}
