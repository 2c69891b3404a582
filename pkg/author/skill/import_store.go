package skill

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// storeFramework writes the fields that a CASE package gives the framework, and says whether they changed.
func (p *importPlan) storeFramework(ctx context.Context, tx *db.Tx) (bool, error) {
	if p.in.Source == nil {
		return false, nil
	}
	tag, err := tx.Exec(ctx, `
		update skill_frameworks set title = $3, description = $4, source = $5::text::jsonb, updated_at = $6
		where tenant_id = $1 and id = $2 and (title, description, source) is distinct from ($3, $4, $5::text::jsonb)`,
		tx.Tenant(), p.framework.ID, p.in.Title, p.in.Description, text(p.in.Source), tx.ChangedAt(p.framework.UpdatedAt))
	if err != nil {
		return false, err
	}
	return tag == 1, nil
}

// storeSkillsSQL writes skills, whose sources stay if the file has none (withSourcesSQL). Codes that skills give up were removed before, since two
// skills may swap theirs.
const storeSkillsSQL = `
	insert into skills (tenant_id, id, framework_id, identifier, parent_id, code, position, source, created_at, updated_at)
	select $1, n.id, $2, n.identifier, n.parent_id, nullif(n.code, ''), n.position, n.source::jsonb, $3, n.updated_at
	from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::integer[], $9::text[], $10::timestamptz[])
		n (id, identifier, parent_id, code, position, source, updated_at)
	on conflict (tenant_id, id) do update set parent_id = excluded.parent_id, code = excluded.code, position = excluded.position,
		updated_at = excluded.updated_at`

const withSourcesSQL = ", source = excluded.source"

func (p *importPlan) storeSkills(ctx context.Context, tx *db.Tx) error {
	var list, identifiers, recoded []ids.ID
	var parents []*ids.ID
	var codes, sources []string
	var positions []int
	var updated []time.Time
	for i, s := range p.rows {
		if p.result.Changes[i] == ImportUnchanged {
			continue
		}
		var parent *ids.ID
		if s.parent != nil {
			parent = &s.parent.id
		}
		at, source := tx.Now(), "{}"
		if s.was != nil {
			at = tx.ChangedAt(s.was.UpdatedAt)
			if s.code != s.was.Code {
				recoded = append(recoded, s.id)
			}
		}
		if s.source != nil {
			source = string(s.source)
		}
		list, identifiers, parents = append(list, s.id), append(identifiers, s.identifier), append(parents, parent)
		codes, positions, sources, updated = append(codes, s.code), append(positions, s.position), append(sources, source), append(updated, at)
	}
	if len(list) == 0 {
		return nil
	}
	sql := storeSkillsSQL
	if p.in.Source != nil {
		sql += withSourcesSQL
	}
	_, err := tx.Exec(ctx, "update skills set code = null where tenant_id = $1 and id = any($2)", tx.Tenant(), recoded)
	if err == nil {
		_, err = tx.Exec(ctx, sql, tx.Tenant(), p.framework.ID, tx.Now(), list, identifiers, parents, codes, positions, sources, updated)
	}
	return err
}

const storeDraftsSQL = `
	insert into skill_versions (tenant_id, id, skill_id, number, status, name, description, levels, created_at, updated_at)
	select $1, n.id, n.skill_id, n.number, 'draft', n.name, n.description, n.levels::jsonb, $2, $2
	from unnest($3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[], $8::text[]) n (id, skill_id, number, name, description, levels)
	on conflict (tenant_id, skill_id) where status = 'draft'
	do update set name = excluded.name, description = excluded.description, levels = excluded.levels, updated_at = excluded.updated_at`

// Drafts of skills that are in use are published, and then become the current versions of these. Neither statement joins: without
// statistics a join of so many rows may be a loop over all of them for each.
const (
	publishSQL = `
		update skill_versions v set status = 'published', published_at = $2, updated_at = $2
		where v.tenant_id = $1 and v.skill_id = any($3) and v.status = 'draft'
			and (select s.retired_at from skills s where s.tenant_id = $1 and s.id = v.skill_id) is null
		returning v.skill_id`
	makeCurrentSQL = `
		update skills s set updated_at = greatest($2, just_after(s.updated_at)), current_version_id = (
			select v.id from skill_versions v where v.tenant_id = $1 and v.skill_id = s.id and v.status = 'published' order by v.number desc limit 1)
		where s.tenant_id = $1 and s.id = any($3)`
)

// storeVersions writes the drafts, and publishes the drafts of the file if the import publishes.
func (p *importPlan) storeVersions(ctx context.Context, tx *db.Tx) error {
	var list, skills, drafted []ids.ID
	var numbers []int
	var names, descriptions, levels []string
	for _, s := range p.rows {
		if p.in.Publish && (s.redrafted() || s.was.Draft) {
			drafted = append(drafted, s.id)
		}
		if !s.redrafted() {
			continue
		}
		number := 1
		if s.was != nil {
			number = s.was.Number
			if !s.was.Draft {
				number++
			}
		}
		scheme, err := json.Marshal(s.content.Levels)
		if err != nil {
			return err
		}
		list, skills, numbers = append(list, ids.New()), append(skills, s.id), append(numbers, number)
		names, descriptions, levels = append(names, s.content.Name), append(descriptions, s.content.Description), append(levels, string(scheme))
	}
	if len(list) > 0 {
		_, err := tx.Exec(ctx, storeDraftsSQL, tx.Tenant(), tx.Now(), list, skills, numbers, names, descriptions, levels)
		if err != nil {
			return err
		}
	}
	if len(drafted) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, publishSQL, tx.Tenant(), tx.Now(), drafted)
	if err != nil {
		return err
	}
	published, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return err
	}
	p.result.Published = len(published)
	_, err = tx.Exec(ctx, makeCurrentSQL, tx.Tenant(), tx.Now(), published)
	return err
}
