package exception

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
	"assess/pkg/trust/readiness"
)

// TriageInput changes what it names and leaves the rest; Clear empties fields.
type TriageInput struct {
	UpdatedAt       *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	State           string     `json:"state,omitempty" enum:"open,acknowledged,resolved" doc:"resolved holds until the next look at the submission finds the issue there"`
	OwnerUserID     *ids.ID    `json:"ownerUserId,omitempty" doc:"Who looks after it"`
	SuppressedUntil *time.Time `json:"suppressedUntil,omitempty" doc:"Leave it out of the list until then"`
	Clear           []string   `json:"clear,omitempty" nullable:"false" maxItems:"2" enum:"ownerUserId,suppressedUntil" doc:"Fields to empty"`
}

var clearable = []string{"ownerUserId", "suppressedUntil"}

// over checks a change and applies it to what was there. Errors: validation_failed, subject_erased of an
// owner.
func (in TriageInput) over(ctx context.Context, tx *db.Tx, unit ids.ID, was Triage) (Triage, error) {
	bad := errs.OneOf("state", in.State, States)
	add := func(path, code, message string) {
		bad = append(bad, errs.Field{Path: path, Code: code, Message: message})
	}
	if in.State == "" && in.OwnerUserID == nil && in.SuppressedUntil == nil && len(in.Clear) == 0 {
		add("state", "required", "say what is to change: state, ownerUserId, suppressedUntil or clear")
	}
	if in.SuppressedUntil != nil && (!in.SuppressedUntil.After(tx.Now()) || in.SuppressedUntil.Year() > 9999) {
		add("suppressedUntil", "out_of_range", "a time to come is meant")
	}
	for i, name := range in.Clear {
		at := fmt.Sprintf("clear[%d]", i)
		bad = append(bad, errs.OneOf(at, name, clearable)...)
		if name == "ownerUserId" && in.OwnerUserID != nil || name == "suppressedUntil" && in.SuppressedUntil != nil {
			add(at, "contradiction", "the field is set and emptied")
		}
	}
	if in.OwnerUserID != nil {
		err := people.RefuseErased(ctx, tx, *in.OwnerUserID)
		if err != nil {
			return Triage{}, err
		}
		found, err := ownerOf(ctx, tx, unit, *in.OwnerUserID)
		switch {
		case err != nil:
			return Triage{}, err
		case !found.active:
			add("ownerUserId", "unknown_user", "there is no such user")
		case !found.sees:
			add("ownerUserId", "not_allowed", "they may not see the exceptions of this org unit")
		}
	}
	if len(bad) > 0 {
		return Triage{}, errs.Invalid(bad...)
	}
	is := was
	if in.State != "" {
		is.State = in.State
	}
	if in.OwnerUserID != nil || slices.Contains(in.Clear, "ownerUserId") {
		is.OwnerUserID = in.OwnerUserID
	}
	if in.SuppressedUntil != nil || slices.Contains(in.Clear, "suppressedUntil") {
		is.SuppressedUntil = in.SuppressedUntil
	}
	return is, nil
}

// owner says what a user may do about an exception.
type owner struct{ active, sees bool }

const ownerSQL = `
select exists (select from users where tenant_id = $1 and id = $2 and status <> 'deactivated'),
	exists (select from user_roles r join role_capabilities c on c.tenant_id = $1 and c.role_id = r.role_id
		where r.tenant_id = $1 and r.user_id = $2 and c.capability = $4)
	and (exists (select from user_org_units where tenant_id = $1 and user_id = $2 and org_unit_id = $3)
		or exists (select from user_roles r join role_capabilities c on c.tenant_id = $1 and c.role_id = r.role_id
			where r.tenant_id = $1 and r.user_id = $2 and c.capability = $5))`

func ownerOf(ctx context.Context, tx *db.Tx, unit, user ids.ID) (owner, error) {
	var o owner
	err := tx.QueryRow(ctx, ownerSQL, tx.Tenant(), user, unit, string(capability.ExceptionsRead), string(capability.ScopeAll)).Scan(&o.active, &o.sees)
	if err != nil {
		return o, fmt.Errorf("find owner: %w", err)
	}
	return o, nil
}

// Work changes the triage of a submission. Capability: exceptions.triage. Errors: not_found,
// validation_failed, stale_update, conflict where the issue is cleared and the row would not stay
// resolved, four_eyes_required for one's own submission, subject_erased.
func Work(ctx context.Context, tx *db.Tx, submission ids.ID, in TriageInput) (Exception, error) {
	if err := tx.Require(capability.ExceptionsTriage); err != nil {
		return Exception{}, err
	}
	row, err := find(ctx, tx, submission, true)
	if err != nil {
		return Exception{}, err
	}
	if tx.Actor().Is(row.UserID) {
		return Exception{}, errs.New(errs.FourEyesRequired, "It is your own submission; somebody else has to look after it.")
	}
	if err := people.RefuseErased(ctx, tx, row.UserID); err != nil {
		return Exception{}, err
	}
	if err := db.Fresh(in.UpdatedAt, row.UpdatedAt); err != nil {
		return Exception{}, err
	}
	is, err := in.over(ctx, tx, row.OrgUnitID, triageOf(row))
	if err != nil {
		return Exception{}, err
	}
	if row.ReadinessState == string(readiness.Met) && is.State != models.ExceptionResolved {
		return Exception{}, errs.New(errs.Conflict, "The issue is cleared; there is nothing to open.")
	}
	row.State, row.OwnerUserID, row.SuppressedUntil, row.UpdatedAt = is.State, is.OwnerUserID, is.SuppressedUntil, tx.ChangedAt(row.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).Column("state", "owner_user_id", "suppressed_until", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return Exception{}, fmt.Errorf("triage exception: %w", err)
	}
	err = record(ctx, tx, "submission", row.SubmissionID, row.OrgUnitID, is)
	if err != nil {
		return Exception{}, err
	}
	return shownOne(ctx, tx, row)
}

// record writes the ledger event of a triage.
func record(ctx context.Context, tx *db.Tx, subject string, id, unit ids.ID, is Triage) error {
	return ledger.Append(ctx, tx, triaged(subject, id, unit, is))
}

func triaged(subject string, id, unit ids.ID, is Triage) ledger.Event {
	return ledger.Event{Type: "exception.triaged", SubjectType: subject, SubjectID: id, OrgUnit: unit,
		Payload: map[string]any{"state": is.State, "ownerUserId": is.OwnerUserID, "suppressedUntil": is.SuppressedUntil}}
}
