package httpapi

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/requests"
)

func (s *Server) requestRoutes() []route {
	manages := needs(capability.ComplianceManage)
	return []route{
		proven(rehearsed(write(post, "/compliance/requests/{id}/carry-out", "carryOutRequest", taken, manages, "Start the job of a request that is granted, or say that it was done by hand; an erasure needs a step-up proof", s.carryOutRequest))),
		secret(write(post, "/compliance/requests/{id}/notes", "addRequestNote", created, manages, "Keep a note for officers, sealed; it goes when the request ends", s.addRequestNote)),
		get("/compliance/requests/{id}/notes", "listRequestNotes", manages, "Read the notes of a request, the oldest first", s.listRequestNotes),
	}
}

type carryOutInput struct {
	ByID
	Body requests.Execution
}

func (s *Server) carryOutRequest(ctx context.Context, tx *db.Tx, in *carryOutInput) (requests.Executed, error) {
	return requests.CarryOut(ctx, tx, s.compliance, in.ID, in.Body)
}

type noteInput struct {
	ByID
	Body requests.NoteInput
}

func (s *Server) addRequestNote(ctx context.Context, tx *db.Tx, in *noteInput) (requests.Note, error) {
	return requests.AddNote(ctx, tx, s.compliance.Secret, in.ID, in.Body)
}

func (s *Server) listRequestNotes(ctx context.Context, tx *db.Tx, in *ByID) (requests.NoteList, error) {
	return requests.Notes(ctx, tx, s.compliance.Secret, in.ID)
}
