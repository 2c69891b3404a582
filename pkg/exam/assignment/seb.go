package assignment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/seb"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// sebSQL finds the settings of the evaluation that an assignment hands out, for a person who has it ($5), or
// for staff ($6).
const sebSQL = `
select coalesce(v.settings, '{}') from assignments a
join evaluations e on e.tenant_id = a.tenant_id and e.id = a.evaluation_id
left join evaluation_versions v on v.tenant_id = $1 and v.id = e.published_id
where a.tenant_id = $1 and a.id = $2 and ($3 or a.org_unit_id = $4) and ($6
	or a.target_ref = any (array(select $5::uuid::text union all select group_id::text from group_members where tenant_id = $1 and user_id = $5))
	or exists (select from assignment_redemptions r where r.tenant_id = $1 and r.assignment_id = a.id and r.user_id = $5))`

// SEBSettings gives the settings of Safe Exam Browser that open an assignment on the page of candidates, to people who have the
// assignment and sessions.take, and to anyone who may read it. Errors: not_found; conflict where the evaluation has no such
// file, or where there is no page.
func SEBSettings(ctx context.Context, tx *db.Tx, id ids.ID, page string) (seb.Settings, error) {
	reads := requireReader(tx) == nil
	if !reads {
		err := tx.Require(capability.SessionsTake)
		if err != nil {
			return nil, err
		}
	}
	var raw []byte
	err := tx.QueryRow(ctx, sebSQL, tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit, tx.Actor().ID, reads).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNone()
	}
	var settings authoring.Settings
	if err == nil {
		err = json.Unmarshal(raw, &settings)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case !settings.Lockdown.SEBFile:
		return nil, errs.New(errs.Conflict, "The evaluation is not taken with the file of an assignment (settings.lockdown.sebFile).")
	case page == "":
		return nil, errs.New(errs.Conflict, "There is no page of candidates to open (auth.app_url).")
	}
	return seb.Exam(page, id), nil
}
