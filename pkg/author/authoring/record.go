package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// What questions and passages do alike: they are found, locked, begun anew and frozen in
// the same way, each in tables of its own.

// record is a row of questions or passages, version one of their versions.
type (
	record interface {
		models.Question | models.Passage
	}
	version interface {
		models.QuestionVersion | models.PassageVersion
	}
)

// tables names where one kind of record is kept.
type tables struct {
	noun, records, versions, search string
}

var (
	questionTables = tables{noun: "question", records: "questions", versions: "question_versions", search: "question_search"}
	passageTables  = tables{noun: "passage", records: "passages", versions: "passage_versions", search: "passage_search"}

	evaluationTables = tables{noun: "evaluation", records: "evaluations", versions: "evaluation_versions", search: "evaluation_search"}
)

// find gives the records of the scope among the ids.
func find[R record](ctx context.Context, tx *db.Tx, of tables, wanted []ids.ID) ([]R, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []R
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", of.records, err)
	}
	return rows, nil
}

// one gives one record of the scope. Errors: not_found.
func one[R record](ctx context.Context, tx *db.Tx, of tables, id ids.ID) (R, error) {
	rows, err := find[R](ctx, tx, of, []ids.ID{id})
	if err != nil || len(rows) == 1 {
		return first(rows), err
	}
	return first(rows), of.notFound()
}

func first[T any](all []T) T {
	if len(all) == 0 {
		var none T
		return none
	}
	return all[0]
}

func (of tables) notFound() error {
	return errs.New(errs.NotFound, "There is no such %s in your scope.", of.noun)
}

// lock finds records by id and keeps everybody else from changing them. The order keeps two
// such calls from waiting for one another. not_found when one is missing.
func lock[R record](ctx context.Context, tx *db.Tx, of tables, wanted []ids.ID) ([]R, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []R
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id in (?)", bun.List(wanted)).
		OrderExpr("?TableAlias.id").For("update of ?TableAlias").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", of.records, err)
	}
	if len(rows) < countDistinct(wanted) {
		return nil, of.notFound()
	}
	return rows, nil
}

// lockExternal is lock for the records of an org unit that have one of the external ids, or
// none and one of them as their id; unknown ones are absent.
func lockExternal[R record](ctx context.Context, tx *db.Tx, of tables, org ids.ID, externalIDs []string) ([]R, error) {
	var rows []R
	err := tx.NewSelect().Model(&rows).Where("?TableAlias.tenant_id = ?", tx.Tenant()).Where("?TableAlias.org_unit_id = ?", org).
		Where("(?TableAlias.external_id in (?) or (?TableAlias.external_id is null and ?TableAlias.id in (?)))",
			bun.List(searchable(externalIDs)), bun.List(searchableIDs(externalIDs))).
		OrderExpr("?TableAlias.id").For("update of ?TableAlias").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", of.records, err)
	}
	return rows, nil
}

// versionsByID gives versions of the scope.
func versionsByID[V version](ctx context.Context, tx *db.Tx, of tables, wanted []ids.ID, idOf func(V) ids.ID) (map[ids.ID]V, error) {
	versions := make(map[ids.ID]V, len(wanted))
	if len(wanted) == 0 {
		return versions, nil
	}
	var rows []V
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read %s versions: %w", of.noun, err)
	}
	for _, row := range rows {
		versions[idOf(row)] = row
	}
	return versions, nil
}

func countDistinct(all []ids.ID) int {
	seen := make(map[ids.ID]bool, len(all))
	for _, id := range all {
		seen[id] = true
	}
	return len(seen)
}

// newRecord starts a record that does not exist yet.
func newRecord(tx *db.Tx, org ids.ID) models.Authored {
	return models.Authored{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, Status: models.AuthoringDraft,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
}

// newestID names the version that authors see: the draft, or else the published one.
func newestID(r models.Authored) ids.ID {
	if r.DraftID != nil {
		return *r.DraftID
	}
	return *r.PublishedID
}

// begin makes the newest version a draft: itself, or a copy under the next number, which
// pins nothing.
func begin(tx *db.Tx, r *models.Authored, v *models.AuthoredVersion) {
	if r.DraftID != nil {
		return
	}
	v.TenantID, v.ID, v.OrgUnitID = tx.Tenant(), ids.New(), r.OrgUnitID
	v.Number++
	v.Status, v.PublishedAt, v.Pins = models.VersionDraft, nil, models.Pins{}
	v.CanonicalScheme, v.HashScheme = content.CanonicalScheme, content.HashScheme
	v.CreatedAt, v.UpdatedAt = tx.Now(), r.UpdatedAt
	r.DraftID = &v.ID
}

// freezeDrafts publishes the drafts of records that are locked: each with its pins, in the
// order of the ids.
func freezeDrafts(ctx context.Context, tx *db.Tx, of tables, recordIDs []ids.ID, pins []string) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		update %s v set status = 'published', published_at = $4, updated_at = $4, pins = p.pins::jsonb
		from unnest($2::uuid[], $3::text[]) as p (id, pins) join %s r on r.tenant_id = $1 and r.id = p.id
		where v.tenant_id = $1 and v.id = r.draft_id`, of.versions, of.records),
		tx.Tenant(), recordIDs, pins, tx.Now())
	if err != nil {
		return fmt.Errorf("publish %s versions: %w", of.noun, err)
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`
		update %s set status = 'published', published_id = draft_id, draft_id = null,
			updated_at = greatest($3, updated_at + interval '1 millisecond')
		where tenant_id = $1 and id = any($2) and draft_id is not null`, of.records),
		tx.Tenant(), recordIDs, tx.Now())
	if err != nil {
		return fmt.Errorf("publish %s: %w", of.records, err)
	}
	return nil
}
