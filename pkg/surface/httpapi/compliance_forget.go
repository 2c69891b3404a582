package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

type forgetInput struct {
	Body struct {
		SubjectID ids.ID `json:"subject_id" doc:"The user"`
		DryRun    bool   `json:"dryRun,omitempty" doc:"Do everything, say what it would be, and take it back; asks for no proof"`
	}
}

func (s *Server) forgetPerson(ctx context.Context, tx *db.Tx, in *forgetInput) (StartedJob, error) {
	return s.startJob(ctx, tx, compliance.Input{Type: compliance.Forget, SubjectID: in.Body.SubjectID}, in.Body.DryRun)
}
