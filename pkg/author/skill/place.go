package skill

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// MaxDepth is the most levels that the tree of a framework has.
const MaxDepth = 20

// check says what is wrong with the place that a skill is to get. It locks the framework.
func (p Place) check(ctx context.Context, tx *db.Tx, id ids.ID) ([]errs.Field, error) {
	bad := errs.Line("code", p.Code, maxCode, false)
	if p.FrameworkID == nil {
		if p.ParentID != nil {
			bad = append(bad, errs.Field{Path: "parentId", Code: "needs_framework", Message: "only skills of a framework stand below others"})
		}
		return bad, nil
	}
	f, err := lockFramework(ctx, tx, *p.FrameworkID)
	switch {
	case errors.Is(err, errs.NotFound):
		return append(bad, errs.Field{Path: "frameworkId", Code: "unknown_framework", Message: "there is no such framework"}), nil
	case err != nil:
		return nil, err
	case f.RetiredAt != nil:
		bad = append(bad, errs.Field{Path: "frameworkId", Code: "retired_framework", Message: "the framework is retired"})
	}
	taken, err := p.taken(ctx, tx, id)
	if err != nil || p.ParentID == nil {
		return append(bad, taken...), err
	}
	misplaced, err := p.checkParent(ctx, tx, id)
	return append(append(bad, taken...), misplaced...), err
}

func (p Place) taken(ctx context.Context, tx *db.Tx, id ids.ID) ([]errs.Field, error) {
	var taken bool
	err := tx.QueryRow(ctx, "select exists (select from skills where tenant_id = $1 and framework_id = $2 and code = $3 and id <> $4)",
		tx.Tenant(), p.FrameworkID, p.Code, id).Scan(&taken)
	if err != nil {
		return nil, fmt.Errorf("look for the code: %w", err)
	}
	if !taken {
		return nil, nil
	}
	return []errs.Field{{Path: "code", Code: "duplicate", Message: "another skill of the framework has this code"}}, nil
}

// parentSQL walks from the parent up, and gives the height of the tree below the skill.
const parentSQL = `
with recursive above as (
	select id, parent_id, framework_id, 1 as depth from skills where tenant_id = $1 and id = $2
	union all
	select s.id, s.parent_id, s.framework_id, a.depth + 1 from above a join skills s on s.tenant_id = $1 and s.id = a.parent_id where a.depth <= $4
), below as (
	select $3::uuid as id, 1 as depth
	union all
	select s.id, b.depth + 1 from below b join skills s on s.tenant_id = $1 and s.parent_id = b.id where b.depth <= $4
)
select (select framework_id from skills where tenant_id = $1 and id = $2), exists (select from above where id = $3),
	(select max(depth) from above) + (select max(depth) from below)`

func (p Place) checkParent(ctx context.Context, tx *db.Tx, id ids.ID) ([]errs.Field, error) {
	var framework *ids.ID
	var circle bool
	var depth *int
	err := tx.QueryRow(ctx, parentSQL, tx.Tenant(), p.ParentID, id, MaxDepth).Scan(&framework, &circle, &depth)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("look at the tree: %w", err)
	}
	bad := errs.Field{Path: "parentId"}
	switch {
	case framework == nil || *framework != *p.FrameworkID:
		bad.Code, bad.Message = "unknown_parent", "the framework has no such skill"
	case circle:
		bad.Code, bad.Message = "cycle", "a skill cannot stand below itself"
	case *depth > MaxDepth:
		bad.Code, bad.Message = "too_deep", fmt.Sprintf("a framework has at most %d levels", MaxDepth)
	default:
		return nil, nil
	}
	return []errs.Field{bad}, nil
}

// setTags gives a skill the terms that it is found by.
func setTags(ctx context.Context, tx *db.Tx, id ids.ID, terms []ids.ID) error {
	if err := tx.Require(capability.SkillsTaxonomy); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `
		select t.id from terms t join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id
		where t.tenant_id = $1 and t.id = any($2) and f.domain = 'skills' and t.merged_into is null for key share of t`, tx.Tenant(), terms)
	if err != nil {
		return fmt.Errorf("find terms: %w", err)
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("find terms: %w", err)
	}
	is := map[ids.ID]bool{}
	for _, k := range known {
		is[k] = true
	}
	var bad []errs.Field
	for i, t := range terms {
		if !is[t] {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("termIds[%d]", i), Code: "unknown_term", Message: "no facet of the domain skills has such a term"})
		}
	}
	if err := errs.Invalid(bad...); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from skill_tags where tenant_id = $1 and skill_id = $2 and term_id <> all($3)", tx.Tenant(), id, terms)
	if err == nil {
		_, err = tx.Exec(ctx, `insert into skill_tags (tenant_id, skill_id, term_id) select $1, $2, t from (select distinct unnest($3::uuid[]) as t) t
			on conflict do nothing`, tx.Tenant(), id, terms)
	}
	if err != nil {
		return fmt.Errorf("set tags: %w", err)
	}
	return nil
}
