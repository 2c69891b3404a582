package assignment

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Redemption is an assignment that a person has taken up.
type Redemption struct {
	AssignmentID     ids.ID     `json:"assignmentId"`
	EvaluationID     ids.ID     `json:"evaluationId"`
	RunLabel         *string    `json:"run_label"`
	RedeemedAt       time.Time  `json:"redeemedAt"`
	AttemptsLeft     *int       `json:"attemptsLeft" doc:"With the one that this redemption keeps; null without a limit"`
	AvailableAt      time.Time  `json:"availableAt" doc:"From when a session can start"`
	ValidFrom        *time.Time `json:"validFrom" doc:"Of the person, overrides included"`
	ValidUntil       *time.Time `json:"validUntil" doc:"Of the person, overrides included"`
	ExtraTimeSeconds int        `json:"extraTimeSeconds" doc:"What an override adds to the time limit"`
}

// Redeem takes up an assignment by its id, for the actor, who needs sessions.take. A public
// link can only be redeemed by its token. Errors: not_found, assignment_not_open,
// group_membership_required, already_enrolled, attempt_limit_reached, cooloff_active, archived,
// not_published, processing_restricted.
func Redeem(ctx context.Context, tx *db.Tx, id ids.ID) (Redemption, error) {
	return redeem(ctx, tx, byID, id)
}

// RedeemToken takes up an assignment by its token. It needs what Redeem needs and fails as
// that does.
func RedeemToken(ctx context.Context, tx *db.Tx, token string) (Redemption, error) {
	return redeem(ctx, tx, byToken, hashOf(token))
}

func redeem(ctx context.Context, tx *db.Tx, named string, key any) (Redemption, error) {
	err := tx.Require(capability.SessionsTake)
	if err != nil {
		return Redemption{}, err
	}
	if tx.Actor().Kind != db.UserActor {
		return Redemption{}, errs.New(errs.Forbidden, "Only a person redeems an assignment, for themselves.")
	}
	user := tx.Actor().ID
	p, err := loadPass(ctx, tx, named, key, user)
	if err != nil {
		return Redemption{}, err
	}
	if p.targetType == models.TargetPublicLink && named == byID && !p.redeemed {
		return Redemption{}, errNone()
	}
	err = p.checkTarget(ctx, tx, user)
	if err == nil {
		err = p.checkOpen(tx.Now())
	}
	if err != nil {
		return Redemption{}, err
	}
	if p.redeemed {
		return Redemption{}, alreadyEnrolled()
	}
	return p.record(ctx, tx, user)
}

func alreadyEnrolled() error {
	return errs.New(errs.AlreadyEnrolled, "The assignment is redeemed already; start a session.")
}

// record writes the redemption, and only then looks at the attempts: of two at once for one
// assignment, the second waits here and gets already_enrolled. The redemption itself says who and
// when. It is no ledger event: the events of a tenant are numbered one after the other, and
// candidates must not wait for each other.
func (p pass) record(ctx context.Context, tx *db.Tx, user ids.ID) (Redemption, error) {
	err := p.note(ctx, tx, user)
	if err != nil {
		return Redemption{}, err
	}
	left, err := checkAttempts(ctx, tx, p.settings, p.evaluation, user, p.grant.extraAttempts, &p.id)
	if err != nil {
		return Redemption{}, err
	}
	from, until := p.window()
	return Redemption{AssignmentID: p.id, EvaluationID: p.evaluation, RunLabel: p.runLabel, RedeemedAt: tx.Now(), AttemptsLeft: left,
		AvailableAt: tx.Now(), ValidFrom: from, ValidUntil: until, ExtraTimeSeconds: p.grant.extraTimeSeconds}, nil
}

// note writes the redemption. Errors: already_enrolled.
func (p pass) note(ctx context.Context, tx *db.Tx, user ids.ID) error {
	n, err := tx.Exec(ctx, `
		insert into assignment_redemptions (tenant_id, assignment_id, user_id, org_unit_id, redeemed_at) values ($1, $2, $3, $4, $5)
		on conflict do nothing`, tx.Tenant(), p.id, user, p.orgUnit, tx.Now())
	if err != nil {
		return fmt.Errorf("record redemption: %w", err)
	}
	if n == 0 {
		return alreadyEnrolled()
	}
	return nil
}

// Admission has the values that a session takes over from its assignment.
type Admission struct {
	RunLabel         *string
	ExtraTimeSeconds int
	ExtraAttempts    int
}

// Admit says whether a user may start a session of an evaluation under an assignment now;
// the caller has checked who acts. A person it names starts at once, and so does a current member
// of its group, whose start redeems the assignment for them; a member who left the group does not
// start. A public link is redeemed by its token first, unless somebody else starts for the person.
// Errors: not_found, assignment_not_open, group_membership_required, assignment_not_redeemed,
// processing_restricted.
func Admit(ctx context.Context, tx *db.Tx, id, evaluation, user ids.ID) (Admission, error) {
	p, err := loadPass(ctx, tx, byID, id, user)
	if err != nil {
		return Admission{}, err
	}
	if p.evaluation != evaluation {
		return Admission{}, errNone()
	}
	err = p.checkTarget(ctx, tx, user)
	if err == nil {
		err = p.checkOpen(tx.Now())
	}
	if err != nil {
		return Admission{}, err
	}
	if p.targetType == models.TargetPublicLink && !p.redeemed && tx.Actor().Is(user) {
		return Admission{}, errs.New(errs.AssignmentNotRedeemed, "Redeem the link before you start.")
	}
	if !isPerson(p.targetType) && !p.redeemed {
		err = p.note(ctx, tx, user)
	}
	if err != nil {
		return Admission{}, err
	}
	return Admission{RunLabel: p.runLabel, ExtraTimeSeconds: p.grant.extraTimeSeconds, ExtraAttempts: p.grant.extraAttempts}, nil
}
