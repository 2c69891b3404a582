package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/metric"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// attempt is a session with its answers, by column, at one moment.
type attempt struct {
	models.Session
	items     []ids.ID
	sequences []int64
	responses []*string
	times     []*int64
	starts    []*time.Time
	answered  []time.Time
}

// sessionSQL reads a session together with its answers as arrays, at one moment.
const sessionSQL = `
select s.org_unit_id, s.evaluation_id, s.evaluation_version_id, s.user_id, s.started_by, s.state, s.assignment_id, s.run_label,
	s.started_at, s.deadline_at, s.last_activity_at, s.ended_at, s.revision, s.receipt, s.seed,
	s.view, s.events_n, s.furthest, s.section_starts, s.drawn, s.extra_time_seconds,
	a.items, a.sequences, a.responses, a.times, a.starts, a.answered
from sessions s cross join lateral (
	select array_agg(item_id) as items, array_agg(sequence) as sequences, array_agg(response::text) as responses,
		array_agg(time_spent_ms) as times, array_agg(started_at) as starts, array_agg(answered_at) as answered
	from session_answers where tenant_id = $1 and session_id = s.id) a
where s.tenant_id = $1 and s.id = $2`

// findSession reads a session with its answers in one statement, that is, at one moment:
// answers and revision belong together.
func findSession(ctx context.Context, tx *db.Tx, id ids.ID) (*attempt, error) {
	a := &attempt{}
	a.TenantID, a.ID = tx.Tenant(), id
	err := tx.QueryRow(ctx, sessionSQL, tx.Tenant(), id).
		Scan(&a.OrgUnitID, &a.EvaluationID, &a.EvaluationVersionID, &a.UserID, &a.StartedBy, &a.State, &a.AssignmentID, &a.RunLabel,
			&a.StartedAt, &a.DeadlineAt, &a.LastActivityAt, &a.EndedAt, &a.Revision, &a.Receipt, &a.Seed,
			&a.View, &a.EventsN, &a.Furthest, &a.SectionStarts, &a.Drawn, &a.ExtraTimeSeconds,
			&a.items, &a.sequences, &a.responses, &a.times, &a.starts, &a.answered)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoSession
	}
	return a, err
}

// lockSession makes the session wait for nobody else until the transaction ends. Read it
// afterwards, in a statement of its own: only that sees what was committed meanwhile.
func lockSession(ctx context.Context, tx *db.Tx, id ids.ID) error {
	_, err := tx.Exec(ctx, "select from sessions where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	return err
}

// loadSnapshot reads the frozen content of a published evaluation version and its hash.
func loadSnapshot(ctx context.Context, tx *db.Tx, version ids.ID) (string, *authoring.Snapshot, error) {
	var hash string
	err := tx.QueryRow(ctx, "select snapshot_hash from evaluation_versions where tenant_id = $1 and id = $2",
		tx.Tenant(), version).Scan(&hash)
	if err != nil {
		return "", nil, err
	}
	snapshot, err := authoring.SnapshotByHash(ctx, tx, hash)
	return hash, snapshot, err
}

// offer is what start needs to know about an evaluation and about the person.
type offer struct {
	orgUnit  ids.ID
	status   string
	version  *ids.ID
	isMember bool
	// isAssigned says that no assignment is named and that one reaches the person: it is for them,
	// for a group that they are in, or they have redeemed it. One that is closed reaches them too.
	isAssigned bool
	// isRestricted says that the person's data must not be used (package hold), isErased that they are being erased or were.
	isRestricted, isErased bool
}

// offerSQL says at one moment what an evaluation offers and whether somebody may take it without
// naming an assignment, and keeps the evaluation from being archived meanwhile.
const offerSQL = `
select org_unit_id, status, published_id, exists (
	select from user_org_units m join users u on u.tenant_id = m.tenant_id and u.id = m.user_id
	where m.tenant_id = $1 and m.user_id = $3 and m.org_unit_id = e.org_unit_id and u.status = 'active'),
	$4::uuid is null and (exists (
		select from assignments a where a.tenant_id = $1 and a.evaluation_id = $2
		and a.target_ref = any (array(select $3::text union all
			select group_id::text from group_members where tenant_id = $1 and user_id = $3))) or exists (
		select from assignment_redemptions r join assignments a on a.tenant_id = r.tenant_id and a.id = r.assignment_id
		where r.tenant_id = $1 and r.user_id = $3 and a.evaluation_id = $2)),
	coalesce((select u.restricted from users u where tenant_id = $1 and id = $3), false),
	coalesce((select ` + people.IsErased + ` from users u where tenant_id = $1 and id = $3), false)
from evaluations e where tenant_id = $1 and id = $2 for share`

// findOffer reads an evaluation and keeps it from being archived until the transaction
// ends, so that no session starts while it is being archived.
func findOffer(ctx context.Context, tx *db.Tx, in StartInput, user ids.ID) (offer, error) {
	var o offer
	err := tx.QueryRow(ctx, offerSQL, tx.Tenant(), in.EvaluationID, user, in.AssignmentID).
		Scan(&o.orgUnit, &o.status, &o.version, &o.isMember, &o.isAssigned, &o.isRestricted, &o.isErased)
	return o, err
}

// assignmentsOf gives the newest assignments of an evaluation that reach a person, as
// findOffer finds that there are some.
func assignmentsOf(ctx context.Context, tx *db.Tx, evaluation, user ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, `
		select id from assignments where tenant_id = $1 and evaluation_id = $2
			and target_ref = any (array(select $3::uuid::text union all
				select group_id::text from group_members where tenant_id = $1 and user_id = $3))
		union
		select a.id from assignment_redemptions r join assignments a on a.tenant_id = r.tenant_id and a.id = r.assignment_id
			where r.tenant_id = $1 and r.user_id = $3 and a.evaluation_id = $2
		order by id desc limit 20`, tx.Tenant(), evaluation, user)
	if err != nil {
		return nil, fmt.Errorf("find assignments of a person: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find assignments of a person: %w", err)
	}
	return found, nil
}

// insertSessionSQL waits for a restriction placed meanwhile, or for the first step of erasing, with the lock that the
// foreign key takes anyway, and writes nothing if there is either.
const insertSessionSQL = `
insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by,
	state, run_label, started_at, deadline_at, last_activity_at, seed, assignment_id, extra_time_seconds,
	override_seconds, section_starts, drawn, acted_by)
select p.tenant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10::timestamptz, $11, $10, $12, $13, $14, $14, $15, $16, $17
from (select tenant_id from users where tenant_id = $1 and id = $6 and not restricted and not erasing for key share) p
returning true`

const countStartSQL = "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'session', $2, $3)"

// insertSession writes a new session and asks the projector to count the start. Errors:
// processing_restricted, subject_erased.
func insertSession(ctx context.Context, tx *db.Tx, s models.Session) error {
	var started bool
	_, err := tx.Together(ctx,
		db.Statement{SQL: insertSessionSQL, Args: []any{s.TenantID, s.ID, s.OrgUnitID, s.EvaluationID, s.EvaluationVersionID, s.UserID,
			s.StartedBy, s.State, s.RunLabel, s.StartedAt, s.DeadlineAt, s.Seed, s.AssignmentID, s.ExtraTimeSeconds,
			s.SectionStarts, s.Drawn, s.ActedBy}, Dest: []any{&started}},
		db.Statement{SQL: countStartSQL, Args: []any{s.TenantID, s.ID, s.StartedAt}})
	if err == nil && !started {
		return cmp.Or(people.RefuseErased(ctx, tx, s.UserID), hold.Restricted())
	}
	tx.Count(metric.SessionsStarted, 1)
	return err
}
