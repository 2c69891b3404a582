package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/authoring"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/intake"
)

// export makes a route that streams a CSV file from the reports' pool, at one snapshot. The
// time limit of other calls does not hold for it: it ends with the file, or when the client
// goes away.
func export[I any](path, id string, caps []capability.Capability, summary string, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) {
			op := s.operation(r)
			op.Responses["200"] = &huma.Response{Description: "A CSV file that the import of the same kind takes",
				Content: map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}}
			huma.Register(s.api, op, func(_ context.Context, in *I) (*huma.StreamResponse, error) {
				return &huma.StreamResponse{Body: func(hc huma.Context) {
					s.stream(hc, r.ID+".csv", func(tx *db.Tx, to io.Writer) error { return write(hc.Context(), tx, in, to) })
				}}, nil
			})
		}}
}

// stream answers with a file as it is written. An error before the first byte is answered
// like any other; later the connection breaks, so that half a file never passes for one.
func (s *Server) stream(hc huma.Context, name string, write func(*db.Tx, io.Writer) error) {
	ctx := hc.Context()
	to := &attachment{hc: hc, name: name}
	err := s.store.Report(ctx, callOf(ctx).scope, func(tx *db.Tx) error { return write(tx, to) })
	switch {
	case err == nil:
	case !to.begun:
		s.refuse(hc, err)
	default:
		s.log.LogAttrs(ctx, slog.LevelError, "export broke off", slog.String("error", err.Error()),
			slog.String("requestId", callOf(ctx).scope.RequestID))
		panic(http.ErrAbortHandler)
	}
}

// attachment says what comes when the first bytes come.
type attachment struct {
	hc    huma.Context
	name  string
	begun bool
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.hc.SetHeader("Content-Type", "text/csv; charset=utf-8")
		a.hc.SetHeader("Content-Disposition", `attachment; filename="`+a.name+`"`)
		a.hc.SetStatus(http.StatusOK)
	}
	return a.hc.BodyWriter().Write(p)
}

// StatusQuery narrows an export.
type StatusQuery struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Default: drafts and published ones"`
}

type exportQuestionsInput struct {
	StatusQuery
	QType string `query:"qtype" enum:"mcq,mrq,short_text,numeric,essay"`
}

func exportQuestions(ctx context.Context, tx *db.Tx, in *exportQuestionsInput, to io.Writer) error {
	_, err := intake.ExportQuestions(ctx, tx, intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status, QType: in.QType}}, to)
	return err
}

func exportPassages(ctx context.Context, tx *db.Tx, in *StatusQuery, to io.Writer) error {
	_, err := intake.ExportPassages(ctx, tx, intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status}}, to)
	return err
}

func exportEvaluations(ctx context.Context, tx *db.Tx, in *StatusQuery, to io.Writer) error {
	_, err := intake.ExportEvaluations(ctx, tx, intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status}}, to)
	return err
}
