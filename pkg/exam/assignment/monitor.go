package assignment

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// MonitorStates are the states of an invitee (decisions, section 7). The first one that
// fits holds:
//
//	in_progress  a session is open
//	overridden   an override was given since the last attempt, and its window is not over
//	completed    an attempt was submitted
//	expired      the window is over, or the assignment is closed
//	not_started  none of these
var MonitorStates = []string{"not_started", "in_progress", "completed", "expired", "overridden"}

// MonitorInput asks how far the invitees of an assignment are.
type MonitorInput struct {
	ID    ids.ID `path:"id"`
	Batch bool   `query:"batch" doc:"All assignments of the same batch"`
	State string `query:"state" enum:"not_started,in_progress,completed,expired,overridden" doc:"Only invitees in this state"`
	db.Page
}

// Monitor is one page of invitees, and the number of them in each state.
type Monitor struct {
	Counts map[string]int `json:"counts" doc:"Invitees by state, whatever the filter"`
	db.List[Invitee]
}

// Invitee is how far one person is.
type Invitee struct {
	AssignmentID ids.ID     `json:"assignmentId"`
	UserID       ids.ID     `json:"userId"`
	Name         string     `json:"name,omitempty" doc:"Only with users.read, and not of people whose processing is restricted"`
	Email        string     `json:"email,omitempty" doc:"As the name"`
	State        string     `json:"state" enum:"not_started,in_progress,completed,expired,overridden"`
	Attempts     int        `json:"attempts"`
	StartedAt    *time.Time `json:"startedAt" doc:"Of the first attempt"`
	DeadlineAt   *time.Time `json:"deadlineAt" doc:"Of the running session"`
	CompletedAt  *time.Time `json:"completedAt" doc:"Of the newest submission"`
	RedeemedAt   *time.Time `json:"redeemedAt"`
	Invitation   string     `json:"invitation,omitempty" enum:"queued,sending,sent,failed" doc:"The mail to them"`
	Overridden   bool       `json:"overridden" doc:"They have an override, whatever the state"`
}

// inviteesSQL gives every invitee with their state: the person, the current members of a
// group and all who took it (forgetting takes people out of their groups, and the figures stay), the people who redeemed a
// public link. $2 is the assignment, $3 the batch or null. The cast
// of target_ref belongs in picked: behind a policy, a condition with a cast cannot use an index (docs/queries.md). "offset
// 0" makes the planner look group by group and invitee by invitee; otherwise it would read the rows of all assignments.
const inviteesSQL = `
with picked as materialized (
	select id, target_type, case when target_type in ('user_id', 'email', 'group_id') then target_ref::uuid end as target, status, valid_until
	from assignments where tenant_id = $1 and id = $2
	union
	select id, target_type, case when target_type in ('user_id', 'email', 'group_id') then target_ref::uuid end, status, valid_until
	from assignments where tenant_id = $1 and batch_id = $3
), invitees as (
	select id, target as user_id, status, valid_until from picked where target_type in ('user_id', 'email')
	union all
	select p.id, m.user_id, p.status, p.valid_until from picked p
	cross join lateral (
		select user_id from group_members where tenant_id = $1 and group_id = p.target
		union select user_id from sessions where tenant_id = $1 and assignment_id = p.id and state <> 'closed' offset 0) m
	where p.target_type = 'group_id'
	union all
	select p.id, r.user_id, p.status, p.valid_until from picked p
	cross join lateral (select user_id from assignment_redemptions where tenant_id = $1 and assignment_id = p.id offset 0) r
	where p.target_type = 'public_link'
), states as (
	select i.id, i.user_id, s.attempts, s.started_at, s.deadline_at, s.completed_at, o.user_id is not null as overridden,
		case when s.is_open then 'in_progress'
			when o.user_id is not null and i.status = 'active' and (s.ended_at is null or o.updated_at > s.ended_at)
				and coalesce(o.valid_until, i.valid_until, 'infinity') > $4 then 'overridden'
			when s.completed_at is not null then 'completed'
			when i.status = 'closed' or coalesce(o.valid_until, i.valid_until) <= $4 then 'expired'
			else 'not_started' end as state
	from invitees i
	cross join lateral (
		select count(*) as attempts, bool_or(state = 'open') as is_open, min(started_at) as started_at,
			max(deadline_at) filter (where state = 'open') as deadline_at, max(ended_at) as ended_at,
			max(ended_at) filter (where state in ('submitted', 'expired')) as completed_at
		from sessions where tenant_id = $1 and assignment_id = i.id and user_id = i.user_id and state <> 'closed'
	) s
	left join lateral (select user_id, updated_at, valid_until from assignment_overrides
		where tenant_id = $1 and assignment_id = i.id and user_id = i.user_id offset 0) o on true
)`

// Watch says how far the invitees of an assignment, or of its batch, are. It needs
// assignments.monitor; names and addresses show with users.read. Errors: not_found,
// validation_failed.
func Watch(ctx context.Context, tx *db.Tx, in MonitorInput) (Monitor, error) {
	err := tx.Require(capability.AssignmentsMonitor)
	if err != nil {
		return Monitor{}, err
	}
	page, err := in.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	err = errs.Invalid(append(bad, errs.OneOf("state", in.State, MonitorStates)...)...)
	if err != nil {
		return Monitor{}, err
	}
	row, err := find(ctx, tx, in.ID, "")
	if err != nil {
		return Monitor{}, err
	}
	var batch *ids.ID
	if in.Batch {
		batch = row.BatchID
	}
	counts, err := countStates(ctx, tx, row, batch)
	if err != nil {
		return Monitor{}, err
	}
	items, err := listInvitees(ctx, tx, row, batch, in.State, page)
	return Monitor{Counts: counts, List: db.NewList(items, page, totalOf(counts, in.State))}, err
}

func totalOf(counts map[string]int, state string) int {
	if state != "" {
		return counts[state]
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

func countStates(ctx context.Context, tx *db.Tx, row models.Assignment, batch *ids.ID) (map[string]int, error) {
	counts := make(map[string]int, len(MonitorStates))
	for _, state := range MonitorStates {
		counts[state] = 0
	}
	rows, err := tx.Query(ctx, inviteesSQL+" select state, count(*) from states group by state", tx.Tenant(), row.ID, batch, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("count invitees: %w", err)
	}
	var state string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&state, &n}, func() error {
		counts[state] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count invitees: %w", err)
	}
	return counts, nil
}

func listInvitees(ctx context.Context, tx *db.Tx, row models.Assignment, batch *ids.ID, state string, page db.Page) ([]Invitee, error) {
	rows, err := tx.Query(ctx, inviteesSQL+`
		select p.id, p.user_id, case when $8 then u.name else '' end, case when $8 then u.email else '' end, p.state, p.attempts,
			p.started_at, p.deadline_at, p.completed_at, r.redeemed_at, coalesce(v.status, ''), p.overridden
		from (select * from states where $5 in ('', state) order by user_id, id limit $6 offset $7) p
		cross join lateral (select case when not restricted then name else '' end as name,
			case when not restricted then coalesce(email, '') else '' end as email from users where tenant_id = $1 and id = p.user_id offset 0) u
		left join lateral (select redeemed_at from assignment_redemptions
			where tenant_id = $1 and assignment_id = p.id and user_id = p.user_id offset 0) r on true
		left join lateral (select status from assignment_invitations
			where tenant_id = $1 and assignment_id = p.id and user_id = p.user_id offset 0) v on true
		order by p.user_id, p.id`,
		tx.Tenant(), row.ID, batch, tx.Now(), state, page.Limit, page.Offset(), tx.Can(capability.UsersRead))
	if err != nil {
		return nil, fmt.Errorf("list invitees: %w", err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Invitee, error) {
		var i Invitee
		err := row.Scan(&i.AssignmentID, &i.UserID, &i.Name, &i.Email, &i.State, &i.Attempts, &i.StartedAt, &i.DeadlineAt,
			&i.CompletedAt, &i.RedeemedAt, &i.Invitation, &i.Overridden)
		for _, t := range []**time.Time{&i.StartedAt, &i.DeadlineAt, &i.CompletedAt, &i.RedeemedAt} {
			*t = db.UTC(*t)
		}
		return i, err
	})
	if err != nil {
		return nil, fmt.Errorf("list invitees: %w", err)
	}
	return items, nil
}
