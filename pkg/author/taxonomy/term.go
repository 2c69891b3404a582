package taxonomy

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Term is one word of a facet. Facet and Domain repeat the facet's slug and domain. ParentID
// is absent at the top of the tree. MergedInto names the survivor of a merged term.
type Term struct {
	ID         ids.ID     `json:"id"`
	FacetID    ids.ID     `json:"facetId"`
	Facet      string     `json:"facet" example:"topic"`
	Domain     string     `json:"domain" enum:"content,skills,subjects,identity"`
	Slug       string     `json:"slug" example:"photosynthesis"`
	Label      string     `json:"label" example:"Photosynthesis"`
	ParentID   *ids.ID    `json:"parentId,omitempty" doc:"Absent at the top of the tree"`
	RetiredAt  *time.Time `json:"retiredAt,omitempty" doc:"Retired terms cannot be assigned anew"`
	MergedInto *ids.ID    `json:"mergedInto,omitempty" doc:"The term that stands for this one since they were merged"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// TermInput describes a new term.
type TermInput struct {
	FacetID  ids.ID  `json:"facetId" noun:"facet"`
	ParentID *ids.ID `json:"parentId,omitempty" noun:"term" doc:"A term of the same facet. Default: the top of the tree"`
	Slug     string  `json:"slug,omitempty" maxLength:"200" doc:"Default: made from the label"`
	Label    string  `json:"label" minLength:"1" maxLength:"200" example:"Photosynthesis"`
}

// CreateTerm adds a term to a facet. Errors: validation_failed (an unknown facet or
// parent included), duplicate_term.
func CreateTerm(ctx context.Context, tx *db.Tx, in TermInput) (Term, error) {
	if err := mayChangeSome(tx); err != nil {
		return Term{}, err
	}
	slug, label, bad := checkNames(in.Slug, in.Label)
	facet, unknown, err := facetOfNewTerm(ctx, tx, in)
	if err != nil {
		return Term{}, err
	}
	row := termRow{Facet: facet.Slug, Domain: facet.Domain, ParentID: in.ParentID, Term: models.Term{
		TenantID: tx.Tenant(), ID: ids.New(), FacetID: in.FacetID, Slug: slug, Label: label, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}}
	bad = append(bad, unknown...)
	if len(unknown) == 0 {
		misplaced, err := row.checkParent(ctx, tx, in.ParentID)
		if err != nil {
			return Term{}, err
		}
		bad = append(bad, misplaced...)
	}
	if err := errs.Invalid(bad...); err != nil {
		return Term{}, err
	}
	_, err = tx.NewInsert().Model(&row.Term).Returning("NULL").Exec(ctx)
	if err != nil {
		return Term{}, fmt.Errorf("create term: %w", err)
	}
	err = place(ctx, tx, row.ID, in.ParentID)
	if err != nil {
		return Term{}, err
	}
	return row.term(), ledger.Append(ctx, tx, row.event("created"))
}

// facetOfNewTerm finds the facet; the tree below a parent must not move meanwhile.
func facetOfNewTerm(ctx context.Context, tx *db.Tx, in TermInput) (models.Facet, []errs.Field, error) {
	var rows []models.Facet
	query := tx.NewSelect().Model(&rows).Where("f.tenant_id = ?", tx.Tenant()).Where("f.id = ?", in.FacetID)
	if in.ParentID != nil {
		query = query.For("no key update")
	}
	err := query.Scan(ctx)
	if err != nil {
		return models.Facet{}, nil, fmt.Errorf("find facet: %w", err)
	}
	if len(rows) == 0 {
		return models.Facet{}, []errs.Field{{Path: "facetId", Code: "unknown_facet", Message: "there is no such facet"}}, nil
	}
	return rows[0], nil, tx.Require(manages(rows[0].Domain))
}

// GetTerm gives one term. Errors: not_found.
func GetTerm(ctx context.Context, tx *db.Tx, id ids.ID) (Term, error) {
	if err := mayRead(tx); err != nil {
		return Term{}, err
	}
	row, err := findTerm(ctx, tx, id)
	return row.term(), err
}

func findTerm(ctx context.Context, tx *db.Tx, id ids.ID) (termRow, error) {
	var row termRow
	err := selectTerms(tx, &row).Where("t.id = ?", id).Scan(ctx)
	return row, found("term", err)
}

// selectTerms starts a query of terms with the columns from their facets and the tree.
func selectTerms(tx *db.Tx, into any) *bun.SelectQuery {
	return tx.NewSelect().Model(into).ColumnExpr("?TableColumns").
		ColumnExpr("f.slug as facet, f.domain, r.parent_id").
		Join("join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id").
		Join("left join term_relations r on r.tenant_id = t.tenant_id and r.term_id = t.id").
		Where("t.tenant_id = ?", tx.Tenant())
}

// termRow is a term with the columns from its facet and its place in the tree.
type termRow struct {
	models.Term `bun:",extend"`

	Facet    string  `bun:",scanonly"`
	Domain   string  `bun:",scanonly"`
	ParentID *ids.ID `bun:",scanonly"`
}

func (r termRow) term() Term {
	return Term{ID: r.ID, FacetID: r.FacetID, Facet: r.Facet, Domain: r.Domain, Slug: r.Slug, Label: r.Label, ParentID: r.ParentID,
		RetiredAt: db.UTC(r.RetiredAt), MergedInto: r.MergedInto, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
}

func (r termRow) event(what string) ledger.Event {
	e := ledger.Event{Type: "term." + what, SubjectType: "term", SubjectID: r.ID, Payload: map[string]any{"facetId": r.FacetID}}
	return placed(e, r.ParentID)
}

// placed adds the parent of the term to an event.
func placed(e ledger.Event, parent *ids.ID) ledger.Event {
	delete(e.Payload, "parentId")
	if parent != nil {
		e.Payload["parentId"] = *parent
	}
	return e
}
