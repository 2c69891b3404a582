package intake

import (
	"context"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

var terms = kind[taxonomy.ImportedTerm]{
	name:  "terms",
	needs: []capability.Capability{capability.TaxonomyManage},
	columns: []column{
		{name: "facet", required: true},
		{name: "domain"},
		{name: "slug", required: true},
		{name: "label"},
		{name: "parent"},
		{name: "retired"},
	},
	plan:  planTerms,
	apply: applyTerms,
	// A term may be below a term of another row.
	batch: -1,
	place: placeInTerm,
}

// PreviewTerms shows what CommitTerms would do. It needs taxonomy.manage.
func PreviewTerms(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return terms.preview(ctx, tx, in)
}

// CommitTerms creates terms with their facets and changes the ones that differ, by facet and
// slug; taxonomy.ImportTerms has the rules. It needs taxonomy.manage. Errors:
// import_invalid.
func CommitTerms(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return terms.commit(ctx, tx, in)
}

func planTerms(ctx context.Context, tx *db.Tx, _ Input, f *file) ([]record[taxonomy.ImportedTerm], error) {
	var records []record[taxonomy.ImportedTerm]
	var inputs []taxonomy.ImportedTerm
	_, placed := f.header.at["parent"]
	for r := range f.rows() {
		term := taxonomy.ImportedTerm{Facet: r.text("facet"), Domain: r.text("domain"), Slug: r.text("slug"), Label: r.text("label"),
			Retired: r.yes("retired")}
		if parent := r.text("parent"); placed {
			term.Parent = &parent
		}
		records = append(records, record[taxonomy.ImportedTerm]{key: term.Facet + ":" + term.Slug, rows: []row{r}, value: term})
		inputs = append(inputs, term)
	}
	problems, err := taxonomy.CheckImport(ctx, tx, inputs)
	if err != nil {
		return nil, err
	}
	for i, found := range problems {
		report(records[i], found, placeInTerm)
	}
	return records, nil
}

func applyTerms(ctx context.Context, tx *db.Tx, _ Input, records []record[taxonomy.ImportedTerm], done *Commit) error {
	changes, err := taxonomy.ImportTerms(ctx, tx, valuesOf(records))
	for _, change := range changes {
		done.count(string(change))
	}
	return err
}

func placeInTerm(r record[taxonomy.ImportedTerm], f errs.Field) (row, string) {
	return r.rows[0], f.Path
}
