package httpapi

import (
	"context"
	"io"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ItemQuery narrows to one item of a submission.
type ItemQuery struct {
	ItemID ids.ID `query:"itemId" doc:"One item, as the session and the submission call it"`
}

func (q ItemQuery) item() *ids.ID { return ids.Ref(q.ItemID) }

type attachEvidenceInput struct {
	ByID
	ItemQuery
	Kind        string `query:"kind" enum:"screen_recording,camera_recording,audio_recording,screenshot,photo,document,log,other" default:"other"`
	ContentType string `header:"Content-Type" doc:"The type of the file; its bytes must agree. application/octet-stream leaves it to them"`

	content evidence.Content
}

func (in *attachEvidenceInput) attach() evidence.AttachInput {
	return evidence.AttachInput{SubmissionID: in.ID, ItemID: in.item(), Kind: in.Kind}
}

func (s *Server) evidenceLimit() int64 { return s.evidence.Limit() }

func (s *Server) keepEvidence(ctx context.Context, scope db.Scope, in *attachEvidenceInput, file *blob.File) error {
	var err error
	in.content, err = s.evidence.Keep(ctx, scope, in.attach(), file, in.ContentType)
	return err
}

func attachEvidence(ctx context.Context, tx *db.Tx, in *attachEvidenceInput) (evidence.Evidence, error) {
	return evidence.Attach(ctx, tx, in.attach(), in.content)
}

func (s *Server) findEvidenceContent(ctx context.Context, tx *db.Tx, in *ByID) (download, error) {
	e, err := evidence.View(ctx, tx, in.ID)
	if err != nil {
		return download{}, err
	}
	tenant := tx.Tenant()
	return download{Name: e.FileName(), MediaType: e.MediaType, SHA256: e.SHA256, Modified: e.CreatedAt,
		Open: func(ctx context.Context, verified bool) (io.ReadSeekCloser, error) {
			return s.evidence.Open(ctx, tenant, e, verified)
		}}, nil
}

type checkEvidenceInput struct {
	ByID

	found evidence.Check
}

func (s *Server) checkEvidence(ctx context.Context, scope db.Scope, in *checkEvidenceInput) error {
	var err error
	in.found, err = s.evidence.Check(ctx, scope, in.ID)
	return err
}

func recordCheck(ctx context.Context, tx *db.Tx, in *checkEvidenceInput) (evidence.Evidence, error) {
	checked, err := evidence.RecordChecks(ctx, tx, in.found)
	if err != nil {
		return evidence.Evidence{}, err
	}
	return checked[0], nil
}
