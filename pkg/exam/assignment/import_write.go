package assignment

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/people"
)

// importTable holds rows of an import column by column, as a statement takes them.
type importTable struct {
	places                []int32
	newIDs, evaluations   []ids.ID
	types, labels         []string
	refs                  []*string
	from, until           []*time.Time
	subjects, engagements []*ids.ID
	stored                []*ids.ID
}

func tableOf(checks []ImportCheck) importTable {
	var t importTable
	for i, c := range checks {
		t.places, t.newIDs, t.stored = append(t.places, int32(i)), append(t.newIDs, ids.New()), append(t.stored, c.stored)
		t.evaluations, t.types = append(t.evaluations, c.slot.Evaluation), append(t.types, c.slot.Type)
		t.refs, t.labels = append(t.refs, optional(c.slot.Target)), append(t.labels, c.slot.RunLabel)
		t.from, t.until = append(t.from, c.row.ValidFrom), append(t.until, c.row.ValidUntil)
		t.subjects, t.engagements = append(t.subjects, c.subject), append(t.engagements, c.engagement)
	}
	return t
}

// columns are the parameters from $3 on.
func (t importTable) columns() []any {
	return []any{t.places, t.newIDs, t.evaluations, t.types, t.refs, t.labels, t.from, t.until, t.subjects, t.engagements, t.stored}
}

// unnested is an importTable as a table t.
const unnested = `unnest($3::int[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[],
		$11::uuid[], $12::uuid[], $13::uuid[])
	as t (place, id, evaluation_id, target_type, target_ref, run_label, valid_from, valid_until, subject_id, engagement_id, stored)`

// terms are the columns that an import can change.
const terms = "(a.valid_from, a.valid_until, a.subject_id, a.engagement_id) is distinct from (t.valid_from, t.valid_until, t.subject_id, t.engagement_id)"

var changeSQL = `
with changed as (update assignments a set valid_from = t.valid_from, valid_until = t.valid_until, subject_id = t.subject_id,
	engagement_id = t.engagement_id, updated_at = greatest($14, just_after(a.updated_at))
from ` + unnested + `
where a.tenant_id = $1 and a.org_unit_id = $2 and a.id = t.stored and ` + terms + `
returning a.id)
` + queued("changed", "$14")

var createSQL = `
with made as (insert into assignments as made (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, run_label, valid_from, valid_until,
	batch_id, subject_id, engagement_id, status, created_by, created_at, updated_at)
select e.tenant_id, t.id, $2, t.evaluation_id, t.target_type, t.target_ref, nullif(t.run_label, ''), t.valid_from, t.valid_until,
	$15, t.subject_id, t.engagement_id, 'active', $16, $14, $14
from ` + unnested + `
cross join lateral (select tenant_id from evaluations where tenant_id = $1 and id = t.evaluation_id offset 0) e
where t.stored is null order by t.evaluation_id, t.target_type, t.target_ref, t.run_label
on conflict do nothing returning made.id)
` + queued("made", "$14")

// writeImport changes assignments that are stored and creates the others.
func writeImport(ctx context.Context, tx *db.Tx, org ids.ID, checks []ImportCheck, how ImportOptions) ([]people.Change, error) {
	t := tableOf(checks)
	values := append([]any{tx.Tenant(), org}, t.columns()...)
	changed, err := writtenIDs(ctx, tx, changeSQL, append(values, tx.Now())...)
	if err != nil {
		return nil, err
	}
	created, err := writtenIDs(ctx, tx, createSQL, append(values, tx.Now(), ids.Ref(how.BatchID), tx.Actor().String())...)
	if err != nil {
		return nil, err
	}
	err = checkRaces(t, created)
	if err != nil {
		return nil, err
	}
	changes, events := t.outcome(org, checks, changed, how)
	if how.Invite && len(created) > 0 {
		_, err = queueInvitations(ctx, tx, slices.Collect(maps.Keys(created)), false)
		if err != nil {
			return nil, err
		}
	}
	return changes, ledger.Append(ctx, tx, events...)
}

func writtenIDs(ctx context.Context, tx *db.Tx, sql string, values ...any) (map[ids.ID]bool, error) {
	rows, err := tx.Query(ctx, sql, values...)
	if err != nil {
		return nil, fmt.Errorf("import assignments: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("import assignments: %w", err)
	}
	written := make(map[ids.ID]bool, len(all))
	for _, id := range all {
		written[id] = true
	}
	return written, nil
}

// checkRaces notices that somebody has made one of the assignments since they were looked
// up. Importing the file again finds it.
func checkRaces(t importTable, created map[ids.ID]bool) error {
	places := []int32{}
	lost := 0
	for n, stored := range t.stored {
		if stored != nil || created[t.newIDs[n]] {
			continue
		}
		lost++
		if len(places) < maxListed {
			places = append(places, t.places[n])
		}
	}
	if lost == 0 {
		return nil
	}
	return errs.New(errs.DuplicateAssignment, "Somebody else assigned %s just now; nothing was written. Import the file again.",
		plural.Of(lost, "target")).With("targets", places)
}

// outcome says what became of each row, and gives the events of the rows that were written.
func (t importTable) outcome(org ids.ID, checks []ImportCheck, changed map[ids.ID]bool, how ImportOptions) ([]people.Change, []ledger.Event) {
	changes := make([]people.Change, len(checks))
	var events []ledger.Event
	for n, c := range checks {
		row := models.Assignment{ID: t.newIDs[n], OrgUnitID: org, EvaluationID: t.evaluations[n], TargetType: t.types[n],
			TargetRef: t.refs[n], BatchID: ids.Ref(how.BatchID), Status: models.AssignmentActive}
		changes[n] = people.Created
		if c.stored != nil {
			row.ID, row.BatchID, changes[n] = *c.stored, nil, people.Unchanged
		}
		switch {
		case c.stored == nil:
			events = append(events, eventOf("created", row))
		case changed[row.ID]:
			changes[n] = people.Changed
			events = append(events, eventOf("updated", row))
		}
	}
	return changes, events
}
