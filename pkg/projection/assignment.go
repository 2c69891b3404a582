package projection

import (
	"context"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// assignmentSource is report_assignments as the assignments make it. The target of an
// assignment to an e-mail address is the user that the address became.
const assignmentSource = `
select a.tenant_id, a.org_unit_id, a.id as assignment_id, a.evaluation_id, a.target_type,
	case when a.target_type in ('user_id', 'email') then a.target_ref::uuid end as user_id,
	case a.target_type when 'group_id' then a.target_ref::uuid end as group_id,
	a.run_label, a.valid_from, a.valid_until, a.status
from assignments a where a.tenant_id = $1 and a.id = any($2)`

// An assignment is copied as it is: nothing is counted, so nothing has to be taken back. The
// first step writes the missing rows and locks the others, in the order of their ids; so
// that the second one, which begins later, sees what whoever held the locks before saw, or
// newer. The assignments themselves are not locked: candidates are starting by them.
var copyAssignments = []statement{
	{"write assignments", `
		insert into report_assignments as r ` + assignmentSource + ` order by a.id
		on conflict (tenant_id, assignment_id) do update set status = excluded.status where false`},
	{"change assignments", `
		update report_assignments r
		set valid_from = s.valid_from, valid_until = s.valid_until, status = s.status
		from (` + assignmentSource + `) s
		where r.tenant_id = $1 and r.assignment_id = s.assignment_id
			and (r.valid_from, r.valid_until, r.status) is distinct from (s.valid_from, s.valid_until, s.status)`},
}

func applyAssignments(ctx context.Context, tx *db.Tx, all []ids.ID) error {
	return run(ctx, tx, all, copyAssignments)
}
