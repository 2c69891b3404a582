package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting/attempt"
)

var attemptFile = fileKind{".csv", csvFile.contentType, "A CSV file"}

// AttemptInput names an attempt.
type AttemptInput struct {
	SubmissionID ids.ID `path:"submissionId"`
	Lang         string `query:"lang" format:"bcp47" maxLength:"35" doc:"Language of stems, options and answers (BCP-47); without it the default of each document"`
}

func (in AttemptInput) input() attempt.GetInput {
	return attempt.GetInput{SubmissionID: in.SubmissionID, Lang: in.Lang}
}

type shownAttemptInput struct {
	AttemptInput
	Page int `query:"page" minimum:"1" default:"1" doc:"Which fifty items a page shows; JSON has all of them"`
}

func sessionAttempt(ctx context.Context, tx *db.Tx, in *shownAttemptInput) (attempt.Report, error) {
	return attempt.Get(ctx, tx, in.input())
}

type listAttemptsInput struct {
	EvaluationVersionID ids.ID `query:"evaluationVersionId" required:"true"`
	Outcome             string `query:"outcome" enum:"pass,fail,incomplete"`
	RunQuery
	GroupID ids.ID    `query:"groupId" doc:"Only attempts at assignments to this group. Membership of today plays no part"`
	From    time.Time `query:"from" doc:"Only attempts completed at or after this moment"`
	To      time.Time `query:"to" doc:"Only attempts completed before this moment"`
	PageQuery
}

func listSessionAttempts(ctx context.Context, tx *db.Tx, in *listAttemptsInput) (db.List[submission.Summary], error) {
	return submission.ListNamed(ctx, tx, submission.Filter{EvaluationVersionID: in.EvaluationVersionID, Outcome: in.Outcome, RunLabel: in.run(),
		GroupID: in.GroupID, From: in.From, To: in.To, Page: in.page()})
}

func exportSessionAttempt(ctx context.Context, tx *db.Tx, in *AttemptInput, to io.Writer) error {
	return attempt.Export(ctx, tx, in.input(), to)
}

// witnessed makes a route that reads and leaves a ledger event of who looked: the answer
// goes out once that is committed.
func witnessed[I, O any](path, id string, caps []capability.Capability, summary string, op operation[I, O]) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) { register(s, r, s.reading(s.store.Write), op) }}
}

// witnessedFile makes a route that answers with a small file in the same manner: the file
// is complete and its event committed before the first byte goes out.
func witnessedFile[I any](kind fileKind, path, id string, caps []capability.Capability, summary string, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) {
			op := s.operation(r)
			op.Responses["200"] = response(kind)
			huma.Register(s.api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				ctx, cancel := context.WithTimeout(ctx, s.config.RequestTimeout)
				defer cancel()
				var file bytes.Buffer
				err := s.store.Write(ctx, callOf(ctx).scope, func(tx *db.Tx) error {
					file.Reset() // the transaction may run again
					return write(ctx, tx, in, &file)
				})
				if err != nil {
					return nil, s.present(ctx, err)
				}
				return &huma.StreamResponse{Body: func(hc huma.Context) {
					_, _ = kind.attachment(hc, r).Write(file.Bytes()) // a client that is gone misses nothing
				}}, nil
			})
		}}
}
