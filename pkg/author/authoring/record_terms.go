package authoring

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// saveTerms stores the terms of the drafts as the terms of the newest versions of their
// records. The terms of published versions do not change.
func (s store[R, V, C, Out]) saveTerms(ctx context.Context, tx *db.Tx, edits []*edit[R, V]) error {
	if s.terms == nil {
		return nil
	}
	var changed, records, terms, orgs []ids.ID
	for _, e := range edits {
		row := e.record.Row()
		if !e.isNew {
			changed = append(changed, row.ID)
		}
		for _, term := range *s.terms(e.version)[0] {
			records, terms, orgs = append(records, row.ID), append(terms, term), append(orgs, row.OrgUnitID)
		}
	}
	if len(changed) > 0 {
		err := s.onTerms(ctx, tx, changed, "delete from %[1]s_terms where tenant_id = $1 and %[1]s_id = any($2) and not is_published",
			"update %[1]s_terms set is_newest = false where tenant_id = $1 and %[1]s_id = any($2) and is_newest")
		if err != nil {
			return err
		}
	}
	if len(terms) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		insert into %[1]s_terms (tenant_id, %[1]s_id, term_id, org_unit_id, is_newest)
		select $1, n.*, true from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as n
		on conflict (tenant_id, %[1]s_id, term_id) do update set is_newest = true`, s.noun), tx.Tenant(), records, terms, orgs)
	if err != nil {
		return fmt.Errorf("save %s terms: %w", s.noun, err)
	}
	return nil
}

// publishTerms stores the terms of the newest versions as the terms of the published ones: the
// two are now one version.
func (s store[R, V, C, Out]) publishTerms(ctx context.Context, tx *db.Tx, published []ids.ID) error {
	return s.onTerms(ctx, tx, published, "delete from %[1]s_terms where tenant_id = $1 and %[1]s_id = any($2) and not is_newest",
		"update %[1]s_terms set is_published = true where tenant_id = $1 and %[1]s_id = any($2) and not is_published")
}

func (s store[R, V, C, Out]) onTerms(ctx context.Context, tx *db.Tx, records []ids.ID, statements ...string) error {
	for _, sql := range statements {
		_, err := tx.Exec(ctx, fmt.Sprintf(sql, s.noun), tx.Tenant(), records)
		if err != nil {
			return fmt.Errorf("save %s terms: %w", s.noun, err)
		}
	}
	return nil
}

// followMerges replaces merged terms by their survivors if a new draft is about to begin from
// a published version, which keeps its own terms.
func (s store[R, V, C, Out]) followMerges(ctx context.Context, tx *db.Tx, edits []*edit[R, V]) error {
	var places []*[]ids.ID
	var named []ids.ID
	for _, e := range edits {
		if s.terms == nil || e.isNew || e.record.Row().DraftID != nil {
			continue
		}
		for _, place := range s.terms(e.version) {
			places, named = append(places, place), append(named, *place...)
		}
	}
	survivors, err := taxonomy.Survivors(ctx, tx, named)
	if err != nil {
		return err
	}
	for _, place := range places {
		*place = termSet(each(*place, func(id ids.ID) ids.ID { return survivors[id] }))
	}
	return nil
}

// getTerms gives the terms of a record. It needs only taxonomy.read. Errors: not_found.
func (s store[R, V, C, Out]) getTerms(ctx context.Context, tx *db.Tx, id ids.ID) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyRead); err != nil {
		return AssignedTerms{}, err
	}
	row, err := s.one(ctx, tx, id)
	if err != nil {
		return AssignedTerms{}, err
	}
	return s.assigned(ctx, tx, row)
}

// setTerms replaces the terms of a record, in its draft; a published record without a draft
// gets one. Terms that it carries already change nothing. It needs only taxonomy.manage.
func (s store[R, V, C, Out]) setTerms(ctx context.Context, tx *db.Tx, id ids.ID, in TermsInput) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyManage); err != nil {
		return AssignedTerms{}, err
	}
	e, err := s.takeUp(ctx, tx, id)
	if err != nil {
		return AssignedTerms{}, err
	}
	if err := db.Fresh(in.UpdatedAt, e.record.Row().UpdatedAt); err != nil {
		return AssignedTerms{}, err
	}
	carried := s.terms(e.version)[0]
	if err := in.check(ctx, tx, *carried); err != nil {
		return AssignedTerms{}, err
	}
	terms := termSet(in.TaxonomyTermIDs)
	if slices.Equal(terms, termSet(*carried)) {
		return s.assigned(ctx, tx, e.record)
	}
	s.draft(tx, e)
	*carried = terms
	err = s.saveAll(ctx, tx, []*edit[R, V]{e})
	if err != nil {
		return AssignedTerms{}, err
	}
	err = ledger.Append(ctx, tx, s.event(e, "updated"))
	if err != nil {
		return AssignedTerms{}, err
	}
	return s.assigned(ctx, tx, e.record)
}

func (s store[R, V, C, Out]) assigned(ctx context.Context, tx *db.Tx, row R) (AssignedTerms, error) {
	versions, err := s.versionsOf(ctx, tx, []R{row})
	if err != nil {
		return AssignedTerms{}, err
	}
	tagged := func(id *ids.ID) *taggedVersion {
		if id == nil {
			return nil
		}
		v := versions[*id].Row()
		return &taggedVersion{id: v.ID, number: v.Number, status: v.Status, terms: *s.terms(versions[*id])[0]}
	}
	r := row.Row()
	return assignedTerms(ctx, tx, r.ID, r.UpdatedAt, tagged(r.DraftID), tagged(r.PublishedID))
}
