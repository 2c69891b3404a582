package session

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ResumeInput names a session; Lang chooses one language for the content.
type ResumeInput struct {
	EvaluationID ids.ID
	SessionID    ids.ID
	Lang         string
	Client       Client
}

const resumeSQL = `
update sessions set view = view + 1, last_activity_at = greatest(last_activity_at, $3)
where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at is null or deadline_at >= $3)`

// Resume takes an open session over: it gives the session with the saved answers, and a new view.
// From then on the device that had it gets session_superseded, so that only one writes at any time.
// A save that the server was working on is in the answers; one that comes later is not saved.
// Errors: not_found, session_not_open, lockdown_required.
func (d *Desk) Resume(ctx context.Context, tx *db.Tx, in ResumeInput) (Session, error) {
	err := requireTaker(tx)
	if err != nil {
		return Session{}, err
	}
	_, _, err = d.enter(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return Session{}, err
	}
	taken, err := tx.Exec(ctx, resumeSQL, tx.Tenant(), in.SessionID, tx.Now())
	if err != nil {
		return Session{}, fmt.Errorf("resume session: %w", err)
	}
	a, f, err := d.find(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return Session{}, err
	}
	if taken == 0 {
		return Session{}, notOpen(a.Session, tx.Now())
	}
	err = f.checkLockdown(tx, a.UserID, a.AssignmentID, in.Client)
	if err != nil {
		return Session{}, err
	}
	return a.show(f, in.Lang, tx.Now()), nil
}

// viewOf gives the view that a client speaks for: the view of the start if it says nothing.
func viewOf(view *int) int {
	if view == nil {
		return 1
	}
	return *view
}

func superseded(s models.Session) error {
	return errs.New(errs.SessionSuperseded, "The session was taken over on another device; nothing was saved.").With("view", s.View)
}
