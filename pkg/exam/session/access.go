package session

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// owner says whose session it is, of which evaluation, and what it shows: facts that never change.
type owner struct {
	user, orgUnit, evaluation, version ids.ID
	assignment                         *ids.ID
	deal                               deal
}

var errNoSession = errs.New(errs.NotFound, "There is no such session in your scope.")

// requireTaker is the first line of every operation on a session.
func requireTaker(tx *db.Tx) error {
	if tx.Can(capability.SessionsProctor) {
		return nil
	}
	return tx.Require(capability.SessionsTake)
}

// isSelf says whether the actor is the person.
func isSelf(tx *db.Tx, user ids.ID) bool { return tx.Actor().Is(user) }

// actingFor names the actor where they act for somebody else.
func actingFor(tx *db.Tx, user ids.ID) *string {
	if isSelf(tx, user) {
		return nil
	}
	actor := tx.Actor().String()
	return &actor
}

// admit lets the person and proctors of the scope through; not_found for everybody else,
// and for a session of another evaluation.
func (o owner) admit(tx *db.Tx, evaluation ids.ID) error {
	inScope := tx.Scope().All || tx.Scope().OrgUnit == o.orgUnit
	mayAct := isSelf(tx, o.user) || tx.Can(capability.SessionsProctor)
	if !inScope || !mayAct || o.evaluation != evaluation {
		return errNoSession
	}
	return nil
}

func ownerOf(s models.Session) owner {
	return owner{user: s.UserID, orgUnit: s.OrgUnitID, evaluation: s.EvaluationID, version: s.EvaluationVersionID,
		assignment: s.AssignmentID, deal: dealOf(s)}
}

// enter finds a session that the actor may act on, by its unchanging facts.
func (d *Desk) enter(ctx context.Context, tx *db.Tx, evaluation, session ids.ID) (owner, *form, error) {
	o, err := d.owner(ctx, tx, session)
	if err != nil {
		return owner{}, nil, err
	}
	err = o.admit(tx, evaluation)
	if err != nil {
		return owner{}, nil, err
	}
	f, err := d.form(ctx, tx, o.version)
	return o, f, err
}

// EvaluationOf says to which evaluation a session belongs, for operators, who name a session only
// by its id. Errors: not_found.
func (d *Desk) EvaluationOf(ctx context.Context, tx *db.Tx, session ids.ID) (ids.ID, error) {
	err := requireTaker(tx)
	if err != nil {
		return ids.None, err
	}
	o, err := d.owner(ctx, tx, session)
	if err != nil {
		return ids.None, err
	}
	return o.evaluation, o.admit(tx, o.evaluation)
}

// owner looks up whose a session is, once a process.
func (d *Desk) owner(ctx context.Context, tx *db.Tx, session ids.ID) (owner, error) {
	k := key{tx.Tenant(), session}
	kept, ok := d.owners.GetIfPresent(k)
	if ok {
		return kept, nil
	}
	row, err := findSession(ctx, tx, session)
	if err != nil {
		return owner{}, fmt.Errorf("find session: %w", err)
	}
	d.owners.Set(k, ownerOf(row.Session))
	return ownerOf(row.Session), nil
}
