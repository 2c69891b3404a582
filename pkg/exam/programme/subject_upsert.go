package programme

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

// Problems lists what is wrong with a subject, with paths like "name": the preview of an import.
func (in SubjectInput) Problems() []errs.Field { return in.problems() }

// UpsertSubjects creates or completes subjects of the org unit by their external id, in a
// handful of statements for any number of them. It needs subjects.manage. A subject that
// exists gets the name, the kind (unless empty) and the metadata keys given; nothing is
// taken away, and doing it again changes nothing. The result runs parallel to the input.
// Errors: validation_failed with paths like "[3].name".
func UpsertSubjects(ctx context.Context, tx *db.Tx, in []SubjectInput) ([]people.Upserted, error) {
	var bad []errs.Field
	for i, subject := range in {
		for _, p := range subject.problems() {
			p.Path = fmt.Sprintf("[%d].%s", i, p.Path)
			bad = append(bad, p)
		}
	}
	org, err := begin(tx, bad)
	if err != nil || len(in) == 0 {
		return []people.Upserted{}, err
	}
	changes, err := upsertSubjects(ctx, tx, org, in)
	if err != nil {
		return nil, err
	}
	return subjectChanges(ctx, tx, org, in, changes)
}

// upsertSubjectsSQL takes the rows as arrays and does not touch rows that would not change.
const upsertSubjectsSQL = `
insert into subjects as s (tenant_id, id, org_unit_id, external_id, name, kind, metadata, created_at, updated_at)
select $1, id, $2, external_id, name, kind, metadata::jsonb, $3, $3
from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[]) as t (id, external_id, name, kind, metadata)
order by external_id
on conflict (tenant_id, org_unit_id, external_id) do update
set name = excluded.name, kind = coalesce(nullif(excluded.kind, ''), s.kind), metadata = s.metadata || excluded.metadata,
	updated_at = greatest(excluded.updated_at, just_after(s.updated_at))
where (s.name, s.kind, s.metadata) is distinct from
	(excluded.name, coalesce(nullif(excluded.kind, ''), s.kind), s.metadata || excluded.metadata)
returning s.id, s.xmax = 0`

// upsertSubjects gives the rows that changed. It goes through the external ids in order, so
// that two imports at once wait for each other instead of deadlocking.
func upsertSubjects(ctx context.Context, tx *db.Tx, org ids.ID, in []SubjectInput) (map[ids.ID]people.Change, error) {
	var newIDs []ids.ID
	var externalIDs, names, kinds, metadata []string
	for _, s := range in {
		encoded, err := json.Marshal(s.row(tx, org).Metadata)
		if err != nil {
			return nil, fmt.Errorf("encode metadata: %w", err)
		}
		newIDs, metadata = append(newIDs, ids.New()), append(metadata, string(encoded))
		externalIDs, names, kinds = append(externalIDs, trimmed(s.ExternalID)), append(names, trimmed(s.Name)), append(kinds, trimmed(s.Kind))
	}
	rows, err := tx.Query(ctx, upsertSubjectsSQL, tx.Tenant(), org, tx.Now(), newIDs, externalIDs, names, kinds, metadata)
	if err != nil {
		return nil, fmt.Errorf("upsert subjects: %w", err)
	}
	changes := make(map[ids.ID]people.Change, len(in))
	var id ids.ID
	var inserted bool
	_, err = pgx.ForEachRow(rows, []any{&id, &inserted}, func() error {
		changes[id] = people.Changed
		if inserted {
			changes[id] = people.Created
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("upsert subjects: %w", err)
	}
	return changes, nil
}

func subjectChanges(ctx context.Context, tx *db.Tx, org ids.ID, in []SubjectInput, changes map[ids.ID]people.Change) ([]people.Upserted, error) {
	externalIDs := make([]string, len(in))
	for i, s := range in {
		externalIDs[i] = trimmed(s.ExternalID)
	}
	found, err := findSubjects(ctx, tx, org, externalIDs)
	if err != nil {
		return nil, err
	}
	results := make([]people.Upserted, len(in))
	var events []ledger.Event
	for i, externalID := range externalIDs {
		id := found[externalID]
		results[i] = people.Upserted{ID: id, Change: people.Unchanged}
		change, touched := changes[id]
		if !touched {
			continue
		}
		results[i].Change = change
		events = append(events, subjectEvent(map[people.Change]string{people.Created: "created", people.Changed: "updated"}[change], id, org))
	}
	return results, ledger.Append(ctx, tx, events...)
}

func findSubjects(ctx context.Context, tx *db.Tx, org ids.ID, externalIDs []string) (map[string]ids.ID, error) {
	rows, err := tx.Query(ctx, "select external_id, id from subjects where tenant_id = $1 and org_unit_id = $2 and external_id = any($3)",
		tx.Tenant(), org, externalIDs)
	if err != nil {
		return nil, fmt.Errorf("find subjects: %w", err)
	}
	found := make(map[string]ids.ID, len(externalIDs))
	var externalID string
	var id ids.ID
	_, err = pgx.ForEachRow(rows, []any{&externalID, &id}, func() error {
		found[externalID] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find subjects: %w", err)
	}
	return found, nil
}
