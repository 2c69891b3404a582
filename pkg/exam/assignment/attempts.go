package assignment

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// history is the part that counts of a person's attempts at an evaluation.
type history struct {
	attempts int
	// reserved are redemptions that wait for their first session.
	reserved int
	// last is the end of the newest attempt, or its start while it is open.
	last *time.Time
	// open is the newest session that still takes answers.
	open *ids.ID
	// now is when they were counted. Somebody who waited for another start began before it, and
	// so did the clock of their transaction.
	now time.Time
}

// CheckAttempts enforces max_attempts_per_user and cooloff_seconds for a person (specification,
// sections 2.3 and 8). extra are further attempts that an override gives. Starts and redemptions of
// one person at one evaluation wait for each other here, so that a double click counts as two.
// Errors: attempt_limit_reached, cooloff_active; details.openSessionId names a session that is
// still open, for going on with it.
func CheckAttempts(ctx context.Context, tx *db.Tx, s authoring.Settings, evaluation, user ids.ID, extra int) error {
	_, err := checkAttempts(ctx, tx, s, evaluation, user, extra, nil)
	return err
}

// checkAttempts also gives how many attempts are left; nil without a limit. For a redemption, other
// redemptions that wait for their first session count too.
func checkAttempts(ctx context.Context, tx *db.Tx, s authoring.Settings, evaluation, user ids.ID, extra int, redeeming *ids.ID) (*int, error) {
	if s.MaxAttemptsPerUser == nil && s.CooloffSeconds == 0 {
		return nil, nil //nolint:nilnil // no limit
	}
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'attempts', $1::text, $2::text, $3::text), 0))",
		tx.Tenant().String(), evaluation.String(), user.String())
	if err != nil {
		return nil, fmt.Errorf("lock attempts: %w", err)
	}
	var h history
	err = tx.QueryRow(ctx, `
		select count(*), max(coalesce(ended_at, started_at)),
			(array_agg(id order by started_at desc) filter (where state = 'open' and (deadline_at is null or deadline_at >= $4)))[1],
			clock_timestamp()
		from sessions
		where tenant_id = $1 and evaluation_id = $2 and user_id = $3 and state <> 'closed'`,
		tx.Tenant(), evaluation, user, tx.Now()).Scan(&h.attempts, &h.last, &h.open, &h.now)
	if err != nil {
		return nil, fmt.Errorf("count attempts: %w", err)
	}
	if redeeming != nil && s.MaxAttemptsPerUser != nil {
		h.reserved, err = countReserved(ctx, tx, evaluation, user, *redeeming)
		if err != nil {
			return nil, err
		}
	}
	return h.check(s, extra)
}

// countReserved counts the redemptions of other assignments that can still lead to a first
// session.
func countReserved(ctx context.Context, tx *db.Tx, evaluation, user, but ids.ID) (int, error) {
	var n int
	err := tx.QueryRow(ctx, `
		select count(*) from assignment_redemptions r join assignments a on a.tenant_id = r.tenant_id and a.id = r.assignment_id
		where r.tenant_id = $1 and r.user_id = $3 and a.evaluation_id = $2 and a.status = 'active' and a.id <> $5
		and (a.valid_until is null or a.valid_until > $4)
		and not exists (select from sessions s where s.tenant_id = $1 and s.assignment_id = r.assignment_id
			and s.user_id = r.user_id and s.state <> 'closed')`, tx.Tenant(), evaluation, user, tx.Now(), but).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count redemptions: %w", err)
	}
	return n, nil
}

func (h history) check(s authoring.Settings, extra int) (*int, error) {
	var left *int
	if s.MaxAttemptsPerUser != nil {
		limit := *s.MaxAttemptsPerUser + extra
		rest := limit - h.attempts - h.reserved
		if rest <= 0 {
			return nil, h.goOn(errs.New(errs.AttemptLimitReached, "The limit of %s at this evaluation is reached.", plural.Of(limit, "attempt")).With("limit", limit))
		}
		left = &rest
	}
	if h.last == nil || s.CooloffSeconds == 0 {
		return left, nil
	}
	available := h.last.UTC().Add(time.Duration(s.CooloffSeconds) * time.Second)
	if h.now.Before(available) {
		return nil, h.goOn(errs.New(errs.CooloffActive, "The next attempt is not allowed yet.").With("availableAt", available))
	}
	return left, nil
}

// goOn names the session that is still open, where there is one.
func (h history) goOn(err *errs.Error) error {
	if h.open == nil {
		return err
	}
	return err.With("openSessionId", *h.open)
}
