package taxonomy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Domains lists the domains of facets.
var Domains = []string{models.DomainContent, models.DomainSkills, models.DomainSubjects, models.DomainIdentity}

// Facet is one dimension of the vocabulary, "topic" for example.
type Facet struct {
	ID        ids.ID    `json:"id"`
	Domain    string    `json:"domain" enum:"content,skills,subjects,identity"`
	Slug      string    `json:"slug"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FacetInput describes a new facet.
type FacetInput struct {
	Domain string `json:"domain,omitempty" enum:"content,skills,subjects,identity" doc:"Default content"`
	Slug   string `json:"slug,omitempty" maxLength:"200" doc:"Default: made from the label"`
	Label  string `json:"label" minLength:"1" maxLength:"200" example:"Topic"`
}

// FacetFilter chooses facets; the zero value chooses all.
type FacetFilter struct {
	Domain string `query:"domain" enum:"content,skills,subjects,identity"`
	db.Page
}

// CreateFacet adds a facet. Errors: validation_failed, duplicate_slug.
func CreateFacet(ctx context.Context, tx *db.Tx, in FacetInput) (Facet, error) {
	if in.Domain == "" {
		in.Domain = models.DomainContent
	}
	if err := tx.Require(manages(in.Domain)); err != nil {
		return Facet{}, err
	}
	slug, label, bad := checkNames(in.Slug, in.Label)
	if err := errs.Invalid(append(bad, checkDomain(in.Domain)...)...); err != nil {
		return Facet{}, err
	}
	row := models.Facet{TenantID: tx.Tenant(), ID: ids.New(), Domain: in.Domain, Slug: slug, Label: label,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return Facet{}, fmt.Errorf("create facet: %w", err)
	}
	return facetOf(row), ledger.Append(ctx, tx, ledger.Event{Type: "facet.created", SubjectType: "facet", SubjectID: row.ID})
}

// ListFacets gives facets by domain and slug.
func ListFacets(ctx context.Context, tx *db.Tx, filter FacetFilter) (db.List[Facet], error) {
	if err := mayRead(tx); err != nil {
		return db.List[Facet]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Facet]{}, err
	}
	var rows []models.Facet
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).
		Where("f.tenant_id = ?", tx.Tenant()).
		Apply(only("f.domain", filter.Domain)), page, &rows, "f.domain", "f.slug")
	if err != nil {
		return db.List[Facet]{}, fmt.Errorf("list facets: %w", err)
	}
	facets := make([]Facet, 0, len(rows))
	for _, row := range rows {
		facets = append(facets, facetOf(row))
	}
	return db.NewList(facets, page, total), nil
}

func checkDomain(domain string) []errs.Field {
	if slices.Contains(Domains, domain) {
		return nil
	}
	return []errs.Field{{Path: "domain", Code: "unknown_domain", Message: "expected content, skills, subjects or identity"}}
}

// only filters a list if a value is given.
func only(column, value string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if value == "" {
			return q
		}
		return q.Where("? = ?", bun.Ident(column), value)
	}
}

func facetOf(row models.Facet) Facet {
	return Facet{ID: row.ID, Domain: row.Domain, Slug: row.Slug, Label: row.Label, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}
}
