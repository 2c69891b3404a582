package intake

import (
	"context"
	"io"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var subjects = kind[programme.SubjectInput]{
	name:  "subjects",
	needs: []capability.Capability{capability.SubjectsManage},
	columns: []column{
		{name: "externalId", alias: "id", required: true},
		{name: "name", required: true},
		{name: "kind"},
		{name: "metadata", raw: true},
		{name: "meta.", prefix: true},
	},
	plan:  planSubjects,
	apply: applySubjects,
	place: placeInSubject,
}

// PreviewSubjects shows what CommitSubjects would do. It needs subjects.manage.
func PreviewSubjects(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return subjects.preview(ctx, tx, in)
}

// CommitSubjects creates subjects of the org unit and completes existing ones, by
// external id. An import takes nothing away; programme.UpsertSubjects has the rules. It
// needs subjects.manage. Errors: import_invalid.
func CommitSubjects(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return subjects.commit(ctx, tx, in)
}

func planSubjects(_ context.Context, _ *db.Tx, _ Input, f *file) ([]record[programme.SubjectInput], error) {
	var records []record[programme.SubjectInput]
	seen := map[string]bool{}
	for r := range f.rows() {
		subject := programme.SubjectInput{ExternalID: r.text("externalId"), Name: r.text("name"), Kind: r.text("kind"),
			Metadata: metadataOf(r)}
		records = append(records, record[programme.SubjectInput]{key: subject.ExternalID, rows: []row{r}, value: subject})
		if subject.ExternalID != "" && seen[subject.ExternalID] {
			r.problem("externalId", "duplicate_external_id", "the external id occurs twice")
		}
		seen[subject.ExternalID] = true
		report(records[len(records)-1], subject.Problems(), placeInSubject)
	}
	return records, nil
}

func applySubjects(ctx context.Context, tx *db.Tx, _ Input, records []record[programme.SubjectInput], done *Commit) error {
	results, err := programme.UpsertSubjects(ctx, tx, valuesOf(records))
	for _, r := range results {
		done.count(string(r.Change))
	}
	return err
}

func placeInSubject(r record[programme.SubjectInput], f errs.Field) (row, string) {
	return r.rows[0], metadataColumn(r.rows[0], f)
}

var exportedSubjects = exported[programme.Subject]{
	columns: []string{"externalId", "name", "kind", "metadata"},
	page: func(ctx context.Context, tx *db.Tx, _ authoring.ExportFilter, after ids.ID, limit int) ([]programme.Subject, error) {
		return programme.ExportSubjects(ctx, tx, after, limit)
	},
	id: func(s programme.Subject) ids.ID { return s.ID },
	rows: func(_ context.Context, _ *db.Tx, _ authoring.ExportFilter, page []programme.Subject) ([]cells, error) {
		rows := make([]cells, len(page))
		for i, s := range page {
			metadata, err := metadataCell(s.Metadata)
			if err != nil {
				return nil, err
			}
			rows[i] = cells{"externalId": s.ExternalID, "name": s.Name, "kind": s.Kind, "metadata": metadata}
		}
		return rows, nil
	},
}

// ExportSubjects writes the subjects of the org unit as a file that CommitSubjects takes: importing it again changes nothing. It
// needs subjects.manage, and gives the number of subjects.
func ExportSubjects(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedSubjects.write(ctx, tx, in, to)
}
