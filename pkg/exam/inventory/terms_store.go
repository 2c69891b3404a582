package inventory

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Drafts begin as copies of published versions, $3 into $4, under the next number and with
// nothing pinned.
const (
	draftQuestionsSQL = `
		insert into question_versions (tenant_id, id, org_unit_id, question_id, number, status, qtype, body, term_ids,
			extracts, content_hash, canonical_scheme, hash_scheme, created_at, updated_at)
		select v.tenant_id, n.draft, v.org_unit_id, v.question_id, v.number + 1, 'draft', v.qtype, v.body, v.term_ids,
			v.extracts, v.content_hash, v.canonical_scheme, v.hash_scheme, $2, $2
		from unnest($3::uuid[], $4::uuid[]) as n (source, draft)
		join question_versions v on v.tenant_id = $1 and v.id = n.source`
	draftEvaluationsSQL = `
		insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings,
			term_ids, created_at, updated_at)
		select v.tenant_id, n.draft, v.org_unit_id, v.evaluation_id, v.number + 1, 'draft', v.title, v.sections, v.settings,
			v.term_ids, $2, $2
		from unnest($3::uuid[], $4::uuid[]) as n (source, draft)
		join evaluation_versions v on v.tenant_id = $1 and v.id = n.source`
	draftItemsSQL = `
		insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id,
			passage_id, draw_count, draw_terms, draw_exclude, weight)
		select i.tenant_id, n.draft, i.id, i.org_unit_id, i.section_id, i.position, i.question_id,
			i.passage_id, i.draw_count, i.draw_terms, i.draw_exclude, i.weight
		from unnest($3::uuid[], $4::uuid[]) as n (source, draft)
		join evaluation_items i on i.tenant_id = $1 and i.evaluation_version_id = n.source and $2::timestamptz is not null`
)

// In these, NOUN is question or evaluation.
const (
	// Versions without a term left have no pair.
	writeTermsSQL = `
		update NOUN_versions v set term_ids = w.terms, updated_at = $2
		from (
			select d.draft, coalesce(array_agg(p.term order by p.term) filter (where p.term is not null), '{}') as terms
			from unnest($3::uuid[]) as d (draft) left join unnest($4::uuid[], $5::uuid[]) as p (draft, term) on p.draft = d.draft
			group by d.draft) w
		where v.tenant_id = $1 and v.id = w.draft`
	changeRowsSQL = `
		update NOUNs r set draft_id = n.draft, updated_at = greatest($2, just_after(r.updated_at))
		from unnest($3::uuid[], $4::uuid[]) as n (id, draft) where r.tenant_id = $1 and r.id = n.id`
	forgetTermsSQL = `update NOUN_terms set is_newest = false where tenant_id = $1 and NOUN_id = any($2) and is_newest`
	indexTermsSQL  = `
		insert into NOUN_terms (tenant_id, NOUN_id, term_id, org_unit_id, is_newest, is_published)
		select $1, p.id, p.term, r.org_unit_id, true, false
		from unnest($2::uuid[], $3::uuid[]) as p (id, term) join NOUNs r on r.tenant_id = $1 and r.id = p.id
		on conflict (tenant_id, NOUN_id, term_id) do update set is_newest = true`
	sweepTermsSQL = `delete from NOUN_terms where tenant_id = $1 and NOUN_id = any($2) and not is_newest and not is_published`
)

// columns holds retagged rows by column, as unnest wants them.
type columns struct {
	rows, drafts []ids.ID
	// sources become drafts, fresh by name.
	sources, fresh []ids.ID
	// A pair is a term of a row, that is, of its draft.
	pairRows, pairDrafts, pairTerms []ids.ID
}

func columnsOf(changed []retagged) columns {
	var c columns
	for _, r := range changed {
		c.rows, c.drafts = append(c.rows, r.id), append(c.drafts, r.draft)
		if r.draft != r.version {
			c.sources, c.fresh = append(c.sources, r.version), append(c.fresh, r.draft)
		}
		for _, term := range r.terms {
			c.pairRows, c.pairDrafts, c.pairTerms = append(c.pairRows, r.id), append(c.pairDrafts, r.draft), append(c.pairTerms, term)
		}
	}
	return c
}

// storeTerms writes drafts, rows, the index of terms, and the ledger.
func (k *Kind) storeTerms(ctx context.Context, tx *db.Tx, changed []retagged) error {
	c, now := columnsOf(changed), tx.Now()
	for _, sql := range k.beginDrafts {
		if err := k.run(ctx, tx, sql, now, c.sources, c.fresh); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{writeTermsSQL, []any{now, c.drafts, c.pairDrafts, c.pairTerms}},
		{changeRowsSQL, []any{now, c.rows, c.drafts}},
		{forgetTermsSQL, []any{c.rows}},
		{indexTermsSQL, []any{c.pairRows, c.pairTerms}},
		{sweepTermsSQL, []any{c.rows}},
	} {
		if err := k.run(ctx, tx, step.sql, step.args...); err != nil {
			return err
		}
	}
	events := make([]ledger.Event, 0, len(changed))
	for _, r := range changed {
		events = append(events, k.event("updated", r.row, map[string]any{k.noun + "VersionId": r.draft, "number": r.number}))
	}
	return ledger.Append(ctx, tx, events...)
}

// run runs a statement whose $1 is the tenant.
func (k *Kind) run(ctx context.Context, tx *db.Tx, sql string, args ...any) error {
	_, err := tx.Exec(ctx, strings.ReplaceAll(sql, "NOUN", k.noun), append([]any{tx.Tenant()}, args...)...)
	if err != nil {
		return fmt.Errorf("replace terms of %s: %w", k.name, err)
	}
	return nil
}
