package httpapi

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
	"assess/pkg/report/projection"
)

func exceptionRoutes() []route {
	reads, works := needs(capability.ExceptionsRead), needs(capability.ExceptionsTriage)
	return []route{
		pictured(get("/defensibility/exceptions/submissions", "listExceptions", reads, "List submissions whose results cannot be defended yet, the oldest issue first", listExceptions), drawExceptions),
		write(post, "/defensibility/exceptions/submissions/refresh", "refreshExceptions", taken, works, "Judge submissions of the scope anew", refreshExceptions),
		get("/defensibility/exceptions/refreshes/{id}", "getExceptionsRefresh", needs(capability.ExceptionsRead, capability.ExceptionsTriage), "Read how far a refresh is", getExceptionsRefresh),
		get("/defensibility/exceptions/submissions/{submissionId}", "getException", reads, "Read the exception about a submission", getException),
		write(post, "/defensibility/exceptions/submissions/{submissionId}/triage", "triageException", ok, works, "Set state, owner and suppression of an exception", triageException),
		get("/defensibility/exceptions/engagements", "listEngagementExceptions", reads, "List engagements with submissions that are not ready", listRollups(exception.Engagements)),
		write(post, "/defensibility/exceptions/engagements/{engagementId}/triage", "triageEngagement", ok, works, "Set state, owner and suppression of an engagement", triageEngagement),
		get("/defensibility/exceptions/programme-requirements", "listRequirementExceptions", reads, "List programme requirements with submissions that are not ready", listRollups(exception.Requirements)),
		write(post, "/defensibility/exceptions/programme-requirements/{programmeRequirementId}/triage", "triageRequirement", ok, works, "Set state, owner and suppression of a programme requirement", triageRequirement),
	}
}

// TriageQuery filters the queue by the decisions of people.
type TriageQuery struct {
	State             string `query:"state" enum:"open,acknowledged,resolved" doc:"Without it all that are not resolved"`
	ReadinessState    string `query:"readinessState" enum:"not_met,pending,met" doc:"not_met: something stands against the result; pending: it waits for somebody; met: cleared, and so only with state resolved"`
	OwnerUserID       ids.ID `query:"ownerUserId" doc:"Only what this user looks after"`
	IncludeSuppressed bool   `query:"includeSuppressed" doc:"With those that are suppressed now"`
	Sort              string `query:"sort" enum:"age,-age" doc:"The oldest issue first, which is the default, or the newest"`
	PageQuery
}

func (q TriageQuery) filter() exception.Filter {
	return exception.Filter{State: q.State, ReadinessState: q.ReadinessState, OwnerUserID: q.OwnerUserID,
		IncludeSuppressed: q.IncludeSuppressed, Sort: q.Sort, Page: q.page()}
}

type listExceptionsInput struct {
	Reason       string `query:"reason" maxLength:"100" doc:"Only those with this reason"`
	EvaluationID ids.ID `query:"evaluationId" doc:"Only submissions of this evaluation"`
	TriageQuery
}

func listExceptions(ctx context.Context, tx *db.Tx, in *listExceptionsInput) (db.List[exception.Exception], error) {
	f := in.filter()
	f.Reason, f.EvaluationID = in.Reason, in.EvaluationID
	return exception.List(ctx, tx, f)
}

// ByException names the submission of an exception.
type ByException struct {
	SubmissionID ids.ID `path:"submissionId"`
}

func getException(ctx context.Context, tx *db.Tx, in *ByException) (exception.Exception, error) {
	return exception.Get(ctx, tx, in.SubmissionID)
}

type triageExceptionInput struct {
	ByException
	Body exception.TriageInput
}

func triageException(ctx context.Context, tx *db.Tx, in *triageExceptionInput) (exception.Exception, error) {
	return exception.Work(ctx, tx, in.SubmissionID, in.Body)
}

func listRollups(kind exception.Kind) func(context.Context, *db.Tx, *TriageQuery) (db.List[exception.Rollup], error) {
	return func(ctx context.Context, tx *db.Tx, in *TriageQuery) (db.List[exception.Rollup], error) {
		return exception.ListRollups(ctx, tx, kind, in.filter())
	}
}

type triageEngagementInput struct {
	EngagementID ids.ID `path:"engagementId"`
	Body         exception.TriageInput
}

func triageEngagement(ctx context.Context, tx *db.Tx, in *triageEngagementInput) (exception.Rollup, error) {
	return exception.WorkRollup(ctx, tx, exception.Engagements, in.EngagementID, in.Body)
}

type triageRequirementInput struct {
	RequirementID ids.ID `path:"programmeRequirementId"`
	Body          exception.TriageInput
}

func triageRequirement(ctx context.Context, tx *db.Tx, in *triageRequirementInput) (exception.Rollup, error) {
	return exception.WorkRollup(ctx, tx, exception.Requirements, in.RequirementID, in.Body)
}

// Refresh is a job that judges submissions anew and knows where it is found.
type Refresh struct{ projection.Job }

// Location is where the refresh can be followed.
func (r Refresh) Location() string {
	return "/api/v1/defensibility/exceptions/refreshes/" + r.ID.String()
}

type refreshExceptionsInput struct{ Body projection.RefreshInput }

func refreshExceptions(ctx context.Context, tx *db.Tx, in *refreshExceptionsInput) (Refresh, error) {
	queued, err := projection.QueueRefresh(ctx, tx, in.Body)
	return Refresh{queued}, err
}

func getExceptionsRefresh(ctx context.Context, tx *db.Tx, in *jobInput) (projection.Job, error) {
	return projection.GetRefresh(ctx, tx, in.ID)
}
