package delivery

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/authoring"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

// history is what counts of the attempts that a person made at an evaluation.
type history struct {
	attempts int
	// last is the end of the newest attempt, or its start while it is open.
	last *time.Time
}

// checkAttempts holds the person to max_attempts_per_user and cooloff_seconds
// (specification, section 2.3). Starts of one person at one evaluation wait for one
// another here, so that a double click counts as two.
func checkAttempts(ctx context.Context, tx *db.Tx, s authoring.Settings, evaluation, user ids.ID) error {
	if s.MaxAttemptsPerUser == nil && s.CooloffSeconds == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'attempts', $1::text, $2::text, $3::text), 0))",
		tx.Tenant().String(), evaluation.String(), user.String())
	if err != nil {
		return fmt.Errorf("lock attempts: %w", err)
	}
	var h history
	err = tx.QueryRow(ctx, `
		select count(*), max(coalesce(ended_at, started_at)) from sessions
		where tenant_id = $1 and evaluation_id = $2 and user_id = $3 and state <> 'closed'`,
		tx.Tenant(), evaluation, user).Scan(&h.attempts, &h.last)
	if err != nil {
		return fmt.Errorf("count attempts: %w", err)
	}
	return h.check(s, tx.Now())
}

func (h history) check(s authoring.Settings, now time.Time) error {
	if s.MaxAttemptsPerUser != nil && h.attempts >= *s.MaxAttemptsPerUser {
		return errs.New(errs.AttemptLimitReached, "All %d attempts at this evaluation are used up.", *s.MaxAttemptsPerUser).
			With("limit", *s.MaxAttemptsPerUser)
	}
	if h.last == nil {
		return nil
	}
	available := h.last.UTC().Add(time.Duration(s.CooloffSeconds) * time.Second)
	if now.Before(available) {
		return errs.New(errs.CooloffActive, "The next attempt is not allowed yet.").With("availableAt", available)
	}
	return nil
}
