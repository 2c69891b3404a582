package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// maxRunLabel bounds a run label, in characters.
const maxRunLabel = 200

// StartInput requests a new session (decisions, section 9).
type StartInput struct {
	EvaluationID ids.ID `json:"-"`
	// UserID says who the session is for; none means oneself.
	UserID *ids.ID `json:"userId,omitempty" doc:"Whom the session is for; oneself when absent. Another person needs sessions.proctor"`
	// AssignmentID is the assignment that the session is part of, if any.
	AssignmentID *ids.ID `json:"assignmentId,omitempty" doc:"The assignment to start under; its window, attempts and run label hold. Required of oneself where an assignment of the evaluation reaches one"`
	RunLabel     *string `json:"run_label,omitempty" maxLength:"200" doc:"Marks the run that the attempt belongs to; an assignment brings its own. Another one needs sessions.proctor"`
	// Lang chooses one language for the content.
	Lang   string `json:"-"`
	Client Client `json:"-"`
}

// Start opens a session: capability sessions.take for oneself, sessions.proctor for
// somebody else, who must belong to the evaluation's org unit. A person reached by an assignment of
// the evaluation, active or closed, can start for themselves only under an assignment: nobody gets
// around its window or its closing. Errors: not_found, processing_restricted, subject_erased,
// not_published, archived, lockdown_required, attempt_limit_reached, cooloff_active,
// validation_failed; and under an assignment assignment_not_open, assignment_not_redeemed,
// group_membership_required.
func (d *Desk) Start(ctx context.Context, tx *db.Tx, in StartInput) (Session, error) {
	user, err := startsFor(tx, in)
	if err != nil {
		return Session{}, err
	}
	o, err := findOffer(ctx, tx, in, user)
	if err != nil {
		return Session{}, noOffer(err)
	}
	err = o.check(isSelf(tx, user))
	if err != nil {
		return Session{}, err
	}
	if o.isAssigned && isSelf(tx, user) {
		return Session{}, nameAssignment(ctx, tx, in.EvaluationID, user)
	}
	f, err := d.form(ctx, tx, *o.version)
	if err != nil {
		return Session{}, err
	}
	err = f.checkLockdown(tx, user, in.AssignmentID, in.Client)
	if err != nil {
		return Session{}, err
	}
	terms, err := admission(ctx, tx, in, user)
	if err != nil {
		return Session{}, err
	}
	err = assignment.CheckAttempts(ctx, tx, f.settings, in.EvaluationID, user, terms.ExtraAttempts)
	if err != nil {
		return Session{}, err
	}
	row := newSession(tx, in, user, o, f, terms)
	row.Drawn, err = d.spare(ctx, tx, f, row)
	if err != nil {
		return Session{}, err
	}
	err = insertSession(ctx, tx, row)
	if err != nil {
		return Session{}, fmt.Errorf("start session: %w", err)
	}
	d.owners.Set(key{row.TenantID, row.ID}, ownerOf(row))
	return f.show(row, in.Lang, tx.Now()), nil
}

// startsFor checks the input and gives the person the session is for.
func startsFor(tx *db.Tx, in StartInput) (ids.ID, error) {
	var bad []errs.Field
	if in.RunLabel != nil {
		bad = errs.Line("run_label", *in.RunLabel, maxRunLabel, true)
		if in.AssignmentID == nil && !tx.Can(capability.SessionsProctor) {
			bad = append(bad, errs.Field{Path: "run_label", Code: "not_allowed", Message: "the run label comes from an assignment, or from a proctor"})
		}
	}
	if in.UserID != nil && !isSelf(tx, *in.UserID) {
		err := tx.Require(capability.SessionsProctor)
		if err != nil {
			return ids.None, err
		}
		return *in.UserID, errs.Invalid(bad...)
	}
	if tx.Actor().Kind != db.UserActor {
		bad = append(bad, errs.Field{Path: "userId", Code: "required", Message: "say whom the session is for"})
	}
	err := tx.Require(capability.SessionsTake)
	if err != nil {
		return ids.None, err
	}
	return tx.Actor().ID, errs.Invalid(bad...)
}

// admission asks the assignment, where there is one, what it brings to the session.
func admission(ctx context.Context, tx *db.Tx, in StartInput, user ids.ID) (assignment.Admission, error) {
	if in.AssignmentID == nil {
		return assignment.Admission{RunLabel: in.RunLabel}, nil
	}
	terms, err := assignment.Admit(ctx, tx, *in.AssignmentID, in.EvaluationID, user)
	if err != nil {
		return assignment.Admission{}, err
	}
	if in.RunLabel != nil && (terms.RunLabel == nil || *terms.RunLabel != *in.RunLabel) {
		return assignment.Admission{}, errs.Invalid(errs.Field{Path: "run_label", Code: "not_allowed",
			Message: "the run label comes from the assignment"})
	}
	return terms, nil
}

func noOffer(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	}
	return fmt.Errorf("find evaluation: %w", err)
}

// check says whether the evaluation can be taken. For oneself, the token says that one belongs to the org unit.
func (o offer) check(self bool) error {
	switch {
	case o.isErased:
		return people.Erased()
	case !self && !o.isMember:
		return errs.New(errs.NotFound, "There is no such user in the org unit of the evaluation.")
	case o.isRestricted:
		return hold.Restricted()
	case o.status == models.AuthoringArchived:
		return errs.New(errs.Archived, "The evaluation is archived; it takes no new sessions.")
	case o.version == nil:
		return errs.New(errs.NotPublished, "The evaluation has no published version.")
	}
	return nil
}

// nameAssignment refuses a start without an assignment and says which there are: nobody
// else tells a candidate their ids.
func nameAssignment(ctx context.Context, tx *db.Tx, evaluation, user ids.ID) error {
	found, err := assignmentsOf(ctx, tx, evaluation, user)
	if err != nil {
		return err
	}
	return errs.Of(errs.Invalid(errs.Field{Path: "assignmentId", Code: "required",
		Message: "the evaluation is assigned to you: name the assignment"})).With("assignmentIds", found)
}

func newSession(tx *db.Tx, in StartInput, user ids.ID, o offer, f *form, terms assignment.Admission) models.Session {
	var others []string
	if by := actingFor(tx, user); by != nil {
		others = []string{*by}
	}
	return models.Session{
		TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: o.orgUnit, EvaluationID: in.EvaluationID,
		EvaluationVersionID: *o.version, UserID: user, StartedBy: tx.Actor().String(), State: models.SessionOpen,
		AssignmentID: in.AssignmentID, RunLabel: terms.RunLabel, StartedAt: tx.Now(), LastActivityAt: tx.Now(), Seed: rand.Int64(),
		DeadlineAt: f.deadline(tx.Now(), terms.ExtraTimeSeconds), ExtraTimeSeconds: terms.ExtraTimeSeconds,
		View: 1, SectionStarts: f.firstSection(tx.Now()), ActedBy: others,
	}
}

// deadline says when the time of a session that starts now is over, with the seconds that
// an override adds; nil for never.
func (f *form) deadline(now time.Time, extra int) *time.Time {
	if f.settings.TimeLimitSeconds == nil {
		return nil
	}
	deadline := now.Add(time.Duration(*f.settings.TimeLimitSeconds+extra) * time.Second)
	return &deadline
}
