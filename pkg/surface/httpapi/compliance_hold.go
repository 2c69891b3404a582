package httpapi

import (
	"context"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/restrict"
	"assess/pkg/trust/retention"
)

type restrictInput struct {
	Body struct {
		SubjectID ids.ID `json:"subject_id" doc:"The user"`
		restrict.Arguments
		DryRun bool `json:"dryRun,omitempty" doc:"Do everything, say what it would be, and take it back"`
	}
}

func (s *Server) restrictPerson(ctx context.Context, tx *db.Tx, in *restrictInput) (StartedJob, error) {
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.Restrict, SubjectID: in.Body.SubjectID,
		Arguments: compliance.Arguments(in.Body.Arguments)}, in.Body.DryRun)
}

type holdsInput struct {
	SubjectID    ids.ID `query:"subjectId" doc:"The user"`
	SubmissionID ids.ID `query:"submissionId" doc:"Holds of this submission alone"`
	Kind         string `query:"kind" enum:"processing,legal"`
	ReasonCode   string `query:"reasonCode" maxLength:"64"`
	State        string `query:"state" enum:"standing,lifted" doc:"All when absent"`
	Matter       string `query:"matter" maxLength:"64" doc:"Only of this matter"`
	Review       bool   `query:"review" doc:"Only those that somebody should look at by now, the oldest date first"`
	PageQuery
}

func listHolds(ctx context.Context, tx *db.Tx, in *holdsInput) (db.List[hold.Hold], error) {
	return hold.List(ctx, tx, hold.Filter{SubjectID: ids.Ref(in.SubjectID), SubmissionID: ids.Ref(in.SubmissionID), Kind: in.Kind,
		ReasonCode: in.ReasonCode, State: in.State, Matter: in.Matter, Review: in.Review, Page: in.page()})
}

type sweepInput struct {
	Body struct {
		DryRun bool `json:"dryRun,omitempty" doc:"Say what a sweep would do; of a policy with much to do, what it would do first"`
	}
}

func (s *Server) sweepRetention(ctx context.Context, tx *db.Tx, in *sweepInput) (StartedJob, error) {
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.RetentionSweep}, in.Body.DryRun)
}

type incidentsInput struct {
	Domain    string    `query:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	EventType string    `query:"eventType" enum:"retention.blocked,retention.failed"`
	PolicyID  ids.ID    `query:"policyId"`
	From      time.Time `query:"from" doc:"Recorded at or after"`
	To        time.Time `query:"to" doc:"Recorded before"`
	Sort      string    `query:"sort" enum:"-createdAt,createdAt,-candidate_count,candidate_count" doc:"The newest first when absent"`
	PageQuery
}

func listIncidents(ctx context.Context, tx *db.Tx, in *incidentsInput) (db.List[retention.Incident], error) {
	return retention.ListIncidents(ctx, tx, retention.IncidentFilter{Domain: in.Domain, EventType: in.EventType, PolicyID: ids.Ref(in.PolicyID),
		From: moment(in.From), To: moment(in.To), Sort: in.Sort, Page: in.page()})
}
