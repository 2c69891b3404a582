package assignment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Take writes down in the ledger that somebody takes the assignments of the org unit along, with people's addresses. It is committed
// before Export begins. It needs assignments.create and users.read.
func Take(ctx context.Context, tx *db.Tx) error {
	org, err := exportsFrom(tx)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "assignments.exported", SubjectType: "org_unit", SubjectID: org, OrgUnit: org,
		Payload: map[string]any{"capability": capability.UsersRead}})
}

// exportsFrom gives the org unit whose assignments the caller may take along.
func exportsFrom(tx *db.Tx) (ids.ID, error) {
	for _, c := range []capability.Capability{capability.AssignmentsCreate, capability.UsersRead} {
		err := tx.Require(c)
		if err != nil {
			return ids.None, err
		}
	}
	return tx.HomeOrgUnit()
}

// Exported is an assignment as a file states it.
type Exported struct {
	ID ids.ID
	ImportRow
}

// exportSQL gives active assignments in the words of an import. $1 tenant, $2 org unit, $3 the last one before, $4 how many. The page
// follows the primary key, so the org unit is compared as text, and everything that the page names is looked up row by row.
const exportSQL = `
select a.id, coalesce(e.external_id, a.evaluation_id::text), a.target_type, coalesce(u.email, g.name, a.target_ref, ''), coalesce(a.run_label, ''),
	a.valid_from, a.valid_until, coalesce(s.external_id, ''), coalesce(n.external_id, '')
from (select * from assignments a
	where a.tenant_id = $1 and a.org_unit_id::text = $2::uuid::text and a.id > $3 and a.status = 'active'
		and (a.target_ref is not null or not exists (select from assignments o
			where o.tenant_id = $1 and o.evaluation_id = a.evaluation_id and o.org_unit_id = a.org_unit_id and o.target_ref is null
				and o.status = 'active' and coalesce(o.run_label, '') = coalesce(a.run_label, '') and (o.created_at, o.id) < (a.created_at, a.id)))
	order by a.id limit $4) a
left join lateral (select external_id from evaluations where tenant_id = $1 and id = a.evaluation_id offset 0) e on true
left join lateral (select email from users where tenant_id = $1 and id = a.target_ref::uuid and a.target_type in ('user_id', 'email') offset 0) u on true
left join lateral (select name from groups where tenant_id = $1 and id = a.target_ref::uuid and a.target_type = 'group_id' offset 0) g on true
left join lateral (select external_id from subjects where tenant_id = $1 and id = a.subject_id offset 0) s on true
left join lateral (select external_id from engagements where tenant_id = $1 and id = a.engagement_id offset 0) n on true
order by a.id`

// Export gives at least limit active assignments of the org unit after one, in the order in which they were made; fewer if
// there are no more. Import takes them back without a change, so Export leaves out assignments of evaluations that take
// none now and of people who cannot be assigned anything, and all public links of an evaluation and run label except the
// first. People are named by their address, so it needs users.read and assignments.create.
func Export(ctx context.Context, tx *db.Tx, after ids.ID, limit int) ([]Exported, error) {
	org, err := exportsFrom(tx)
	if err != nil {
		return nil, err
	}
	var all []Exported
	for len(all) < limit {
		page, err := exportPage(ctx, tx, org, after, limit)
		if err != nil {
			return nil, err
		}
		taken, err := taken(ctx, tx, page)
		if err != nil {
			return nil, err
		}
		all = append(all, taken...)
		if len(page) < limit {
			break
		}
		after = page[len(page)-1].ID
	}
	return all, nil
}

// taken leaves of a page what an import would take without a change.
func taken(ctx context.Context, tx *db.Tx, page []Exported) ([]Exported, error) {
	rows := make([]ImportRow, len(page))
	for i, one := range page {
		rows[i] = one.ImportRow
	}
	checks, err := CheckImport(ctx, tx, rows, map[Slot]bool{})
	if err != nil {
		return nil, err
	}
	var all []Exported
	for i, check := range checks {
		if len(check.Problems) == 0 {
			all = append(all, page[i])
		}
	}
	return all, nil
}

func exportPage(ctx context.Context, tx *db.Tx, org, after ids.ID, limit int) ([]Exported, error) {
	rows, err := tx.Query(ctx, exportSQL, tx.Tenant(), org, after, limit)
	if err != nil {
		return nil, fmt.Errorf("export assignments: %w", err)
	}
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Exported, error) {
		var one Exported
		err := row.Scan(&one.ID, &one.Evaluation, &one.Type, &one.Ref, &one.RunLabel, &one.ValidFrom, &one.ValidUntil, &one.Subject, &one.Engagement)
		return one, err //nolint:wrapcheck // the caller says what was read
	})
	if err != nil {
		return nil, fmt.Errorf("export assignments: %w", err)
	}
	return page, nil
}
