package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/dsar"
)

// quickFor is how long a call waits for its job; tests wait longer.
var quickFor = 2 * time.Second

// quickAtOnce is how many jobs may run in the calls that started them. Each takes connections that other calls
// need.
const quickAtOnce = 2

// quick makes a write that starts a job and waits a little for its end. The answer to a call that
// comes again tells how the job is by then.
func quick[I any](path, id string, status int, caps []capability.Capability, summary string, op operation[I, StartedJob]) route {
	return route{Method: http.MethodPost, Path: path, ID: id, Summary: summary, Needs: caps, Status: status, Once: true,
		register: func(s *Server, r route) { register(s, r, s.quickly, op) }}
}

func (s *Server) quickly(ctx context.Context, c call, status int, run func(*db.Tx) (any, error)) (*db.Answer, error) {
	if c.dryRun {
		return s.writingOnce(ctx, c, status, run)
	}
	var job ids.ID
	answer, err := s.once(ctx, c, status, run, func(out any) ([]byte, error) {
		job = out.(StartedJob).ID
		return json.Marshal(job)
	})
	if err != nil {
		return nil, err
	}
	if answer.Replayed {
		err = json.Unmarshal(answer.Body, &job)
		if err != nil {
			return nil, errs.Wrap(errs.Internal, err, "The stored answer cannot be read.")
		}
	}
	shown, err := s.soon(ctx, c.scope.Tenant, job)
	if err != nil {
		return nil, err
	}
	told, err := answerOf(status, shown)
	if err != nil {
		return nil, err
	}
	answer.Body = told.Body
	return answer, nil
}

// soon works on a job for a while, and gives it as it is then: the queue goes on with one that takes
// longer, or that broke off.
func (s *Server) soon(ctx context.Context, tenant, id ids.ID) (StartedJob, error) {
	short, cancel := context.WithTimeout(ctx, quickFor)
	defer cancel()
	select {
	case s.quickJobs <- struct{}{}:
		defer func() { <-s.quickJobs }()
		job, err := s.compliance.Work(short, tenant, id, nil)
		if err == nil {
			return StartedJob{job}, nil
		}
	case <-short.Done():
	}
	var job compliance.Job
	err := s.store.Read(ctx, db.System(tenant, "compliance"), func(tx *db.Tx) error {
		var err error
		job, err = s.compliance.GetJob(ctx, tx, id)
		return err
	})
	return StartedJob{job}, err
}

type exportPersonInput struct {
	Force bool `query:"force" doc:"As in the body: export although there was one a moment ago"`
	Body  struct {
		SubjectID ids.ID `json:"subject_id" doc:"The user"`
		dsar.Arguments
		DryRun bool `json:"dryRun,omitempty" doc:"Count what the export would hold, and take it back"`
	}
}

func (s *Server) exportPerson(ctx context.Context, tx *db.Tx, in *exportPersonInput) (StartedJob, error) {
	asked := in.Body.Arguments
	asked.Force = asked.Force || in.Force
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.DSARExport, SubjectID: in.Body.SubjectID, Arguments: compliance.Arguments(asked)}, in.Body.DryRun)
}

type packPersonInput struct {
	Body struct {
		SubjectID ids.ID `json:"subject_id" doc:"The user"`
		DryRun    bool   `json:"dryRun,omitempty" doc:"Count what the pack would hold, and take it back"`
	}
}

func (s *Server) packPerson(ctx context.Context, tx *db.Tx, in *packPersonInput) (StartedJob, error) {
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.PrivacyPack, SubjectID: in.Body.SubjectID}, in.Body.DryRun)
}
