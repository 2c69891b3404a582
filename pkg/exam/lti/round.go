package lti

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// dueSQL gives the next grades to look at, with what their links say.
const dueSQL = `
select s.id, s.user_id, s.changed, s.attempts, s.stamp, s.prepared, s.sent, k.line_item, k.counts, k.sent_when, k.assignment_id
from (select * from lti_scores where tenant_id = $1 and platform_id = $2 and state = 'due' and next_at <= $3 order by next_at limit (select $4::int)) s
cross join lateral (select * from lti_links where tenant_id = $1 and id = s.link_id offset 0) k`

// attemptsSQL gives the submissions of grades ($2 users, $3 assignments) that were not voided, the oldest first.
const attemptsSQL = `
select n - 1, s.score, s.max_score, s.pending, s.approval_status from unnest($2::uuid[], $3::uuid[]) with ordinality w (person, assignment, n)
cross join lateral (select score::float8, max_score::float8, pending, approval_status, completed_at, id from submissions
	where tenant_id = $1 and user_id = w.person and assignment_id = w.assignment and status = '` + models.SubmissionCompleted + `' offset 0) s
order by n, s.completed_at, s.id`

// subjectsSQL gives the platform's names for people; of several accounts, the one that came last. Grades of test accounts
// are sent nowhere; grades of people whose data must not be used wait. The source is spelt so that no index has it:
// accounts are found by their person.
const subjectsSQL = `
select w.person, case when a.test then '' else a.subject end, u.restricted from unnest($2::uuid[]) w (person)
cross join lateral (select subject, test from user_accounts where tenant_id = $1 and user_id = w.person and source || '' = '` + people.FromLTI + `' and source_id = $3
	order by last_seen_at desc nulls last, id limit 1) a
cross join lateral (select restricted from users where tenant_id = $1 and id = w.person offset 0) u`

// addressee is the platform's name for a person; subject is empty if it gets no grade of theirs.
type addressee struct {
	subject    string
	restricted bool
}

// untilFree is how long a grade waits before the next look if the person's data must not be used.
const untilFree = time.Hour

// due is a grade to look at.
type due struct {
	ID, User         ids.ID
	Changed          int64
	Attempts         int
	Stamp            *time.Time
	Prepared, Sent   *string
	LineItem         *string
	Counts, SentWhen string
	Assignment       ids.ID
}

// takeRound gives the next calls to a platform and has the platform until the lease is over; none where somebody else has it. Each call
// is written down with its time before it is made.
func takeRound(ctx context.Context, tx *db.Tx, platform, me ids.ID, lease time.Duration) (round, error) {
	r := round{me: me}
	err := tx.QueryRow(ctx, `
		update lti_platforms set claimed_by = $3, claimed_until = $5
		where tenant_id = $1 and id = $2 and status = 'active' and (claimed_until is null or claimed_until <= $4 or claimed_by = $3) and (next_at is null or next_at <= $4)
		returning failures`, tx.Tenant(), platform, me, tx.Now(), tx.Now().Add(lease)).Scan(&r.failures)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("take platform: %w", err)
	}
	r.platform, err = findPlatform(ctx, tx, "id = ?", platform)
	if err != nil {
		return r, err
	}
	rows, err := tx.Query(ctx, dueSQL, tx.Tenant(), platform, tx.Now(), inRound)
	if err != nil {
		return r, fmt.Errorf("read grades to send: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[due])
	if err != nil {
		return r, fmt.Errorf("read grades to send: %w", err)
	}
	r.seen = len(all)
	if r.seen == 0 {
		_, err = tx.Exec(ctx, "update lti_platforms set claimed_by = null, claimed_until = null where tenant_id = $1 and id = $2 and claimed_by = $3", tx.Tenant(), platform, me)
		return r, err
	}
	return r, r.prepare(ctx, tx, all)
}

// prepare works out what the grades are now, and settles the ones with nothing to send.
func (r *round) prepare(ctx context.Context, tx *db.Tx, all []due) error {
	attempts, err := attemptsOf(ctx, tx, all)
	if err != nil {
		return err
	}
	subjects, err := subjectsOf(ctx, tx, all, r.platform.ID)
	if err != nil {
		return err
	}
	var idle []ids.ID
	var states []string
	for i, d := range all {
		to := subjects[d.User]
		if to.restricted {
			idle, states = append(idle, d.ID), append(states, scoreDue)
			continue
		}
		if to.subject == "" || d.LineItem == nil {
			idle, states = append(idle, d.ID), append(states, scoreNone)
			continue
		}
		g := gradeOf(d.Counts, d.SentWhen, attempts[i])
		if g != nil && *g == cleared && d.Sent == nil && d.Prepared == nil {
			g = nil // nothing to take back
		}
		if g == nil && d.Prepared == nil {
			idle, states = append(idle, d.ID), append(states, idleState(d))
			continue
		}
		c := &outcall{id: d.ID, changed: d.Changed, attempts: d.Attempts, subject: to.subject, lineItem: *d.LineItem}
		if g != nil {
			c.text, err = g.text()
		} else {
			c.text = *d.Prepared
		}
		switch {
		case err != nil:
			return err
		case d.Prepared != nil && *d.Prepared == c.text:
			c.stamp, c.again = *d.Stamp, true
		case d.Prepared == nil && d.Sent != nil && *d.Sent == c.text:
			idle, states = append(idle, d.ID), append(states, scoreSent)
			continue
		default:
			c.stamp = stampOf(tx.Now(), d.Stamp)
		}
		r.calls = append(r.calls, c)
	}
	return r.note(ctx, tx, idle, states)
}

// idleState is the state of a grade that stays as it is for now.
func idleState(d due) string {
	if d.Sent != nil {
		return scoreSent
	}
	return scoreNone
}

// note writes down the grades that are already settled, and the calls that are made next.
func (r *round) note(ctx context.Context, tx *db.Tx, idle []ids.ID, states []string) error {
	if len(idle) > 0 {
		_, err := tx.Exec(ctx, `
			update lti_scores s set state = d.state, attempts = 0, status = null, answer = null, next_at = $4 from unnest($2::uuid[], $3::text[]) d (id, state)
			where s.tenant_id = $1 and s.id = d.id`, tx.Tenant(), idle, states, tx.Now().Add(untilFree))
		if err != nil {
			return fmt.Errorf("settle grades: %w", err)
		}
	}
	var all []ids.ID
	var stamps []time.Time
	var texts []string
	for _, c := range r.calls {
		all, stamps, texts = append(all, c.id), append(stamps, c.stamp), append(texts, c.text)
	}
	_, err := tx.Exec(ctx, `
		update lti_scores s set stamp = d.stamp, prepared = d.prepared from unnest($2::uuid[], $3::timestamptz[], $4::text[]) d (id, stamp, prepared)
		where s.tenant_id = $1 and s.id = d.id`, tx.Tenant(), all, stamps, texts)
	if err != nil {
		return fmt.Errorf("write down what is sent: %w", err)
	}
	return nil
}

func attemptsOf(ctx context.Context, tx *db.Tx, all []due) (map[int][]attempt, error) {
	var users, assignments []ids.ID
	for _, d := range all {
		users, assignments = append(users, d.User), append(assignments, d.Assignment)
	}
	rows, err := tx.Query(ctx, attemptsSQL, tx.Tenant(), users, assignments)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	found := map[int][]attempt{}
	var n int
	var a attempt
	_, err = pgx.ForEachRow(rows, []any{&n, &a.Score, &a.Max, &a.Pending, &a.Approval}, func() error {
		found[n] = append(found[n], a)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	return found, nil
}

func subjectsOf(ctx context.Context, tx *db.Tx, all []due, platform ids.ID) (map[ids.ID]addressee, error) {
	var users []ids.ID
	for _, d := range all {
		users = append(users, d.User)
	}
	rows, err := tx.Query(ctx, subjectsSQL, tx.Tenant(), users, platform)
	if err != nil {
		return nil, fmt.Errorf("read what a platform calls people: %w", err)
	}
	found := map[ids.ID]addressee{}
	var user ids.ID
	var to addressee
	_, err = pgx.ForEachRow(rows, []any{&user, &to.subject, &to.restricted}, func() error {
		found[user] = to
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what a platform calls people: %w", err)
	}
	return found, nil
}

// settle writes down how the calls of a round ended, and what that means for the platform. Where somebody else has taken the
// platform meanwhile, they make these calls again, with the same times, and theirs count.
func (r *round) settle(ctx context.Context, tx *db.Tx) error {
	var mine bool
	err := tx.QueryRow(ctx, "select coalesce(claimed_by = $3, false) from lti_platforms where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), r.platform.ID, r.me).Scan(&mine)
	if err != nil || !mine {
		return err
	}
	reached := false
	var all []ids.ID
	var changes []int64
	var states, answers []string
	var statuses []*int
	var waiting []float64
	for _, c := range r.calls {
		if c.untold {
			continue
		}
		state := scoreDue
		switch {
		case c.done:
			state = scoreSent
		case c.refused:
			state = scoreRefused
		}
		reached = reached || c.done
		all, changes, states, answers = append(all, c.id), append(changes, c.changed), append(states, state), append(answers, c.answer)
		statuses, waiting = append(statuses, c.status), append(waiting, c.wait.Seconds())
	}
	// Grades that changed meanwhile are due again, after the call that ended.
	_, err = tx.Exec(ctx, `
		update lti_scores s set state = case when s.changed = d.changed then d.state else 'due' end,
			attempts = case when d.state = 'due' then s.attempts + 1 else 0 end, status = d.status, answer = nullif(d.answer, ''),
			next_at = $2::timestamptz + d.wait * interval '1 second',
			sent = case when d.state = 'sent' then s.prepared else s.sent end, sent_at = case when d.state = 'sent' then $2::timestamptz else s.sent_at end,
			prepared = case when d.state = 'due' then s.prepared end
		from unnest($3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::int[], $8::float8[]) d (id, changed, state, answer, status, wait)
		where s.tenant_id = $1 and s.id = d.id`, tx.Tenant(), tx.Now(), all, changes, states, answers, statuses, waiting)
	if err != nil {
		return fmt.Errorf("write down grades: %w", err)
	}
	failures, next := r.failures, (*time.Time)(nil)
	switch {
	case r.trouble:
		failures, next = failures+1, new(tx.Now().Add(waitAfter(failures, r.asked)))
	case reached:
		failures = 0
	}
	_, err = tx.Exec(ctx, `
		update lti_platforms set failures = $3, next_at = $4, claimed_by = case when $5 then null else claimed_by end, claimed_until = case when $5 then null else claimed_until end
		where tenant_id = $1 and id = $2`, tx.Tenant(), r.platform.ID, failures, next, r.last)
	if err != nil {
		return fmt.Errorf("write down how a platform does: %w", err)
	}
	return nil
}
