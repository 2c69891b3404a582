package attempt

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// record is all that is stored about an attempt.
type record struct {
	models.Submission
	items     []models.SubmissionItem
	snapshot  *authoring.Snapshot
	keys      remediation.Keys
	user      User
	telemetry *Telemetry
	// projected says that the reporting tables have the submission.
	projected bool
	// restricted says that the person's data must not be used (package hold).
	restricted bool
	overrides  *Overrides
	lastSaved  *time.Time
}

var errNoAttempt = errs.New(errs.NotFound, "There is no such submission in your scope.")

func find(ctx context.Context, tx *db.Tx, id ids.ID) (record, error) {
	var r record
	err := tx.NewSelect().Model(&r.Submission).Where("s.tenant_id = ? and s.id = ?", tx.Tenant(), id).
		Where("(? or s.org_unit_id = ?)", tx.Scope().All, tx.Scope().OrgUnit).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return r, errNoAttempt
	}
	if err != nil {
		return r, fmt.Errorf("find submission: %w", err)
	}
	err = tx.NewRaw("select i.* from (values (?1::uuid, ?2::int)) s (id, score_version), "+submission.NewestItems("?0")+
		" i order by i.position", tx.Tenant(), id, r.ScoreVersion).Scan(ctx, &r.items)
	if err != nil {
		return r, fmt.Errorf("find submission items: %w", err)
	}
	r.keys, err = remediation.KeysIn(ctx, tx, id)
	if err != nil {
		return r, err
	}
	return r, r.surroundings(ctx, tx)
}

// surroundingsSQL joins what belongs to a submission. The telemetry and the session may be gone or
// not there yet; an override that was made after the attempt does not belong to it.
const surroundingsSQL = `
select u.name, coalesce(u.email, ''), u.status, u.restricted,
	exists (select from report_submissions r where r.tenant_id = $1 and r.submission_id = s.id),
	t.events_n, t.focus_lost_n, t.fullscreen_exit_n, t.copy_n, t.paste_n, t.network_lost_n, t.heartbeat_n, t.last_activity_at,
	e.extra_time_seconds, e.last_activity_at, o.extra_time_seconds, o.extra_attempts, o.valid_from, o.valid_until
from submissions s
join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
left join submission_telemetry_summary t on t.tenant_id = s.tenant_id and t.submission_id = s.id
left join sessions e on e.tenant_id = s.tenant_id and e.id = s.id
left join assignment_overrides o on o.tenant_id = s.tenant_id and o.assignment_id = s.assignment_id and o.user_id = s.user_id
	and o.created_at <= s.completed_at
where s.tenant_id = $1 and s.id = $2`

func (r *record) surroundings(ctx context.Context, tx *db.Tx) error {
	var events, focus, fullscreen, copied, pasted, network, heartbeats, sessionTime, extraTime, extraAttempts *int
	var last, from, until *time.Time
	r.user.ID = r.UserID
	err := tx.QueryRow(ctx, surroundingsSQL, tx.Tenant(), r.ID).Scan(&r.user.Name, &r.user.Email, &r.user.Status, &r.restricted, &r.projected,
		&events, &focus, &fullscreen, &copied, &pasted, &network, &heartbeats, &last,
		&sessionTime, &r.lastSaved, &extraTime, &extraAttempts, &from, &until)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoAttempt
	}
	if err != nil {
		return fmt.Errorf("find what belongs to the submission: %w", err)
	}
	if events != nil {
		r.telemetry = &Telemetry{Counts: TelemetryCounts{FocusLost: *focus, FullscreenExit: *fullscreen, Copy: *copied,
			Paste: *pasted, NetworkLost: *network}, Events: *events, Heartbeats: *heartbeats, LastActivityAt: db.UTC(last)}
	}
	if extraTime != nil || (sessionTime != nil && *sessionTime > 0) {
		r.overrides = &Overrides{ExtraTimeSeconds: max(orZero(sessionTime), orZero(extraTime)),
			ExtraAttempts: orZero(extraAttempts), ValidFrom: db.UTC(from), ValidUntil: db.UTC(until)}
	}
	return nil
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
