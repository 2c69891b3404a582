package hold

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

// Input names a hold, to be placed or to be lifted.
type Input struct {
	SubjectID ids.ID
	Terms
}

// Terms say which hold of a person is meant. The fields are spelled as in POST /compliance/restrict
// (specification, section 4.9).
type Terms struct {
	Kind         string  `json:"kind,omitempty" enum:"processing,legal" doc:"processing when absent"`
	ReasonCode   string  `json:"reason_code,omitempty" maxLength:"64" doc:"Required to place; to lift, only where several holds of the kind stand"`
	SubmissionID *ids.ID `json:"submission_id,omitempty" doc:"A legal hold of this submission alone"`
	Case
}

// Case is the case that a hold belongs to.
type Case struct {
	Matter   string     `json:"matter,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9._-]*$" doc:"Code of the dispute or inquiry that it belongs to; holds of several people may share it" example:"2026-014"`
	ReviewAt *time.Time `json:"reviewAt,omitempty" doc:"When somebody looks whether it is still needed"`
}

// Hold is a hold that is or was in force.
type Hold struct {
	ID           ids.ID     `json:"id"`
	SubjectID    ids.ID     `json:"subject_id" doc:"The user"`
	SubmissionID *ids.ID    `json:"submission_id" doc:"Null: the hold covers the whole person"`
	Kind         string     `json:"kind" enum:"processing,legal"`
	ReasonCode   string     `json:"reason_code"`
	Matter       string     `json:"matter" doc:"Code of what it belongs to; empty: nothing"`
	ReviewAt     *time.Time `json:"reviewAt" doc:"When somebody looks whether it is still needed"`
	PlacedBy     string     `json:"placedBy" doc:"user:<id>, operator:<name> or system:<job>"`
	PlacedAt     time.Time  `json:"placedAt"`
	LiftedBy     *string    `json:"liftedBy"`
	LiftedAt     *time.Time `json:"liftedAt" doc:"Null while it stands"`
}

var (
	errNoSubject    = errs.New(errs.NotFound, "There is no such user in your scope.")
	errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")
)

// Place puts a hold on a person, or on one submission of theirs. Capability: compliance.manage, within
// reach of the person. Nobody holds themselves. Errors: not_found, validation_failed, hold_exists,
// erasing_under_way, user_out_of_reach, four_eyes_required.
func Place(ctx context.Context, tx *db.Tx, in Input) (Hold, error) {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return Hold{}, err
	}
	if err := in.check(true); err != nil {
		return Hold{}, err
	}
	erasing, err := in.lock(ctx, tx)
	if err != nil {
		return Hold{}, err
	}
	if erasing {
		return Hold{}, errs.New(errs.ErasingUnderWay, "%s", errs.Meaning(errs.ErasingUnderWay))
	}
	if err := in.checkSubmission(ctx, tx); err != nil {
		return Hold{}, err
	}
	h := Hold{ID: ids.New(), SubjectID: in.SubjectID, SubmissionID: in.SubmissionID, Kind: in.Kind, ReasonCode: in.ReasonCode,
		Matter: in.Matter, ReviewAt: reviewed(in.ReviewAt), PlacedBy: tx.Actor().String(), PlacedAt: tx.Now()}
	n, err := tx.Exec(ctx, `
		insert into holds (tenant_id, id, subject_id, submission_id, kind, reason_code, matter, review_at, placed_by, placed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
		tx.Tenant(), h.ID, h.SubjectID, h.SubmissionID, h.Kind, h.ReasonCode, h.Matter, h.ReviewAt, h.PlacedBy, h.PlacedAt)
	if err != nil {
		return Hold{}, fmt.Errorf("place hold: %w", err)
	}
	if n == 0 {
		return Hold{}, errs.New(errs.HoldExists, "%s", errs.Meaning(errs.HoldExists))
	}
	return h, h.settle(ctx, tx, "hold.placed")
}

// Lift ends a hold. Without a reason code it is the one hold of the kind in force, of the person or of
// the submission that is named. Capability and reach as for Place; nobody lifts a hold of themselves.
// Errors: not_found, validation_failed, hold_not_placed, user_out_of_reach, four_eyes_required.
func Lift(ctx context.Context, tx *db.Tx, in Input) (Hold, error) {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return Hold{}, err
	}
	if err := in.check(false); err != nil {
		return Hold{}, err
	}
	if _, err := in.lock(ctx, tx); err != nil {
		return Hold{}, err
	}
	if err := in.checkSubmission(ctx, tx); err != nil {
		return Hold{}, err
	}
	standing, err := in.standing(ctx, tx)
	switch {
	case err != nil:
		return Hold{}, err
	case len(standing) == 0:
		return Hold{}, errs.New(errs.HoldNotPlaced, "%s", errs.Meaning(errs.HoldNotPlaced))
	case len(standing) > 1:
		return Hold{}, errs.Invalid(errs.Field{Path: "reason_code", Code: "required", Message: "several holds of this kind stand; name the reason of the one to lift, and its matter"})
	}
	return standing[0].lift(ctx, tx)
}

// reviewed is a date as the database keeps it.
func reviewed(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Millisecond))
}

func (h Hold) lift(ctx context.Context, tx *db.Tx) (Hold, error) {
	by, now := tx.Actor().String(), tx.Now()
	h.LiftedBy, h.LiftedAt = &by, &now
	_, err := tx.Exec(ctx, "update holds set lifted_by = $3, lifted_at = $4 where tenant_id = $1 and id = $2", tx.Tenant(), h.ID, by, now)
	if err != nil {
		return Hold{}, fmt.Errorf("lift hold: %w", err)
	}
	return h, h.settle(ctx, tx, "hold.lifted")
}

// lock holds the person until the transaction ends: nobody erases, and nobody submits. It gives
// whether a job is erasing the person.
func (in Input) lock(ctx context.Context, tx *db.Tx) (bool, error) {
	var erasing bool
	err := tx.QueryRow(ctx, "select erasing from users where tenant_id = $1 and id = $2 for update", tx.Tenant(), in.SubjectID).Scan(&erasing)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, errNoSubject
	}
	if err != nil {
		return false, fmt.Errorf("lock the person of a hold: %w", err)
	}
	if tx.Actor().Is(in.SubjectID) {
		return false, errs.New(errs.FourEyesRequired, "It concerns yourself; somebody else has to place or lift it.")
	}
	return erasing, people.RequireReach(ctx, tx, in.SubjectID)
}

// checkSubmission looks for the named submission among the person's.
func (in Input) checkSubmission(ctx context.Context, tx *db.Tx) error {
	if in.SubmissionID == nil {
		return nil
	}
	var exists bool
	err := tx.QueryRow(ctx, "select exists (select from submissions where tenant_id = $1 and id = $2 and user_id = $3)",
		tx.Tenant(), *in.SubmissionID, in.SubjectID).Scan(&exists)
	if err != nil {
		return fmt.Errorf("find the submission of a hold: %w", err)
	}
	if !exists {
		return errNoSubmission
	}
	return nil
}

// standing gives the holds in force that in names.
func (in Input) standing(ctx context.Context, tx *db.Tx) ([]Hold, error) {
	var rows []models.Hold
	query := tx.NewSelect().Model(&rows).Where("h.tenant_id = ? and h.subject_id = ? and h.kind = ? and h.lifted_at is null", tx.Tenant(), in.SubjectID, in.Kind).
		Where("h.submission_id is not distinct from ?::uuid", in.SubmissionID)
	if in.ReasonCode != "" {
		query = query.Where("h.reason_code = ?", in.ReasonCode)
	}
	if in.Matter != "" {
		query = query.Where("h.matter = ?", in.Matter)
	}
	err := query.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find hold: %w", err)
	}
	found := make([]Hold, 0, len(rows))
	for _, row := range rows {
		found = append(found, holdOf(row))
	}
	return found, nil
}

// They compute the flags of the person and of the submissions from the holds in force.
const (
	settleUserSQL = `
		update users u set restricted = s.restricted, held = s.held
		from (select coalesce(bool_or(kind = 'processing'), false) as restricted, coalesce(bool_or(submission_id is null), false) as held
			from holds where tenant_id = $1 and subject_id = $2 and lifted_at is null) s
		where u.tenant_id = $1 and u.id = $2`
	settleSubmissionsSQL = `
		with standing as materialized (
			select submission_id from holds where tenant_id = $1 and subject_id = $2 and lifted_at is null
		), wanted as materialized (
			select s.id, exists (select from standing h where h.submission_id is null or h.submission_id = s.id) as held
			from submissions s where s.tenant_id = $1 and s.user_id = $2
		)
		update submissions s set hold_flag = w.held from wanted w
		where s.tenant_id = $1 and s.user_id = $2 and s.id = w.id and s.hold_flag <> w.held`
)

// settle brings person and submissions in line with the holds in force, other org units' holds
// included, and records what happened.
func (h Hold) settle(ctx context.Context, tx *db.Tx, event string) error {
	err := tx.AcrossOrgUnits(ctx, func() error {
		_, err := tx.Exec(ctx, settleUserSQL, tx.Tenant(), h.SubjectID)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, settleSubmissionsSQL, tx.Tenant(), h.SubjectID)
		return err
	})
	if err != nil {
		return fmt.Errorf("settle holds: %w", err)
	}
	payload := map[string]any{"holdId": h.ID, "kind": h.Kind, "reasonCode": h.ReasonCode}
	if h.SubmissionID != nil {
		payload["submissionId"] = *h.SubmissionID
	}
	if h.Matter != "" {
		payload["matter"] = h.Matter
	}
	if h.ReviewAt != nil && event == "hold.placed" {
		payload["reviewAt"] = *h.ReviewAt
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: event, SubjectType: "user", SubjectID: h.SubjectID, Payload: payload})
}
