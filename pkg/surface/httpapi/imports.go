package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const (
	// importsMemory is how much all imports together may take, in bytes. Two run at the same time: each has a connection until
	// it is done, and all other calls have the rest.
	importsMemory = 128 << 20
	importsAtOnce = 2
	// rowMemory is how much a row of a file takes while it is read, in bytes, even if it is short.
	rowMemory = 1_400
)

// importMemory estimates how much memory a file takes, in bytes of importsMemory: by its size and by the ends of its lines,
// which JSON writes with a backslash.
func importMemory(file io.Reader) (int64, error) {
	var size, rows, packed int64
	buffer, last := make([]byte, 64<<10), byte(0)
	for {
		n, err := file.Read(buffer)
		size += int64(n)
		for _, b := range buffer[:n] {
			if b == '\n' || b == '\r' || last == '\\' && (b == 'n' || b == 'r') {
				rows++
			}
			last = b
		}
		if packed == 0 && size == int64(n) && bytes.HasPrefix(buffer[:n], []byte("PK")) {
			packed = importsMemory // nobody knows its unpacked size
		}
		switch {
		case errors.Is(err, io.EOF):
			return min(max(packed, size+rows*rowMemory, importsMemory/importsAtOnce), importsMemory), nil
		case err != nil:
			return 0, err //nolint:wrapcheck // the caller says what it was read for
		}
	}
}

// ImportBody is the JSON form of an import; the other form is the file itself as
// text/csv, with the options in the query.
type ImportBody struct {
	CSV         string `json:"csv" doc:"The file's content"`
	SkipInvalid bool   `json:"skipInvalid,omitempty" doc:"Import the valid rows in spite of errors in others"`
	CreateTerms bool   `json:"createTerms,omitempty" doc:"Make the terms that the file names and nobody has made; needs taxonomy.manage. Without it they are errors"`
	TagsFacet   string `json:"tagsFacet,omitempty" maxLength:"200" doc:"Facet of the tags column"`
	Lang        string `json:"lang,omitempty" format:"bcp47" maxLength:"35" doc:"Language of rows that name none"`
	ImportID    ids.ID `json:"importId,omitzero" doc:"That of the preview, so that the ledger names the same; for assignments it is their batch too"`
	Decimal     string `json:"decimal,omitempty" enum:"comma,point" doc:"Which sign begins the decimals of numbers; without it a point or a comma, and a comma before exactly three digits is refused"`
	Invite      bool   `json:"invite,omitempty" doc:"Queue an invitation by mail to every invitee of the new assignments"`

	Format               string `json:"format,omitempty" enum:"csv,qti,moodle_xml,aiken,gift" doc:"Of questions: the format of the file, where it is not to be found by its bytes"`
	CategoryFacet        string `json:"categoryFacet,omitempty" maxLength:"200" doc:"Of a question bank: facet of its categories. Default category"`
	AcceptScoringChanges bool   `json:"acceptScoringChanges,omitempty" doc:"Of a question bank: take questions that will be scored otherwise than their author meant; notices say which"`
}

type importInput struct {
	SkipInvalid bool   `query:"skipInvalid" doc:"With text/csv: import the valid rows in spite of errors in others"`
	CreateTerms bool   `query:"createTerms" doc:"With text/csv: make the terms that the file names and nobody has made; needs taxonomy.manage. Without it they are errors"`
	TagsFacet   string `query:"tagsFacet" maxLength:"200" doc:"With text/csv: facet of the tags column"`
	Lang        string `query:"lang" format:"bcp47" maxLength:"35" doc:"With text/csv: language of rows that name none"`
	ImportID    ids.ID `query:"importId" doc:"With text/csv: that of the preview, so that the ledger names the same; for assignments it is their batch too"`
	Decimal     string `query:"decimal" enum:"comma,point" doc:"With text/csv: which sign begins the decimals of numbers; without it a point or a comma, and a comma before exactly three digits is refused"`
	Invite      bool   `query:"invite" doc:"With text/csv: queue an invitation by mail to every invitee of the new assignments"`

	Format               string `query:"format" enum:"csv,qti,moodle_xml,aiken,gift" doc:"With a file of questions: its format, where it is not to be found by its bytes"`
	CategoryFacet        string `query:"categoryFacet" maxLength:"200" doc:"With a question bank: facet of its categories. Default category"`
	AcceptScoringChanges bool   `query:"acceptScoringChanges" doc:"With a question bank: take questions that will be scored otherwise than their author meant; notices say which"`

	parsed intake.Input
}

// csvBody describes an import as a file.
func csvBody(r route) *huma.RequestBody {
	file := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	body := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"text/csv": file}}
	if r.Bank {
		for _, media := range bankTypes {
			body.Content[media] = file
		}
	}
	return body
}

// bankTypes are the types of question banks: of packages, of XML, and of GIFT and Aiken.
var bankTypes = []string{"application/zip", "application/xml", "text/xml", "text/plain"}

// describeImport adds the JSON form to the description of a route, which has only the
// file's: huma would read a body that it knows by itself.
func (s *Server) describeImport(r route) {
	doc := s.api.OpenAPI()
	doc.Paths[prefix+r.Path].Post.RequestBody.Content["application/json"] = &huma.MediaType{
		Schema: doc.Components.Schemas.Schema(reflect.TypeFor[ImportBody](), true, "")}
}

// Resolve reads either form of the body, which was received onto the disk first.
func (in *importInput) Resolve(hc huma.Context) []error {
	c := callOf(hc.Context())
	data := c.body
	if len(data) == 0 {
		return []error{problemOf(errs.New(errs.MalformedRequest, "Send the file."))}
	}
	if isCSV(hc.Header("Content-Type")) || isBank(hc.Header("Content-Type")) {
		in.parsed = intake.Input{Data: data, SkipInvalid: in.SkipInvalid, CreateTerms: in.CreateTerms,
			TagsFacet: in.TagsFacet, Locale: in.Lang,
			ImportID: in.ImportID, Decimal: in.Decimal, Invite: in.Invite,
			Format: in.Format, CategoryFacet: in.CategoryFacet, AcceptScoringChanges: in.AcceptScoringChanges}
		return nil
	}
	var body ImportBody
	err := json.Unmarshal(data, &body)
	if err != nil {
		return []error{problemOf(errs.New(errs.MalformedRequest, "The body is not JSON with the fields csv, skipInvalid, createTerms, tagsFacet, lang, importId, decimal, invite, format, categoryFacet and acceptScoringChanges."))}
	}
	in.parsed = intake.Input{Data: []byte(body.CSV), SkipInvalid: body.SkipInvalid, CreateTerms: body.CreateTerms,
		TagsFacet: body.TagsFacet, Locale: body.Lang,
		ImportID: body.ImportID, Decimal: body.Decimal, Invite: body.Invite,
		Format: body.Format, CategoryFacet: body.CategoryFacet, AcceptScoringChanges: body.AcceptScoringChanges}
	return nil
}

func previewUsers(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	return intake.PreviewUsers(ctx, tx, in.parsed)
}

func commitUsers(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitUsers(ctx, tx, in.parsed)
}

func (s *Server) previewQuestions(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	in.parsed.FileLimit = int64(s.config.UploadLimit)
	return intake.PreviewQuestions(ctx, tx, in.parsed)
}

// keepPictures stores the pictures of a question bank before the transaction that makes assets of them.
func (s *Server) keepPictures(ctx context.Context, scope db.Scope, in *importInput) error {
	in.parsed.FileLimit = int64(s.config.UploadLimit)
	return intake.KeepPictures(in.parsed, func(file *blob.File) error {
		_, err := s.files.Keep(ctx, scope, file, "")
		return err
	})
}

func (s *Server) commitQuestions(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitQuestions(ctx, tx, in.parsed)
}

func previewPassages(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	return intake.PreviewPassages(ctx, tx, in.parsed)
}

func commitPassages(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitPassages(ctx, tx, in.parsed)
}

func previewEvaluations(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	return intake.PreviewEvaluations(ctx, tx, in.parsed)
}

func commitEvaluations(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitEvaluations(ctx, tx, in.parsed)
}

func previewSubjects(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	return intake.PreviewSubjects(ctx, tx, in.parsed)
}

func commitSubjects(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitSubjects(ctx, tx, in.parsed)
}

func previewAssignments(ctx context.Context, tx *db.Tx, in *importInput) (intake.Preview, error) {
	return intake.PreviewAssignments(ctx, tx, in.parsed)
}

func commitAssignments(ctx context.Context, tx *db.Tx, in *importInput) (intake.Commit, error) {
	return intake.CommitAssignments(ctx, tx, in.parsed)
}
