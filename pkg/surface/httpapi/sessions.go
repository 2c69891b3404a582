package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
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
	authoring.LangQuery
	LockdownHeaders
	Body session.StartInput
}

func (s *Server) startSession(ctx context.Context, tx *db.Tx, in *startSessionInput) (session.Session, error) {
	in.Body.EvaluationID, in.Body.Lang, in.Body.Client = in.ID, in.Lang, s.client(in.LockdownHeaders)
	return s.desk.Start(ctx, tx, in.Body)
}

type getSessionInput struct {
	BySession
	authoring.LangQuery
	LockdownHeaders
}

func (s *Server) getSession(ctx context.Context, tx *db.Tx, in *getSessionInput) (session.Session, error) {
	return s.desk.Get(ctx, tx, session.GetInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Lang: in.Lang, Client: s.client(in.LockdownHeaders)})
}

type sessionAssetInput struct {
	BySession
	AssetID ids.ID `path:"assetId" doc:"As the content of the session names it"`
}

// findSessionAsset gives a file the id of its asset for a name: the name that authors gave it may tell
// the answer. It is requested anew each time, since it is shown only as long as the session is.
func (s *Server) findSessionAsset(ctx context.Context, tx *db.Tx, in *sessionAssetInput) (download, error) {
	version, err := s.desk.Asset(ctx, tx, session.AssetInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, AssetID: in.AssetID})
	if err != nil {
		return download{}, err
	}
	return s.download(tx.Tenant(), in.AssetID.String(), version), nil
}

type saveAnswersInput struct {
	BySession
	LockdownHeaders
	Body session.SaveInput
}

func (s *Server) saveAnswers(ctx context.Context, tx *db.Tx, in *saveAnswersInput) (session.Receipt, error) {
	in.Body.EvaluationID, in.Body.SessionID, in.Body.Client = in.EvaluationID, in.SessionID, s.client(in.LockdownHeaders)
	return s.desk.Save(ctx, tx, in.Body)
}

type recordEventsInput struct {
	BySession
	Body session.EventsInput
}

func (s *Server) recordEvents(ctx context.Context, tx *db.Tx, in *recordEventsInput) (session.EventsResult, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.RecordEvents(ctx, tx, in.Body)
}

type submitSessionInput struct {
	BySession
	LockdownHeaders
	Body session.SubmitInput
}

func (s *Server) submitSession(ctx context.Context, tx *db.Tx, in *submitSessionInput) (session.SubmitResult, error) {
	in.Body.EvaluationID, in.Body.SessionID, in.Body.Client = in.EvaluationID, in.SessionID, s.client(in.LockdownHeaders)
	return s.desk.Submit(ctx, tx, in.Body)
}

func (s *Server) resumeSession(ctx context.Context, tx *db.Tx, in *getSessionInput) (session.Session, error) {
	return s.desk.Resume(ctx, tx, session.ResumeInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Lang: in.Lang, Client: s.client(in.LockdownHeaders)})
}

type startSectionInput struct {
	BySession
	LockdownHeaders
	SectionID ids.ID `path:"sectionId"`
	Body      session.StartSectionInput
}

func (s *Server) startSection(ctx context.Context, tx *db.Tx, in *startSectionInput) (session.SectionTime, error) {
	in.Body.EvaluationID, in.Body.SessionID, in.Body.SectionID, in.Body.Client = in.EvaluationID, in.SessionID, in.SectionID, s.client(in.LockdownHeaders)
	return s.desk.StartSection(ctx, tx, in.Body)
}

type probeInput struct {
	BySession
	LockdownHeaders
}

func (s *Server) probeLockdown(ctx context.Context, tx *db.Tx, in *probeInput) (session.Probe, error) {
	return s.desk.ProbeLockdown(ctx, tx, session.ProbeInput{EvaluationID: in.EvaluationID, SessionID: in.SessionID, Client: s.client(in.LockdownHeaders)})
}

type listSessionsInput struct {
	ByID
	PageQuery
	State        string `query:"state" enum:"open,submitted,expired,closed,abandoned" doc:"An open session whose time is over counts as expired"`
	UserID       ids.ID `query:"userId"`
	AssignmentID ids.ID `query:"assignmentId"`
	RunQuery
}

func listSessions(ctx context.Context, tx *db.Tx, in *listSessionsInput) (db.List[session.Summary], error) {
	return session.List(ctx, tx, in.ID, session.Filter{Page: in.page(), State: in.State, UserID: ids.Ref(in.UserID),
		AssignmentID: ids.Ref(in.AssignmentID), RunLabel: in.run()})
}

type closeSessionInput struct {
	BySession
	Body session.CloseInput
}

func (s *Server) closeSession(ctx context.Context, tx *db.Tx, in *closeSessionInput) (session.Summary, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.Close(ctx, tx, in.Body)
}

type extendSessionInput struct {
	BySession
	Body session.ExtendInput
}

func (s *Server) extendSession(ctx context.Context, tx *db.Tx, in *extendSessionInput) (session.Summary, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
	return s.desk.Extend(ctx, tx, in.Body)
}
