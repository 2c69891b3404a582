package httpapi

import (
	"context"
	"io"
	"slices"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func (s *Server) evidenceRoutes() []route {
	manages, reads := needs(capability.EvidenceManage), evidence.Readers
	return slices.Concat([]route{
		get("/submissions/{id}/evidence", "listEvidence", reads, "List the evidence of a submission, newest first", listEvidence),
		proven(upTo(s.evidenceLimit, upload("/submissions/{id}/evidence", "attachEvidence", manages, "Attach a file to a submission, or to one of its items", s.keepEvidence, attachEvidence))),
		get("/evidence/{id}", "getEvidence", reads, "Read evidence without its bytes", getEvidence),
		viewed("/evidence/{id}/content", "getEvidenceContent", needs(capability.EvidenceRead), "Read the bytes of evidence; the ledger says who did", s.findEvidenceContent),
		prepared("/evidence/{id}/verify", "verifyEvidence", reads, "Hold the file of evidence against its hash", s.checkEvidence, recordCheck),
		proven(write(post, "/evidence/{id}/void", "voidEvidence", ok, manages, "Void evidence, for good; it stays in lists", voidEvidence)),
		write(post, "/evidence/{id}/tier", "setEvidenceTier", ok, manages, "Say how soon the file must be at hand", setEvidenceTier),

		get("/submissions/{id}/findings", "listFindings", reads, "List the findings about a submission, newest first", listFindings),
		write(post, "/submissions/{id}/findings", "detectFinding", created, manages, "Record a finding about a submission, or one of its items", detectFinding),
		get("/findings/{id}", "getFinding", reads, "Read a finding", getFinding),
	}, caseRoutes())
}

func caseRoutes() []route {
	manages, judges := needs(capability.EvidenceManage), needs(capability.SubmissionsReview)
	reads, raises := append(slices.Clone(evidence.CaseReaders), capability.SessionsTake), needs(capability.EvidenceManage, capability.SessionsTake)
	return []route{
		get("/submissions/{id}/claims", "listClaims", evidence.CaseReaders, "List the claims about a submission, newest first", listCases(evidence.Claims)),
		proven(write(post, "/submissions/{id}/claims", "raiseClaim", created, manages, "Claim something about a submission, from findings", raiseCase(evidence.Claims))),
		get("/claims/{id}", "getClaim", evidence.CaseReaders, "Read a claim", getCase(evidence.Claims)),
		proven(write(post, "/claims/{id}/uphold", "upholdClaim", ok, judges, "Decide for a claim", decideCase(evidence.Claims, evidence.Uphold))),
		proven(write(post, "/claims/{id}/reject", "rejectClaim", ok, judges, "Decide against a claim", decideCase(evidence.Claims, evidence.Reject))),
		proven(write(post, "/claims/{id}/withdraw", "withdrawClaim", ok, manages, "Withdraw a claim", decideCase(evidence.Claims, evidence.Withdraw))),

		get("/submissions/{id}/disputes", "listDisputes", reads, "List the disputes about a submission; a candidate lists those about their own", listCases(evidence.Disputes)),
		proven(write(post, "/submissions/{id}/disputes", "raiseDispute", created, raises, "Dispute something about a submission; a candidate disputes their own", raiseCase(evidence.Disputes))),
		get("/disputes/{id}", "getDispute", reads, "Read a dispute; a candidate reads those about their own submissions", getCase(evidence.Disputes)),
		proven(write(post, "/disputes/{id}/uphold", "upholdDispute", ok, judges, "Decide for a dispute", decideCase(evidence.Disputes, evidence.Uphold))),
		proven(write(post, "/disputes/{id}/reject", "rejectDispute", ok, judges, "Decide against a dispute", decideCase(evidence.Disputes, evidence.Reject))),
		proven(write(post, "/disputes/{id}/withdraw", "withdrawDispute", ok, raises, "Withdraw a dispute that one raised, or that is about one's own submission", decideCase(evidence.Disputes, evidence.Withdraw))),
	}
}

// ItemQuery narrows to one item of a submission.
type ItemQuery struct {
	ItemID ids.ID `query:"itemId" doc:"One item, as the session and the submission call it"`
}

func (q ItemQuery) item() *ids.ID { return ids.Ref(q.ItemID) }

type listEvidenceInput struct {
	ByID
	ItemQuery
	Kind   string `query:"kind" enum:"screen_recording,camera_recording,audio_recording,screenshot,photo,document,log,other"`
	Status string `query:"status" enum:"active,voided"`
	PageQuery
}

func listEvidence(ctx context.Context, tx *db.Tx, in *listEvidenceInput) (db.List[evidence.Evidence], error) {
	return evidence.List(ctx, tx, in.ID, evidence.Filter{ItemID: in.item(), Kind: in.Kind, Status: in.Status, Page: in.page()})
}

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

func getEvidence(ctx context.Context, tx *db.Tx, in *ByID) (evidence.Evidence, error) {
	return evidence.Get(ctx, tx, in.ID)
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

type voidEvidenceInput struct {
	ByID
	Body evidence.VoidInput
}

func voidEvidence(ctx context.Context, tx *db.Tx, in *voidEvidenceInput) (evidence.Evidence, error) {
	in.Body.ID = in.ID
	return evidence.Void(ctx, tx, in.Body)
}

type evidenceTierInput struct {
	ByID
	Body evidence.TierInput
}

func setEvidenceTier(ctx context.Context, tx *db.Tx, in *evidenceTierInput) (evidence.Evidence, error) {
	in.Body.ID = in.ID
	return evidence.SetTier(ctx, tx, in.Body)
}
