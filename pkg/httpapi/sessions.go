package httpapi

import (
	"context"

	"assess/pkg/db"
	"assess/pkg/delivery"
	"assess/pkg/ids"
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

type saveAnswersInput struct {
	BySession
	Body delivery.SaveInput
}

func (s *Server) saveAnswers(ctx context.Context, tx *db.Tx, in *saveAnswersInput) (delivery.Receipt, error) {
	in.Body.EvaluationID, in.Body.SessionID = in.EvaluationID, in.SessionID
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
