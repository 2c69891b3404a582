package pack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// restore takes records that an uninstall archived into use again.
func (i *installer) restore(ctx context.Context) error {
	_, err := i.forgetDeleted(ctx)
	if err != nil {
		return err
	}
	for _, kind := range copiedKinds {
		copies, err := copiesOf(ctx, i.tx, i.revision.LibraryID, i.in.OrgUnitID, kind)
		if err != nil {
			return err
		}
		_, err = i.tx.Exec(ctx, fmt.Sprintf(`
			update %ss r set status = case when r.published_id is null then 'draft' else 'published' end,
				updated_at = greatest($3, just_after(r.updated_at))
			where r.tenant_id = $1 and r.id = any($2) and r.status = 'archived'`, kind), i.tx.Tenant(), copies, i.tx.Now())
		if err != nil {
			return fmt.Errorf("restore %ss: %w", kind, err)
		}
	}
	return nil
}

// copiesOf gives the records of a kind that an org unit has of a library.
func copiesOf(ctx context.Context, tx *db.Tx, library, org ids.ID, kind string) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, "select copy_id from library_copies where tenant_id = $1 and org_unit_id = $2 and library_id = $3 and kind = $4",
		tx.Tenant(), org, library, kind)
	if err != nil {
		return nil, fmt.Errorf("find copies: %w", err)
	}
	copies, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find copies: %w", err)
	}
	return copies, nil
}

var copiedKinds = []string{kindEvaluation, kindPassage, kindQuestion}

// forgetDeleted forgets copies that the org unit deleted, and gives their number: they are copied again.
func (i *installer) forgetDeleted(ctx context.Context) (int64, error) {
	gone, err := i.tx.Exec(ctx, `
		delete from library_copies c where c.tenant_id = $1 and c.org_unit_id = $2 and c.library_id = $3 and not case
			when c.kind = 'question' then exists (select from questions r where r.tenant_id = $1 and r.id = c.copy_id offset 0)
			when c.kind = 'passage' then exists (select from passages r where r.tenant_id = $1 and r.id = c.copy_id offset 0)
			else exists (select from evaluations r where r.tenant_id = $1 and r.id = c.copy_id offset 0) end`,
		i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID)
	if err != nil {
		return 0, fmt.Errorf("look for deleted copies: %w", err)
	}
	return gone, nil
}

// plan says whether every necessary decision is made: a dry run lists the missing ones, otherwise they are an error.
func (i *installer) plan(ctx context.Context) (bool, error) {
	err := i.findLevel(ctx)
	if err != nil {
		return false, err
	}
	open, err := i.decide(ctx)
	if err != nil {
		return false, err
	}
	err = i.findTerms(ctx)
	if err != nil {
		return false, err
	}
	switch {
	case i.in.DryRun:
		return open == 0 && i.done.MissingTotal == 0, nil
	case i.done.MissingTotal > 0:
		return false, errs.New(errs.TermsMissing, "The tenant lacks terms that the pack names.").
			With("missingTerms", i.done.MissingTerms).With("missingTermsTotal", i.done.MissingTotal)
	case open > 0:
		return false, errs.New(errs.PackConflicts, "The org unit changed records that the pack changed, too; say keep_local or take_pack.").
			With("conflicts", i.done.Conflicts).With("conflictsTotal", i.done.ConflictsTotal)
	}
	return true, nil
}

// findLevel looks up the level at which the evaluations are published.
func (i *installer) findLevel(ctx context.Context) error {
	err := i.tx.QueryRow(ctx, `
		select coalesce(max(c.body -> 'settings' ->> 'verificationLevel'), '') from library_entries e
		join library_contents c on c.tenant_id = $1 and c.hash = e.content_hash
		where e.tenant_id = $1 and e.revision_id = $2 and e.kind = 'evaluation'`, i.tx.Tenant(), i.revision.ID).Scan(&i.level)
	if err != nil {
		return fmt.Errorf("find the level of the evaluations: %w", err)
	}
	return nil
}

// decide finds the records that both sides changed and decides on each; it gives the number of undecided ones.
// A side changed a record when its newest version is not the one that was installed last.
func (i *installer) decide(ctx context.Context) (int, error) {
	var union []string
	for _, kind := range copiedKinds {
		union = append(union, fmt.Sprintf(`
			select c.kind, c.source_id, c.copy_id, case when r.status = 'archived' then 'archived' when r.draft_id is not null then 'draft' else 'published' end
			from heads h
			cross join lateral (select * from library_copies
				where tenant_id = $1 and org_unit_id = $3 and library_id = $4 and kind = h.kind and source_id = h.source_id offset 0) c
			cross join lateral (select status, draft_id, published_id from %ss where tenant_id = $1 and id = c.copy_id offset 0) r
			where h.kind = '%[1]s' and c.head_id <> h.version and (r.status = 'archived' or r.draft_id is not null or not exists (
				select from library_copied_versions v where v.tenant_id = $1 and v.org_unit_id = $3 and v.library_id = $4 and v.kind = h.kind
					and v.source_id = h.source_id and v.version_id = r.published_id offset 0))`, kind))
	}
	rows, err := i.tx.Query(ctx, `
		with heads as materialized (
			select distinct on (kind, source_id) kind, source_id, ref::uuid as version from library_entries
			where tenant_id = $1 and revision_id = $2 and kind in ('evaluation', 'passage', 'question')
			order by kind, source_id, number desc
		)`+strings.Join(union, " union all ")+" order by 1, 2", i.tx.Tenant(), i.revision.ID, i.in.OrgUnitID, i.revision.LibraryID)
	if err != nil {
		return 0, fmt.Errorf("look for conflicts: %w", err)
	}
	chosen := map[ids.ID]string{}
	for _, one := range i.in.Resolve {
		chosen[one.SourceID] = one.Take
	}
	open := 0
	var c Conflict
	_, err = pgx.ForEachRow(rows, []any{&c.Kind, &c.SourceID, &c.CopyID, &c.Local}, func() error {
		c.Resolution = i.in.OnConflict
		if take := chosen[c.SourceID]; take != "" {
			c.Resolution = take
		}
		switch c.Resolution {
		case KeepLocal:
			i.keep(c.Kind, c.SourceID)
		case TakePack:
			i.taken[c.SourceID] = true
		default:
			open++
		}
		i.done.ConflictsTotal++
		if len(i.done.Conflicts) < maxListed {
			i.done.Conflicts = append(i.done.Conflicts, c)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("look for conflicts: %w", err)
	}
	return open, i.keepAgain(ctx)
}

func (i *installer) keep(kind string, source ids.ID) {
	i.kept[source] = true
	switch kind {
	case kindQuestion:
		i.done.Kept.Questions++
	case kindPassage:
		i.done.Kept.Passages++
	}
}

// keepAgain keeps the records that an earlier install kept, as long as the pack does not change them again: the pack's
// version of such a record was never copied.
func (i *installer) keepAgain(ctx context.Context) error {
	rows, err := i.tx.Query(ctx, `
		select c.kind, c.source_id from library_copies c
		cross join lateral (select ref::uuid as version from library_entries
			where tenant_id = $1 and revision_id = $2 and kind = c.kind and source_id = c.source_id order by number desc limit 1 offset 0) h
		where c.tenant_id = $1 and c.org_unit_id = $3 and c.library_id = $4 and c.kind <> 'evaluation' and c.head_id = h.version and not exists (
			select from library_copied_versions v where v.tenant_id = $1 and v.org_unit_id = $3 and v.library_id = $4 and v.kind = c.kind
				and v.source_version_id = c.head_id offset 0)`, i.tx.Tenant(), i.revision.ID, i.in.OrgUnitID, i.revision.LibraryID)
	if err != nil {
		return fmt.Errorf("look for what was kept: %w", err)
	}
	var kind string
	var source ids.ID
	_, err = pgx.ForEachRow(rows, []any{&kind, &source}, func() error {
		i.keep(kind, source)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for what was kept: %w", err)
	}
	return nil
}

// dropDrafts removes the drafts of records for which the pack was taken; an evaluation's
// draft becomes the new version.
func (i *installer) dropDrafts(ctx context.Context) error {
	if len(i.taken) == 0 {
		return nil
	}
	for _, kind := range []string{kindPassage, kindQuestion} {
		_, err := i.tx.Exec(ctx, fmt.Sprintf(`
			with emptied as (
				update %[1]ss r set draft_id = null, status = 'published' from library_copies c
				where c.tenant_id = $1 and c.org_unit_id = $2 and c.library_id = $3 and c.kind = '%[1]s' and c.source_id = any($4)
				  and r.tenant_id = $1 and r.id = c.copy_id returning r.id
			)
			delete from %[1]s_versions v using emptied e where v.tenant_id = $1 and v.%[1]s_id = e.id and v.status = 'draft'`, kind),
			i.tx.Tenant(), i.in.OrgUnitID, i.revision.LibraryID, inOrder(i.taken))
		if err != nil {
			return fmt.Errorf("drop drafts of %ss: %w", kind, err)
		}
	}
	return nil
}

// findTerms finds the terms of the pack in the tenant by facet and slug, and makes the missing ones if the input
// wants that. A merged term is matched by its survivor.
func (i *installer) findTerms(ctx context.Context) error {
	i.terms = map[string]ids.ID{}
	missing, err := i.missingTerms(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	if !i.in.CreateTerms {
		i.done.MissingTotal = len(missing)
		for _, t := range missing[:min(len(missing), maxListed)] {
			i.done.MissingTerms = append(i.done.MissingTerms, t.ref())
		}
		return nil
	}
	made := make([]taxonomy.ImportedTerm, len(missing))
	for n, t := range missing {
		made[n] = taxonomy.ImportedTerm{Facet: t.Facet, Slug: t.Slug, Label: t.Label}
		if taxonomy.Slug(t.FacetLabel) == t.Facet {
			made[n].Facet = t.FacetLabel // a new facet gets the label from the pack
		}
		if t.Parent != "" {
			made[n].Parent = &t.Parent
		}
	}
	_, err = taxonomy.ImportTerms(ctx, i.tx, made)
	if err != nil {
		return err
	}
	i.done.CreatedTerms = len(made)
	missing, err = i.missingTerms(ctx)
	if err == nil && len(missing) > 0 {
		err = errs.New(errs.TermsMissing, "The tenant lacks terms that the pack names.").With("missingTermsTotal", len(missing))
	}
	return err
}

func (i *installer) missingTerms(ctx context.Context) ([]termLine, error) {
	rows, err := i.tx.Query(ctx, `
		select e.line, e.ref, coalesce(t.merged_into, t.id) from (
			select line, ref, split_part(ref, ':', 1) as facet, split_part(ref, ':', 2) as slug from library_entries
			where tenant_id = $1 and revision_id = $2 and kind = 'term' offset 0
		) e
		left join facets f on f.tenant_id = $1 and f.domain = 'content' and f.slug = e.facet
		left join terms t on t.tenant_id = $1 and t.facet_id = f.id and t.slug = e.slug`, i.tx.Tenant(), i.revision.ID)
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	var missing []termLine
	var t termLine
	var ref string
	var id *ids.ID
	_, err = pgx.ForEachRow(rows, []any{lineOf(&t), &ref, &id}, func() error {
		if id == nil {
			missing = append(missing, t)
		} else {
			i.terms[ref] = *id
		}
		t = termLine{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	slices.SortFunc(missing, func(a, b termLine) int { return strings.Compare(a.ref(), b.ref()) })
	return missing, nil
}

// termIDs gives terms by their names, as a set.
func (i *installer) termIDs(names []string) []ids.ID {
	set := map[ids.ID]bool{}
	for _, name := range names {
		set[i.terms[name]] = true
	}
	return inOrder(set)
}
