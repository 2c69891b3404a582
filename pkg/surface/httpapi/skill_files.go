package httpapi

import (
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// skillFileRoutes take frameworks in and give them out.
func skillFileRoutes() []route {
	manages := needs(capability.SkillsManage)
	return []route{
		packaged(preview("/skill-frameworks/import/preview", "previewSkills", manages, "Check a CASE package or a CSV of skills", previewSkills)),
		packaged(large(write(post, "/skill-frameworks/import/commit", "commitSkills", ok, manages, "Import a CASE package or a CSV of skills", commitSkills))),
		streamed(caseFile, "/skill-frameworks/{id}/export/case", "exportSkillPackage", skillReaders, "Export a framework as a CASE 1.1 package", exportSkillPackage),
		export("/skill-frameworks/{id}/export/csv", "exportSkills", skillReaders, "Export the skills of a framework as CSV", exportSkills),
	}
}

var caseFile = fileKind{".json", "application/json", "A CASE 1.1 package (CFPackage)"}

// packaged marks an import whose JSON form is the file itself.
func packaged(r route) route {
	r.Package = true
	return r
}

// describePackage adds the JSON form of such an import to its description.
func (s *Server) describePackage(r route) {
	s.api.OpenAPI().Paths[prefix+r.Path].Post.RequestBody.Content["application/json"] = &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "A CASE 1.1 package (CFPackage)"}}
}

type importSkillsInput struct {
	FrameworkID ids.ID `query:"frameworkId" doc:"A framework that is there. A CASE package names its own, and it is made where there is none"`
	Title       string `query:"title" maxLength:"500" doc:"With text/csv and without frameworkId: the framework that files of this title make"`
	Publish     bool   `query:"publish" doc:"Publish the skills of the file; without it what is new is a draft"`
	ImportID    ids.ID `query:"importId" doc:"That of the preview"`
	Decimal     string `query:"decimal" enum:"comma,point" doc:"With text/csv: which sign begins the decimals of numbers; without it a point or a comma, and a comma before exactly three digits is refused"`

	parsed intake.Input
}

// Resolve takes the body, which was received onto the disk first.
func (in *importSkillsInput) Resolve(hc huma.Context) []error {
	c := callOf(hc.Context())
	if len(c.body) == 0 {
		return []error{problemOf(errs.New(errs.MalformedRequest, "Send the file."))}
	}
	in.parsed = intake.Input{Data: c.body, FrameworkID: in.FrameworkID, Title: in.Title, Publish: in.Publish, ImportID: in.ImportID, Decimal: in.Decimal}
	return nil
}

func previewSkills(ctx context.Context, tx *db.Tx, in *importSkillsInput) (intake.Preview, error) {
	return intake.PreviewSkills(ctx, tx, in.parsed)
}

func commitSkills(ctx context.Context, tx *db.Tx, in *importSkillsInput) (intake.SkillCommit, error) {
	return intake.CommitSkills(ctx, tx, in.parsed)
}

func exportSkillPackage(ctx context.Context, tx *db.Tx, in *ByID, to io.Writer) error {
	return skill.WriteCASE(ctx, tx, in.ID, to)
}

func exportSkills(ctx context.Context, tx *db.Tx, in *ByID, to io.Writer) error {
	_, err := intake.ExportSkills(ctx, tx, in.ID, to)
	return err
}
