package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// ReportJob is a job that knows where it is found.
type ReportJob struct{ projection.Job }

// Location is where the job can be followed.
func (j ReportJob) Location() string { return "/api/v1/reporting/jobs/" + j.ID.String() }

type queueProjectionInput struct{ Body projection.JobInput }

func queueProjection(ctx context.Context, tx *db.Tx, in *queueProjectionInput) (ReportJob, error) {
	queued, err := projection.QueueProjection(ctx, tx, in.Body)
	return ReportJob{queued}, err
}

func recomputePercentiles(ctx context.Context, tx *db.Tx, _ *nothing) (ReportJob, error) {
	queued, err := projection.QueuePercentiles(ctx, tx)
	return ReportJob{queued}, err
}

type jobsInput struct{ PageQuery }

func listReportJobs(ctx context.Context, tx *db.Tx, in *jobsInput) (db.List[projection.Job], error) {
	return projection.ListJobs(ctx, tx, in.page())
}

type jobInput struct {
	ID ids.ID `path:"id"`
}

func getReportJob(ctx context.Context, tx *db.Tx, in *jobInput) (projection.Job, error) {
	return projection.GetJob(ctx, tx, in.ID)
}
