package httpapi

import (
	"context"
	"io"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/sheet"
	reportpage "assess/pkg/report/page"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/requests"
)

func (s *Server) requestRoutes() []route {
	manages := needs(capability.ComplianceManage)
	return []route{
		own(get("/users/me/requests", "listOwnRequests", nil, "List what one asks about one's own data, the newest first", listOwnRequests)),
		own(proven(write(post, "/users/me/requests", "askRequest", created, nil, "Ask about one's own data; the step-up proof shows who asks", askRequest))),
		own(get("/users/me/requests/{id}", "getOwnRequest", nil, "Read one's own request, with the files that were made for it", getOwnRequest)),
		own(write(post, "/users/me/requests/{id}/withdraw", "withdrawOwnRequest", ok, nil, "Take one's own request back, as long as nobody carries it out", withdrawOwnRequest)),
		own(write(post, "/users/me/requests/{id}/contest", "contestRequest", ok, nil, "Contest a refusal, once; somebody else decides anew", contestRequest)),
		proven(rehearsed(write(post, "/compliance/requests/{id}/carry-out", "carryOutRequest", taken, manages, "Start the job of a request that is granted, or say that it was done by hand; an erasure needs a step-up proof", s.carryOutRequest))),
		secret(write(post, "/compliance/requests/{id}/notes", "addRequestNote", created, manages, "Keep a note for officers, sealed; it goes when the request ends", s.addRequestNote)),
		report("/compliance/requests/{id}/letter", "readLetter", manages, "Read a letter about a request as it would go out now, for those who print it", s.readLetter),
		pictured(report("/compliance/record-of-processing", "getRecordOfProcessing", needs(capability.ComplianceRead, capability.ComplianceManage), "Read the record of processing (GDPR, article 30)", getRecordOfProcessing), drawRecord),
		streamed(recordFile, "/compliance/record-of-processing/export", "exportRecordOfProcessing", needs(capability.ComplianceRead, capability.ComplianceManage), "Export the record of processing, a line a purpose", exportRecord),
		get("/compliance/requests/{id}/notes", "listRequestNotes", manages, "Read the notes of a request, the oldest first", s.listRequestNotes),
	}
}

func (s *Server) readLetter(ctx context.Context, tx *db.Tx, in *requests.LetterChoice) (requests.LetterText, error) {
	return requests.ReadLetter(ctx, tx, s.config.BaseURL, *in)
}

var recordFile = fileKind{".csv", csvFile.contentType, "A CSV file"}

func getRecordOfProcessing(ctx context.Context, tx *db.Tx, _ *nothing) (processing.Record, error) {
	return processing.Get(ctx, tx)
}

func drawRecord(_ context.Context, _ *db.Tx, _ *nothing, r processing.Record) (reportpage.Page, error) {
	return reportpage.Processing(r), nil
}

func exportRecord(ctx context.Context, tx *db.Tx, _ *nothing, to io.Writer) error {
	r, err := processing.Get(ctx, tx)
	if err != nil {
		return err
	}
	rows := [][]string{processing.Columns}
	for _, l := range r.Lines() {
		rows = append(rows, l.Cells())
	}
	return sheet.NewWriter(to).WriteAll(rows)
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

func listOwnRequests(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[requests.Own], error) {
	return requests.ListOwn(ctx, tx, in.page())
}

type askRequestInput struct{ Body requests.OwnInput }

func askRequest(ctx context.Context, tx *db.Tx, in *askRequestInput) (requests.Own, error) {
	return requests.Ask(ctx, tx, in.Body)
}

func getOwnRequest(ctx context.Context, tx *db.Tx, in *ByID) (requests.Own, error) {
	return requests.GetOwn(ctx, tx, in.ID)
}

func withdrawOwnRequest(ctx context.Context, tx *db.Tx, in *ByID) (requests.Own, error) {
	return requests.WithdrawOwn(ctx, tx, in.ID)
}

func contestRequest(ctx context.Context, tx *db.Tx, in *ByID) (requests.Own, error) {
	return requests.Contest(ctx, tx, in.ID)
}
