package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Change says what an upsert did to one record.
type Change string

// The changes.
const (
	Created   Change = "created"
	Changed   Change = "changed"
	Unchanged Change = "unchanged"
)

// Upserted is the outcome for one input.
type Upserted struct {
	ID     ids.ID `json:"id"`
	Change Change `json:"change" enum:"created,changed,unchanged"`
}

// UpsertUsers creates or completes users by their e-mail address, or by their id if they have none, with a handful of
// statements for any number of them. It needs users.import, and users.manage when roles are granted. An existing user
// gets the name (unless empty) and the metadata keys given, and further org units and roles; an invited one becomes
// active. A user that the caller does not reach gets only org units of the caller's own: everything else is a problem
// with the code user_out_of_reach. Nothing is taken away, and doing it again changes nothing. Dynamic groups follow. The
// result runs parallel to the input. Errors: validation_failed with paths like "[3].email", subject_erased if somebody
// begins to be erased meanwhile.
func UpsertUsers(ctx context.Context, tx *db.Tx, in []UserInput) ([]Upserted, error) {
	err := tx.Require(capability.UsersImport)
	if err != nil || len(in) == 0 {
		return []Upserted{}, err
	}
	checks, err := holdUsers(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	err = checkStored(ctx, tx, checks)
	if err != nil {
		return nil, err
	}
	err = allProblems(checks)
	if err != nil {
		return nil, err
	}
	users := mapSlice(checks, func(c UserCheck) candidate { return c.user })
	results, err := writeUsers(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	err = RefuseErased(ctx, tx, mapSlice(results, func(r Upserted) ids.ID { return r.ID })...)
	if err != nil {
		return nil, err
	}
	err = guardStrangers(ctx, tx, users, results)
	if err != nil {
		return nil, err
	}
	events, err := settleUsers(ctx, tx, userEvents(results), users)
	if err != nil {
		return nil, err
	}
	markChanged(results, events)
	return results, ledger.Append(ctx, tx, events...)
}

func allProblems(checks []UserCheck) error {
	var bad []errs.Field
	for i, c := range checks {
		for _, p := range c.Problems {
			p.Path = fmt.Sprintf("[%d].%s", i, p.Path)
			bad = append(bad, p)
		}
	}
	return errs.Invalid(bad...)
}

// writeUsers puts the stored ids into users.
func writeUsers(ctx context.Context, tx *db.Tx, users []candidate) ([]Upserted, error) {
	changes, err := upsertRows(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	stored, err := idsByKey(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	results := make([]Upserted, len(users))
	for i := range users {
		id, there := stored[users[i].key]
		if !there { // somebody gave the person an address since checkKnown looked
			return nil, errs.Invalid(errs.Field{Path: fmt.Sprintf("[%d].id", i), Code: "not_needed", Message: goesByAddress})
		}
		users[i].id = id
		results[i] = Upserted{ID: users[i].id, Change: Unchanged}
		if change, ok := changes[users[i].id]; ok {
			results[i].Change = change
		}
	}
	return results, nil
}

// upsertUsersSQL takes the rows as arrays and does not touch rows that would not change.
const upsertUsersSQL = `
insert into users as u (tenant_id, id, email, email_key, name, metadata, status, created_at, updated_at)
select $1, id, email, key, name, metadata::jsonb, $2, $3, $3
from unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[]) as t (id, email, key, name, metadata)
order by key
on conflict (tenant_id, email_key) do update
set name = coalesce(nullif(excluded.name, ''), u.name), metadata = u.metadata || excluded.metadata,
	updated_at = greatest(excluded.updated_at, just_after(u.updated_at)),
	status = case when u.status = 'invited' then excluded.status else u.status end
where u.status = 'invited' or (u.name, u.metadata) is distinct from (coalesce(nullif(excluded.name, ''), u.name), u.metadata || excluded.metadata)
returning u.id, u.xmax = 0`

// upsertByIDSQL does with people without an address as upsertUsersSQL does with others.
const upsertByIDSQL = `
insert into users as u (tenant_id, id, name, metadata, status, created_at, updated_at)
select $1, id, name, metadata::jsonb, $2, $3, $3
from unnest($4::uuid[], $5::text[], $6::text[]) as t (id, name, metadata)
order by id
on conflict (tenant_id, id) do update
set name = coalesce(nullif(excluded.name, ''), u.name), metadata = u.metadata || excluded.metadata,
	updated_at = greatest(excluded.updated_at, just_after(u.updated_at)),
	status = case when u.status = 'invited' then excluded.status else u.status end
where u.email_key is null and (u.status = 'invited'
	or (u.name, u.metadata) is distinct from (coalesce(nullif(excluded.name, ''), u.name), u.metadata || excluded.metadata))
returning u.id, u.xmax = 0`

// upsertRows gives the changed rows. It goes through the keys in order, so that two
// imports at once wait for each other instead of deadlocking. A row that was updated and
// not inserted has an xmax.
func upsertRows(ctx context.Context, tx *db.Tx, users []candidate) (map[ids.ID]Change, error) {
	var named, without upsertBatch
	for _, c := range users {
		text, err := encodeMetadata(c.metadata)
		if err != nil {
			return nil, fmt.Errorf("encode metadata: %w", err)
		}
		if c.addressless() {
			without.add(c, text)
		} else {
			named.add(c, text)
		}
	}
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return nil, err
	}
	changes := make(map[ids.ID]Change, len(users))
	if len(named.ids) > 0 {
		err = readChanges(ctx, tx, changes, upsertUsersSQL, tx.Tenant(), models.UserActive, tx.Now(), named.ids, named.emails, named.keys, named.names, named.metadata)
	}
	if err == nil && len(without.ids) > 0 {
		err = readChanges(ctx, tx, changes, upsertByIDSQL, tx.Tenant(), models.UserActive, tx.Now(), without.ids, without.names, without.metadata)
	}
	return changes, err
}

// upsertBatch are users as a statement takes them.
type upsertBatch struct {
	ids                           []ids.ID
	emails, keys, names, metadata []string
}

func (b *upsertBatch) add(c candidate, metadata string) {
	b.ids, b.emails, b.keys = append(b.ids, c.id), append(b.emails, c.email), append(b.keys, c.key)
	b.names, b.metadata = append(b.names, c.name), append(b.metadata, metadata)
}

func readChanges(ctx context.Context, tx *db.Tx, changes map[ids.ID]Change, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("upsert users: %w", err)
	}
	var id ids.ID
	var inserted bool
	_, err = pgx.ForEachRow(rows, []any{&id, &inserted}, func() error {
		changes[id] = Changed
		if inserted {
			changes[id] = Created
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("upsert users: %w", err)
	}
	return nil
}

func idsByKey(ctx context.Context, tx *db.Tx, users []candidate) (map[string]ids.ID, error) {
	keys, without := keysOf(users)
	rows, err := tx.Query(ctx, "select coalesce(u.email_key, u.id::text), u.id from users u where u.tenant_id = $1 and "+byKey, tx.Tenant(), keys, without)
	if err != nil {
		return nil, fmt.Errorf("read ids of users: %w", err)
	}
	found := make(map[string]ids.ID, len(users))
	var key string
	var id ids.ID
	_, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error {
		found[key] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read ids of users: %w", err)
	}
	return found, nil
}

// markChanged counts a user with a new org unit or role as changed.
func markChanged(results []Upserted, events []ledger.Event) {
	touched := make(map[ids.ID]bool, len(events))
	for _, e := range events {
		touched[e.SubjectID] = true
	}
	for i, r := range results {
		if r.Change == Unchanged && touched[r.ID] {
			results[i].Change = Changed
		}
	}
}

func userEvents(results []Upserted) []ledger.Event {
	var events []ledger.Event
	for _, r := range results {
		switch r.Change {
		case Created:
			events = append(events, userEvent("user.created", r.ID))
		case Changed:
			events = append(events, userEvent("user.updated", r.ID))
		}
	}
	return events
}
