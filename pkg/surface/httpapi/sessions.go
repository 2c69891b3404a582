package httpapi

import (
	"context"

	"assess/pkg/exam/delivery"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// BySession names a session of an evaluation.
type BySession struct {
	EvaluationID ids.ID `path:"id" doc:"Evaluation"`
	SessionID    ids.ID `path:"sessionId"`
}

type startSessionInput struct {
	ByID
	LangQuery
	Body delivery.StartInput
}

func (s *Server) startSession(ctx context.Context, tx *db.Tx, in *startSessionInput) (delivery.Session, error) {
	in.Body.EvaluationID, in.Body.Lang = in.ID, in.Lang
	return s.desk.Start(ctx, tx, in.Body)
}

type getSessionInput struct {
	BySession
	LangQuery
}

func (s *Server) getSession(ctx context.Context, tx *db.Tx, in *getSessionInput) (delivery.Session, error) {
	return s.desk.Get(ctx, tx, delivery.GetInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Lang: in.Lang})
}

type sessionAssetInput struct {
	BySession
	AssetID ids.ID `path:"assetId" doc:"As the content of the session names it"`
}

// findSessionAsset gives a file the id of its asset for a name: what authors called it may tell
// the answer. It is asked for anew each time, since it is shown only as long as the session is.
func (s *Server) findSessionAsset(ctx context.Context, tx *db.Tx, in *sessionAssetInput) (download, error) {
	version, err := s.desk.Asset(ctx, tx, delivery.AssetInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, AssetID: in.AssetID})
	if err != nil {
		return download{}, err
	}
	return s.download(tx.Tenant(), in.AssetID.String(), version), nil
}

// LockdownHeader is the client's word about itself.
type LockdownHeader struct {
	Lockdown string `header:"X-Lockdown" maxLength:"200" doc:"What this client prevents, joined by commas: fullscreen_exit, focus_loss, copy, paste"`
}

type saveAnswersInput struct {
	BySession
	LockdownHeader
	Body delivery.SaveInput
}

func (s *Server) saveAnswers(ctx context.Context, tx *db.Tx, in *saveAnswersInput) (delivery.Receipt, error) {
	in.Body.EvaluationID, in.Body.SessionID, in.Body.Lockdown = in.EvaluationID, in.SessionID, in.Lockdown
	return s.desk.Save(ctx, tx, in.Body)
}

type recordEventsInput struct {
	BySession
	Body delivery.EventsInput
}

func (s *Server) recordEvents(ctx context.Context, tx *db.Tx, in *recordEventsInput) (delivery.EventsResult, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.RecordEvents(ctx, tx, in.Body)
}

type submitSessionInput struct {
	BySession
	Body delivery.SubmitInput
}

func (s *Server) submitSession(ctx context.Context, tx *db.Tx, in *submitSessionInput) (delivery.SubmitResult, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.Submit(ctx, tx, in.Body)
}

func (s *Server) resumeSession(ctx context.Context, tx *db.Tx, in *getSessionInput) (delivery.Session, error) {
	return s.desk.Resume(ctx, tx, delivery.ResumeInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Lang: in.Lang})
}

type startSectionInput struct {
	BySession
	SectionID ids.ID `path:"sectionId"`
	Body      delivery.StartSectionInput
}

func (s *Server) startSection(ctx context.Context, tx *db.Tx, in *startSectionInput) (delivery.SectionTime, error) {
	in.Body.EvaluationID, in.Body.SessionID, in.Body.SectionID = in.EvaluationID, in.SessionID, in.SectionID
	return s.desk.StartSection(ctx, tx, in.Body)
}

type probeInput struct {
	BySession
	LockdownHeader
}

func (s *Server) probeLockdown(ctx context.Context, tx *db.Tx, in *probeInput) (delivery.Probe, error) {
	return s.desk.ProbeLockdown(ctx, tx, delivery.ProbeInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Lockdown: in.Lockdown})
}

type listSessionsInput struct {
	ByID
	PageQuery
	State        string `query:"state" enum:"open,submitted,expired,closed,abandoned" doc:"An open session whose time is over counts as expired"`
	UserID       ids.ID `query:"userId"`
	AssignmentID ids.ID `query:"assignmentId"`
	RunQuery
}

func listSessions(ctx context.Context, tx *db.Tx, in *listSessionsInput) (db.List[delivery.Summary], error) {
	return delivery.List(ctx, tx, in.ID, delivery.Filter{Page: in.page(), State: in.State, UserID: ids.Ref(in.UserID),
		AssignmentID: ids.Ref(in.AssignmentID), RunLabel: in.run()})
}

type closeSessionInput struct {
	BySession
	Body delivery.CloseInput
}

func (s *Server) closeSession(ctx context.Context, tx *db.Tx, in *closeSessionInput) (delivery.Summary, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.Close(ctx, tx, in.Body)
}

type extendSessionInput struct {
	BySession
	Body delivery.ExtendInput
}

func (s *Server) extendSession(ctx context.Context, tx *db.Tx, in *extendSessionInput) (delivery.Summary, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.Extend(ctx, tx, in.Body)
}
