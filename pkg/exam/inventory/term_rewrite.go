package inventory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// merging puts one term in the place of another in everything that names terms.
type merging struct {
	from, into ids.ID
}

// In these, NOUN is question or evaluation; $2 is the merged term and $3 the survivor.
const (
	lockUsersSQL = `
		select from NOUNs where tenant_id = $1 and id in (select NOUN_id from NOUN_terms where tenant_id = $1 and term_id = $2)
		order by id for update`
	lockDrawersSQL = `
		select from evaluations where tenant_id = $1 and draft_id in (
			select evaluation_version_id from evaluation_items
			where tenant_id = $1 and draw_count is not null and ($2 = any(draw_terms) or $2 = any(draw_exclude)))
		order by id for update`
	rewriteDraftsSQL = `
		update NOUN_versions v set updated_at = $4, term_ids = array(
			select distinct t from unnest(array_replace(v.term_ids, $2, $3)) t order by t)
		from NOUNs n join NOUN_terms u on u.tenant_id = $1 and u.NOUN_id = n.id and u.term_id = $2
		where n.tenant_id = $1 and v.tenant_id = $1 and v.id = n.draft_id and $2 = any(v.term_ids)
		returning n.id`
	rewriteDrawsSQL = `
		update evaluation_items i set
			draw_terms = array(select distinct t from unnest(array_replace(i.draw_terms, $2, $3)) t order by t),
			draw_exclude = array(select distinct t from unnest(array_replace(i.draw_exclude, $2, $3)) t order by t)
		from evaluations e
		where e.tenant_id = $1 and i.tenant_id = $1 and i.evaluation_version_id = e.draft_id
			and i.draw_count is not null and ($2 = any(i.draw_terms) or $2 = any(i.draw_exclude))
		returning e.id`
	touchSQL = `
		update NOUNs set updated_at = greatest($3, just_after(updated_at)) where tenant_id = $1 and id = any($2)`
	moveIndexSQL = `
		insert into NOUN_terms (tenant_id, NOUN_id, term_id, org_unit_id, is_newest, is_published)
		select tenant_id, NOUN_id, $3, org_unit_id, is_newest, is_published from NOUN_terms where tenant_id = $1 and term_id = $2
		on conflict (tenant_id, NOUN_id, term_id) do update set
			is_newest = NOUN_terms.is_newest or excluded.is_newest, is_published = NOUN_terms.is_published or excluded.is_published`
	clearIndexSQL = `delete from NOUN_terms where tenant_id = $1 and term_id = $2`
	// KEY is a list of terms in a filter.
	rewriteViewsSQL = `
		update inventory_views v set updated_at = greatest($4, just_after(v.updated_at)),
			filter = jsonb_set(v.filter, '{KEY}', (
				select jsonb_agg(distinct case when t = $2::text then $3::text else t end)
				from jsonb_array_elements_text(v.filter -> 'KEY') t))
		where v.tenant_id = $1 and jsonb_typeof(v.filter -> 'KEY') = 'array' and v.filter -> 'KEY' ? $2::text
		returning v.id`
)

// lockUsers keeps everybody else from changing what names the term.
func (m merging) lockUsers(ctx context.Context, tx *db.Tx) error {
	for _, sql := range []string{named("question", lockUsersSQL), named("evaluation", lockUsersSQL), lockDrawersSQL} {
		_, err := tx.Exec(ctx, sql, tx.Tenant(), m.from)
		if err != nil {
			return fmt.Errorf("lock what names the term: %w", err)
		}
	}
	return nil
}

// named puts a noun into a statement.
func named(noun, sql string) string { return strings.ReplaceAll(sql, "NOUN", noun) }

func (m merging) rewrite(ctx context.Context, tx *db.Tx, out *TermMerge) error {
	draws, err := m.changed(ctx, tx, rewriteDrawsSQL, m.from, m.into)
	if err != nil {
		return err
	}
	out.Draws = len(draws)
	out.Questions, err = m.rewriteDrafts(ctx, tx, "question", nil, out)
	if err != nil {
		return err
	}
	out.Evaluations, err = m.rewriteDrafts(ctx, tx, "evaluation", draws, out)
	if err != nil {
		return err
	}
	var views []ids.ID
	for _, key := range []string{"termsAny", "termsAll"} {
		found, err := m.changed(ctx, tx, strings.ReplaceAll(rewriteViewsSQL, "KEY", key), m.from.String(), m.into.String(), tx.Now())
		if err != nil {
			return err
		}
		views = append(views, found...)
	}
	out.Views = len(distinct(views))
	return nil
}

// rewriteDrafts rewrites the drafts and the index of questions or evaluations and gives the
// number of drafts, including the ones already changed.
func (m merging) rewriteDrafts(ctx context.Context, tx *db.Tx, noun string, already []ids.ID, out *TermMerge) (int, error) {
	drafts, err := m.changed(ctx, tx, named(noun, rewriteDraftsSQL), m.from, m.into, tx.Now())
	if err != nil {
		return 0, err
	}
	drafts = distinct(append(drafts, already...))
	_, err = tx.Exec(ctx, named(noun, touchSQL), tx.Tenant(), drafts, tx.Now())
	if err != nil {
		return 0, fmt.Errorf("rewrite terms: %w", err)
	}
	_, err = tx.Exec(ctx, named(noun, moveIndexSQL), tx.Tenant(), m.from, m.into)
	if err != nil {
		return 0, fmt.Errorf("rewrite the index of terms: %w", err)
	}
	moved, err := tx.Exec(ctx, named(noun, clearIndexSQL), tx.Tenant(), m.from)
	if err != nil {
		return 0, fmt.Errorf("rewrite the index of terms: %w", err)
	}
	out.Indexed += int(moved)
	return len(drafts), nil
}

// changed runs a statement that returns what it changed.
func (m merging) changed(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, sql, append([]any{tx.Tenant()}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("rewrite terms: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("rewrite terms: %w", err)
	}
	return found, nil
}

// distinct gives each id once; it is never nil, which the database would take for null.
func distinct(all []ids.ID) []ids.ID {
	sorted := append([]ids.ID{}, all...)
	slices.SortFunc(sorted, func(a, b ids.ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(sorted)
}
