package httpapi

import (
	"context"
	"errors"
	"io"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/unlink"
)

// StartedJob is a job that knows where it is found.
type StartedJob struct{ compliance.Job }

// Location is where the job can be followed.
func (j StartedJob) Location() string { return "/api/v1/compliance/jobs/" + j.ID.String() }

type complianceJobsInput struct {
	JobType   string `query:"jobType" enum:"forget,restrict,dsar_export,privacy_pack,unlink,retention_sweep"`
	Status    string `query:"status" enum:"queued,running,completed,failed,blocked"`
	SubjectID ids.ID `query:"subjectId" doc:"The user whom a job is about"`
	SLAState  string `query:"slaState" enum:"on_track,at_risk,breached"`
	PageQuery
}

func listComplianceJobs(ctx context.Context, tx *db.Tx, in *complianceJobsInput) (db.List[compliance.JobItem], error) {
	return compliance.ListJobs(ctx, tx, compliance.JobFilter{Type: in.JobType, Status: in.Status, SubjectID: in.SubjectID, SLAState: in.SLAState, Page: in.page()})
}

func (s *Server) getComplianceJob(ctx context.Context, tx *db.Tx, in *ByID) (compliance.Job, error) {
	return s.compliance.GetJob(ctx, tx, in.ID)
}

// startJob creates a job, or does it all and takes it back.
func (s *Server) startJob(ctx context.Context, tx *db.Tx, in compliance.Input, dry bool) (StartedJob, error) {
	start := s.compliance.Create
	if dry {
		start = s.compliance.Preview
	}
	job, err := start(ctx, tx, in)
	return StartedJob{job}, err
}

type createComplianceJobInput struct {
	Body struct {
		JobType   string         `json:"job_type" enum:"forget,restrict,dsar_export,privacy_pack,unlink,retention_sweep"`
		SubjectID ids.ID         `json:"subject_id,omitempty" doc:"The user whom it is about; a sweep is about no single person"`
		Arguments map[string]any `json:"arguments,omitempty" doc:"What the route of the job type takes besides the subject"`
		DryRun    bool           `json:"dryRun,omitempty" doc:"Do everything, say what it would be, and take it back"`
	}
}

func (s *Server) createComplianceJob(ctx context.Context, tx *db.Tx, in *createComplianceJobInput) (StartedJob, error) {
	wanted := compliance.Input{Type: in.Body.JobType, SubjectID: in.Body.SubjectID}
	if in.Body.Arguments != nil {
		var err error
		wanted.Arguments, err = wire.Marshal(in.Body.Arguments)
		if err != nil {
			return StartedJob{}, err
		}
	}
	job, err := s.startJob(ctx, tx, wanted, in.Body.DryRun)
	return job, ofArguments(err)
}

// ofArguments names fields of the arguments by their place in the body.
func ofArguments(err error) error {
	if !errors.Is(err, errs.ValidationFailed) {
		return err
	}
	known := errs.Of(err)
	fields := slices.Clone(known.Fields)
	for i, f := range fields {
		if !slices.Contains([]string{"job_type", "subject_id", "arguments"}, f.Path) {
			fields[i].Path = "arguments." + f.Path
		}
	}
	return errs.Invalid(fields...)
}

type unlinkInput struct {
	Body struct {
		SubjectID ids.ID `json:"subject_id" doc:"The user"`
		unlink.Arguments
		DryRun bool `json:"dryRun,omitempty" doc:"Do everything, say what it would be, and take it back"`
	}
}

func (s *Server) unlinkPerson(ctx context.Context, tx *db.Tx, in *unlinkInput) (StartedJob, error) {
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.Unlink, SubjectID: in.Body.SubjectID, Arguments: compliance.Arguments(in.Body.Arguments)}, in.Body.DryRun)
}

type artifactInput struct {
	ByID
	Name string `path:"name" maxLength:"100"`
}

func (s *Server) findArtifact(ctx context.Context, tx *db.Tx, in *artifactInput) (download, error) {
	a, err := s.compliance.View(ctx, tx, in.ID, in.Name)
	if err != nil {
		return download{}, err
	}
	tenant := tx.Tenant()
	return download{Name: a.Name, MediaType: a.MediaType, SHA256: a.SHA256, Modified: a.CreatedAt,
		Open: func(ctx context.Context, verified bool) (io.ReadSeekCloser, error) {
			return s.compliance.Files.Open(ctx, tenant, a, verified)
		}}, nil
}

type complianceLedgerInput struct {
	EventType string `query:"eventType" maxLength:"100" doc:"<job type>.requested, .completed, .failed or .blocked" example:"forget.completed"`
	SubjectID ids.ID `query:"subjectId"`
	PageQuery
}

func listComplianceLedger(ctx context.Context, tx *db.Tx, in *complianceLedgerInput) (db.List[compliance.LedgerEntry], error) {
	return compliance.ListLedger(ctx, tx, compliance.LedgerFilter{EventType: in.EventType, SubjectID: in.SubjectID, Page: in.page()})
}
