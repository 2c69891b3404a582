package session

import (
	"context"
	"fmt"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Expire ends a session whose time is over: what was saved is submitted, completed at the
// deadline. It gives false, and changes nothing, for a session that has ended or still has
// time, so it may run any number of times. Capability: sessions.proctor. Errors: not_found.
func (d *Desk) Expire(ctx context.Context, tx *db.Tx, session ids.ID) (bool, error) {
	err := tx.Require(capability.SessionsProctor)
	if err != nil {
		return false, err
	}
	err = lockSession(ctx, tx, session)
	if err != nil {
		return false, fmt.Errorf("lock session: %w", err)
	}
	a, err := findSession(ctx, tx, session)
	if err != nil {
		return false, fmt.Errorf("find session: %w", err)
	}
	if !overdue(a.Session, tx.Now()) {
		return false, nil
	}
	f, err := d.form(ctx, tx, a.EvaluationVersionID)
	if err != nil {
		return false, err
	}
	written, err := submission.Finalise(ctx, tx, a.expired(f))
	if written {
		ended(tx, expiring.To, 1)
	}
	return written, err
}
