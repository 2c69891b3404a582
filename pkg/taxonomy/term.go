package taxonomy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/ledger"
)

// Term is one word of a facet. Facet and Domain repeat the facet's slug and domain.
type Term struct {
	ID        ids.ID     `json:"id"`
	FacetID   ids.ID     `json:"facetId"`
	Facet     string     `json:"facet"`
	Domain    string     `json:"domain" enum:"content,skills,subjects,identity"`
	Slug      string     `json:"slug"`
	Label     string     `json:"label"`
	RetiredAt *time.Time `json:"retiredAt,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// TermInput describes a new term.
type TermInput struct {
	FacetID ids.ID `json:"facetId"`
	Slug    string `json:"slug,omitempty" maxLength:"200" doc:"Default: made from the label"`
	Label   string `json:"label" minLength:"1" maxLength:"200" example:"Photosynthesis"`
}

// TermFilter chooses terms; the zero value chooses all. Facet is a facet's slug.
type TermFilter struct {
	Domain  string
	Facet   string
	FacetID ids.ID
	db.Page
}

// CreateTerm adds a term to a facet. Errors: validation_failed (an unknown facet
// included), duplicate_term.
func CreateTerm(ctx context.Context, tx *db.Tx, in TermInput) (Term, error) {
	if err := tx.Require(capability.TaxonomyManage); err != nil {
		return Term{}, err
	}
	slug, label, bad := checkNames(in.Slug, in.Label)
	var facet models.Facet
	err := tx.QueryRow(ctx, "select slug, domain from facets where tenant_id = $1 and id = $2", tx.Tenant(), in.FacetID).
		Scan(&facet.Slug, &facet.Domain)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
		bad = append(bad, errs.Field{Path: "facetId", Code: "unknown_facet", Message: "there is no such facet"})
	}
	if err != nil {
		return Term{}, fmt.Errorf("find facet: %w", err)
	}
	if err := errs.Invalid(bad...); err != nil {
		return Term{}, err
	}
	row := models.Term{TenantID: tx.Tenant(), ID: ids.New(), FacetID: in.FacetID, Slug: slug, Label: label,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return Term{}, fmt.Errorf("create term: %w", err)
	}
	term := termRow{Term: row, Facet: facet.Slug, Domain: facet.Domain}.term()
	return term, ledger.Append(ctx, tx, ledger.Event{Type: "term.created", SubjectType: "term", SubjectID: row.ID})
}

// ListTerms gives terms by facet and slug, retired ones included.
func ListTerms(ctx context.Context, tx *db.Tx, filter TermFilter) (db.List[Term], error) {
	if err := tx.Require(capability.TaxonomyRead); err != nil {
		return db.List[Term]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Term]{}, err
	}
	var rows []termRow
	total, err := tx.NewSelect().Model(&rows).
		ColumnExpr("t.*, f.slug as facet, f.domain").
		Join("join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id").
		Where("t.tenant_id = ?", tx.Tenant()).
		Apply(only("f.domain", filter.Domain), only("f.slug", filter.Facet), onlyFacet(filter.FacetID)).
		Order("f.domain", "f.slug", "t.slug").Limit(int64(page.Limit)).Offset(int64(page.Offset())).
		ScanAndCount(ctx)
	if err != nil {
		return db.List[Term]{}, fmt.Errorf("list terms: %w", err)
	}
	terms := make([]Term, 0, len(rows))
	for _, row := range rows {
		terms = append(terms, row.term())
	}
	return db.NewList(terms, page, int(total)), nil
}

func onlyFacet(id ids.ID) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if id == ids.None {
			return q
		}
		return q.Where("t.facet_id = ?", id)
	}
}

// termRow is a term with what it shows of its facet.
type termRow struct {
	models.Term `bun:",extend"`

	Facet  string `bun:",scanonly"`
	Domain string `bun:",scanonly"`
}

func (r termRow) term() Term {
	return Term{ID: r.ID, FacetID: r.FacetID, Facet: r.Facet, Domain: r.Domain, Slug: r.Slug, Label: r.Label,
		RetiredAt: r.RetiredAt, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
}
