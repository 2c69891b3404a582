package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// GetInput names a session; Lang chooses one language for the content.
type GetInput struct {
	EvaluationID ids.ID
	SessionID    ids.ID
	Lang         string
	Client       Client
}

// Get gives a session with the saved answers, so that its candidate can go on. An open session whose
// time is over is shown as expired, although the table may say so only in a few seconds. Proctors
// also see the actions of proctors on it. The person sees their open session only in a client that is
// locked as the session demands. Errors: not_found, lockdown_required.
func (d *Desk) Get(ctx context.Context, tx *db.Tx, in GetInput) (Session, error) {
	err := requireTaker(tx)
	if err != nil {
		return Session{}, err
	}
	a, f, err := d.find(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return Session{}, err
	}
	if a.State == models.SessionOpen && !overdue(a.Session, tx.Now()) {
		err = f.checkLockdown(tx, a.UserID, a.AssignmentID, in.Client)
	}
	if err != nil {
		return Session{}, err
	}
	shown := a.show(f, in.Lang, tx.Now())
	if tx.Can(capability.SessionsProctor) {
		shown.Actions, err = actionsOf(ctx, tx, a.ID)
	}
	return shown, err
}

// show makes the session as the candidate sees it, with the saved answers.
func (a *attempt) show(f *form, lang string, now time.Time) Session {
	shown := f.show(a.Session, lang, now)
	for i, item := range a.items {
		saved := Answered{ItemID: item, Sequence: a.sequences[i], Response: json.RawMessage("null"),
			TimeSpentMs: a.times[i], StartedAt: db.UTC(a.starts[i]), AnsweredAt: a.answered[i].UTC()}
		if a.responses[i] != nil {
			saved.Response = json.RawMessage(*a.responses[i])
		}
		shown.Answers = append(shown.Answers, saved)
	}
	return shown
}

// find reads a session that the actor may act on, and its form.
func (d *Desk) find(ctx context.Context, tx *db.Tx, evaluation, session ids.ID) (*attempt, *form, error) {
	a, err := findSession(ctx, tx, session)
	if err != nil {
		return nil, nil, fmt.Errorf("find session: %w", err)
	}
	err = ownerOf(a.Session).admit(tx, evaluation)
	if err != nil {
		return nil, nil, err
	}
	f, err := d.form(ctx, tx, a.EvaluationVersionID)
	return a, f, err
}
