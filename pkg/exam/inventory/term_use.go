package inventory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TermUse is one thing that names a term: a question, an evaluation, an evaluation that
// draws questions by the term, or a saved view. Newest speaks of the version that authors
// see and Published of the one that is delivered; a view has no versions.
type TermUse struct {
	Kind       string `json:"kind" enum:"question,evaluation,draw,view"`
	ID         ids.ID `json:"id" doc:"The question, the evaluation (of a draw too) or the view"`
	ExternalID string `json:"externalId,omitempty"`
	Title      string `json:"title,omitempty" doc:"Of evaluations and views"`
	Status     string `json:"status,omitempty" enum:"draft,published,archived"`
	Newest     bool   `json:"newest" doc:"The newest version names the term"`
	Published  bool   `json:"published" doc:"The published version names the term"`
}

// UseCount counts the uses of one kind.
type UseCount struct {
	Total     int `json:"total"`
	Newest    int `json:"newest"`
	Published int `json:"published"`
}

// TermUseCounts counts uses by kind.
type TermUseCounts struct {
	Questions   UseCount `json:"questions"`
	Evaluations UseCount `json:"evaluations"`
	Draws       UseCount `json:"draws" doc:"Evaluations with draws by the term"`
	Views       UseCount `json:"views"`
}

// TermUses is a page of the things that name a term, by kind and id, with the counts of all of them.
type TermUses struct {
	db.List[TermUse]
	Counts TermUseCounts `json:"counts"`
}

// WhereUsed gives everything that names a term in the scope, archived or not; of the views, the
// shared ones and the actor's own. A merged term is used where its survivor is. Errors: not_found.
func WhereUsed(ctx context.Context, tx *db.Tx, id ids.ID, page db.Page) (TermUses, error) {
	term, err := taxonomy.GetTerm(ctx, tx, id) // it checks the capability
	if err != nil {
		return TermUses{}, err
	}
	page, err = page.Check()
	if err != nil {
		return TermUses{}, err
	}
	if term.MergedInto != nil {
		id = *term.MergedInto
	}
	out := TermUses{}
	err = out.count(ctx, tx, id)
	if err != nil {
		return TermUses{}, err
	}
	rows, err := tx.Query(ctx, listUsesSQL, append(useArgs(tx, id), page.Limit, page.Offset())...)
	if err != nil {
		return TermUses{}, fmt.Errorf("list uses of a term: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[TermUse])
	if err != nil {
		return TermUses{}, fmt.Errorf("list uses of a term: %w", err)
	}
	c := out.Counts
	out.List = db.NewList(items, page, c.Questions.Total+c.Evaluations.Total+c.Draws.Total+c.Views.Total)
	return out, nil
}

// useArgs are $1 to $6: the tenant, the term, the scope, the term as a view names it, and
// the owner of personal views.
func useArgs(tx *db.Tx, id ids.ID) []any {
	return []any{tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit, id.String(), tx.Actor().ID}
}

// usesSQL gives every use. Draws and views are few compared with questions: an index finds all of
// them, and they are searched for the term.
const usesSQL = `
	with uses as (
		select 1 as kind, question_id as id, is_newest as newest, is_published as published
		from question_terms where tenant_id = $1 and term_id = $2 and ($3 or org_unit_id = $4)
		union all
		select 2, evaluation_id, is_newest, is_published
		from evaluation_terms where tenant_id = $1 and term_id = $2 and ($3 or org_unit_id = $4)
		union all
		select 3, e.id, bool_or(i.evaluation_version_id = coalesce(e.draft_id, e.published_id)),
			bool_or(i.evaluation_version_id is not distinct from e.published_id)
		from evaluation_items i
		join evaluation_versions v on v.tenant_id = $1 and v.id = i.evaluation_version_id
		join evaluations e on e.tenant_id = $1 and e.id = v.evaluation_id and v.id in (e.draft_id, e.published_id)
		where i.tenant_id = $1 and i.draw_count is not null and ($2 = any(i.draw_terms) or $2 = any(i.draw_exclude))
			and ($3 or i.org_unit_id = $4)
		group by e.id
		union all
		select 4, id, true, false
		from inventory_views where tenant_id = $1 and ($3 or org_unit_id = $4) and (visibility = 'shared' or owner_id = $6)
			and (filter -> 'termsAny' ? $5::text or filter -> 'termsAll' ? $5::text)
	)`

const countUsesSQL = usesSQL + `
	select kind, count(*), count(*) filter (where newest), count(*) filter (where published) from uses group by kind`

const listUsesSQL = usesSQL + `, page as (select * from uses order by kind, id limit $7 offset $8)
	select (array['question', 'evaluation', 'draw', 'view'])[p.kind], p.id, coalesce(q.external_id, e.external_id, ''),
		coalesce(e.title, w.name, ''), coalesce(q.status, e.status, ''), p.newest, p.published
	from page p
	left join questions q on p.kind = 1 and q.tenant_id = $1 and q.id = p.id
	left join evaluations e on p.kind in (2, 3) and e.tenant_id = $1 and e.id = p.id
	left join inventory_views w on p.kind = 4 and w.tenant_id = $1 and w.id = p.id
	order by p.kind, p.id`

func (u *TermUses) count(ctx context.Context, tx *db.Tx, id ids.ID) error {
	rows, err := tx.Query(ctx, countUsesSQL, useArgs(tx, id)...)
	if err != nil {
		return fmt.Errorf("count uses of a term: %w", err)
	}
	kinds := []*UseCount{&u.Counts.Questions, &u.Counts.Evaluations, &u.Counts.Draws, &u.Counts.Views}
	var kind int
	var c UseCount
	_, err = pgx.ForEachRow(rows, []any{&kind, &c.Total, &c.Newest, &c.Published}, func() error {
		*kinds[kind-1] = c
		return nil
	})
	if err != nil {
		return fmt.Errorf("count uses of a term: %w", err)
	}
	return nil
}
