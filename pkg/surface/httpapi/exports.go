package httpapi

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/author/authoring"
	"assess/pkg/author/exchange"
	"assess/pkg/author/media"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
	"assess/pkg/surface/intake"
)

// fileKind is the type of the file that a route streams.
type fileKind struct{ extension, contentType, doc string }

var (
	csvFile = fileKind{".csv", "text/csv; charset=utf-8", "A CSV file that the import of the same kind takes"}
	zipFile = fileKind{".zip", "application/zip", "A ZIP archive of CSV files with a manifest.json"}
)

// export makes a route that streams a CSV file.
func export[I any](path, id string, caps []capability.Capability, summary string, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	return streamed(csvFile, path, id, caps, summary, write)
}

// archive makes a route that streams a ZIP archive.
func archive[I any](path, id string, caps []capability.Capability, summary string, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	return streamed(zipFile, path, id, caps, summary, write)
}

// streamed makes a route that streams a file from the reports' pool, at one snapshot. The
// time limit of other calls does not hold for it: it ends with the file, or when the client
// goes away.
func streamed[I any](kind fileKind, path, id string, caps []capability.Capability, summary string, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	only := func(*I) fileKind { return kind }
	return takenAlong([]fileKind{kind}, only, path, id, caps, summary, nil, write)
}

// takenAlong is streamed for a file with people's names, of the kind that the input chooses. note records
// who takes it, and is committed before the first byte goes out.
func takenAlong[I any](kinds []fileKind, kind func(*I) fileKind, path, id string, caps []capability.Capability, summary string,
	note func(context.Context, *db.Tx, *I) error, write func(context.Context, *db.Tx, *I, io.Writer) error) route {
	return route{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Needs: caps, Status: http.StatusOK,
		register: func(s *Server, r route) {
			op := s.operation(r)
			op.Responses["200"] = response(kinds...)
			huma.Register(s.api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				if note != nil {
					err := s.store.Write(ctx, callOf(ctx).scope, func(tx *db.Tx) error { return note(ctx, tx, in) })
					if err != nil {
						return nil, s.present(ctx, err)
					}
				}
				return &huma.StreamResponse{Body: func(hc huma.Context) {
					to := kind(in).attachment(hc, r)
					s.stream(hc, to, func(tx *db.Tx) error {
						err := to.nameAfter(hc.Context(), tx, in)
						if err != nil {
							return err
						}
						return write(hc.Context(), tx, in, to)
					})
				}}, nil
			})
		}}
}

// response describes a file of one of the kinds.
func response(kinds ...fileKind) *huma.Response {
	r := &huma.Response{Description: kinds[0].doc, Content: map[string]*huma.MediaType{}}
	for _, k := range kinds {
		schema := &huma.Schema{Type: huma.TypeString}
		mediaType, _, _ := strings.Cut(k.contentType, ";")
		switch {
		case k == zipFile || k == qtiFile || k == resultsXLSX:
			schema.Format = "binary"
		case mediaType == "application/json":
			schema = anyObject()
		}
		r.Content[mediaType] = &huma.MediaType{Schema: schema}
	}
	return r
}

// attachment is named after the subject in the path of its route.
func (k fileKind) attachment(hc huma.Context, r route) *attachment {
	var words []string
	for word := range strings.SplitSeq(strings.Trim(r.Path, "/"), "/") {
		if !strings.HasPrefix(word, "{") && !slices.Contains([]string{"export", "reporting", "csv", "evaluations"}, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = []string{"evaluations"}
	}
	return &attachment{hc: hc, name: strings.Join(words, "-"), extension: k.extension, contentType: k.contentType}
}

// ofEvaluation is an input that names the evaluation, or the version, that a file is about.
type ofEvaluation interface{ evaluation() ids.ID }

func (in *exportResultsInput) evaluation() ids.ID { return in.ID }
func (in *SummaryQuery) evaluation() ids.ID       { return in.EvaluationVersionID }

// nameAfter puts the title of the evaluation before the name, and the day after it.
func (a *attachment) nameAfter(ctx context.Context, tx *db.Tx, in any) error {
	a.name += tx.Now().UTC().Format("-2006-01-02")
	of, is := in.(ofEvaluation)
	if !is {
		return nil
	}
	title, err := authoring.TitleOf(ctx, tx, of.evaluation())
	if name := inFileName(title); name != "" {
		a.name = name + "-" + a.name
	}
	return err
}

// inFileName keeps the characters of a text that every file system takes: letters, digits and hyphens.
func inFileName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	name := strings.Join(words, "-")
	for len(name) > 80 {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return strings.Trim(name, "-")
}

// stream answers with a file as it is written. An error before the first byte is answered
// like any other; later the connection breaks, so that half a file never passes for one.
func (s *Server) stream(hc huma.Context, to *attachment, write func(*db.Tx) error) {
	ctx := hc.Context()
	err := s.store.Report(ctx, callOf(ctx).scope, write)
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

// attachment writes the headers together with the first bytes.
type attachment struct {
	hc                           huma.Context
	name, extension, contentType string
	begun                        bool
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.hc.SetHeader("Content-Type", a.contentType)
		a.hc.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.name + a.extension}))
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
	QType                scoring.QType `query:"qtype"`
	Format               string        `query:"format" enum:"csv,qti,moodle_xml,gift" doc:"Default csv, which says everything"`
	AcceptScoringChanges bool          `query:"acceptScoringChanges" doc:"With a format other than csv: take questions too that other systems would score otherwise; the preview says which"`
}

func (in *exportQuestionsInput) export() intake.BankExport {
	return intake.BankExport{Export: intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status, QType: in.QType}}, Format: in.Format,
		AcceptScoringChanges: in.AcceptScoringChanges}
}

// bankFiles are the kinds of files that questions are exported as.
var (
	qtiFile    = fileKind{".zip", "application/zip", "A package of QTI 3.0"}
	moodleFile = fileKind{".xml", "application/xml", "Moodle XML"}
	giftFile   = fileKind{".gift", "text/plain; charset=utf-8", "GIFT"}
	bankFiles  = []fileKind{csvFile, qtiFile, moodleFile, giftFile}
)

func bankFile(in *exportQuestionsInput) fileKind {
	switch in.Format {
	case "qti":
		return qtiFile
	case "moodle_xml":
		return moodleFile
	case "gift":
		return giftFile
	}
	return csvFile
}

func (s *Server) exportQuestions(ctx context.Context, tx *db.Tx, in *exportQuestionsInput, to io.Writer) error {
	export := in.export()
	if bankFile(in) == csvFile {
		_, err := intake.ExportQuestions(ctx, tx, export.Export, to)
		return err
	}
	export.Open = s.openIn(tx)
	_, err := intake.ExportBank(ctx, tx, export, to)
	return err
}

// openIn opens the pictures of the tenant.
func (s *Server) openIn(tx *db.Tx) func(context.Context, media.Version) (io.ReadCloser, error) {
	return func(ctx context.Context, v media.Version) (io.ReadCloser, error) {
		return s.files.Open(ctx, tx.Tenant(), v, false)
	}
}

func previewQuestionExport(ctx context.Context, tx *db.Tx, in *exportQuestionsInput) (exchange.Report, error) {
	return intake.PreviewBankExport(ctx, tx, in.export())
}

func exportPassages(ctx context.Context, tx *db.Tx, in *StatusQuery, to io.Writer) error {
	_, err := intake.ExportPassages(ctx, tx, intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status}}, to)
	return err
}

type exportEvaluationsInput struct {
	StatusQuery
	Format               string `query:"format" enum:"csv,qti" doc:"Default csv, which says everything. qti has the questions too, and needs questions.read"`
	EvaluationID         ids.ID `query:"evaluationId" doc:"With format qti: this evaluation only"`
	AcceptScoringChanges bool   `query:"acceptScoringChanges" doc:"With format qti: take evaluations and questions too that other systems would score otherwise; the preview says which"`
}

func (in *exportEvaluationsInput) export() intake.BankExport {
	return intake.BankExport{Export: intake.Export{ExportFilter: authoring.ExportFilter{Status: in.Status}}, Format: in.Format,
		AcceptScoringChanges: in.AcceptScoringChanges}
}

// testFiles are the kinds of files that evaluations are exported as.
var testFiles = []fileKind{csvFile, qtiFile}

func testFile(in *exportEvaluationsInput) fileKind {
	if in.Format == "qti" {
		return qtiFile
	}
	return csvFile
}

func (s *Server) exportEvaluations(ctx context.Context, tx *db.Tx, in *exportEvaluationsInput, to io.Writer) error {
	export := in.export()
	if testFile(in) == csvFile {
		_, err := intake.ExportEvaluations(ctx, tx, export.Export, to)
		return err
	}
	export.Open = s.openIn(tx)
	_, err := intake.ExportTests(ctx, tx, export, in.EvaluationID, to)
	return err
}

func previewEvaluationExport(ctx context.Context, tx *db.Tx, in *exportEvaluationsInput) (exchange.Report, error) {
	return intake.PreviewTestExport(ctx, tx, in.export(), in.EvaluationID)
}

func takeUsers(ctx context.Context, tx *db.Tx, _ *struct{}) error { return people.TakeUsers(ctx, tx) }

func exportUsers(ctx context.Context, tx *db.Tx, _ *struct{}, to io.Writer) error {
	_, err := intake.ExportUsers(ctx, tx, intake.Export{}, to)
	return err
}

func takeAssignments(ctx context.Context, tx *db.Tx, _ *struct{}) error {
	return assignment.Take(ctx, tx)
}

func exportAssignments(ctx context.Context, tx *db.Tx, _ *struct{}, to io.Writer) error {
	_, err := intake.ExportAssignments(ctx, tx, intake.Export{}, to)
	return err
}

func exportSubjects(ctx context.Context, tx *db.Tx, _ *struct{}, to io.Writer) error {
	_, err := intake.ExportSubjects(ctx, tx, intake.Export{}, to)
	return err
}
