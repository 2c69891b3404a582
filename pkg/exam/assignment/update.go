package assignment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Patch changes what it names and leaves the rest; Clear empties fields. Target and run
// label never change: sessions have copied them.
type Patch struct {
	UpdatedAt    *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Status       *string    `json:"status,omitempty" enum:"active,closed" doc:"closed takes no redemptions and no starts; running sessions go on"`
	ValidFrom    *time.Time `json:"validFrom,omitempty" doc:"No redemption and no start before"`
	ValidUntil   *time.Time `json:"validUntil,omitempty" doc:"No redemption and no start from then on"`
	SubjectID    *ids.ID    `json:"subjectId,omitempty" noun:"subject" doc:"What it is about"`
	EngagementID *ids.ID    `json:"engagementId,omitempty" noun:"engagement" doc:"What it belongs to"`
	Clear        []string   `json:"clear,omitempty" nullable:"false" maxItems:"10" enum:"validFrom,validUntil,subjectId,engagementId" doc:"Fields to empty"`
}

// Update changes the window, the links or the status of an assignment. It needs
// assignments.manage. Closing it makes the links in its invitations worthless. Errors:
// not_found, subject_erased, stale_update, validation_failed, duplicate_assignment when another one has
// taken its place, archived and not_published when it is opened again, four_eyes_required where
// it reaches the actor and gives them another window.
func Update(ctx context.Context, tx *db.Tx, id ids.ID, patch Patch) (Assignment, error) {
	err := tx.Require(capability.AssignmentsManage)
	if err != nil {
		return Assignment{}, err
	}
	row, err := findForChange(ctx, tx, id)
	if err != nil {
		return Assignment{}, err
	}
	err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return Assignment{}, err
	}
	was := row
	bad := patch.apply(&row)
	err = errs.Invalid(append(bad, checkWindow(row.ValidFrom, row.ValidUntil)...)...)
	if err != nil {
		return Assignment{}, err
	}
	err = refuseOwnTerms(ctx, tx, was, row)
	if err != nil {
		return Assignment{}, err
	}
	err = checkChange(ctx, tx, row, was.Status)
	if err != nil {
		return Assignment{}, err
	}
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).WherePK().Exec(ctx)
	if err != nil {
		return Assignment{}, fmt.Errorf("update assignment: %w", err)
	}
	_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'assignment', $2, $3)",
		tx.Tenant(), id, tx.Now())
	if err != nil {
		return Assignment{}, fmt.Errorf("queue assignment: %w", err)
	}
	err = ledger.Append(ctx, tx, eventOf("updated", row))
	if err != nil {
		return Assignment{}, err
	}
	return showOne(ctx, tx, row)
}

func (p Patch) apply(row *models.Assignment) []errs.Field {
	var bad []errs.Field
	clearable := map[string]func(){
		"validFrom": func() { row.ValidFrom = nil }, "validUntil": func() { row.ValidUntil = nil },
		"subjectId": func() { row.SubjectID = nil }, "engagementId": func() { row.EngagementID = nil },
	}
	for i, field := range p.Clear {
		empty, known := clearable[field]
		if !known {
			bad = append(bad, errs.Field{Path: "clear[" + strconv.Itoa(i) + "]", Code: "invalid_choice", Message: "this field cannot be emptied"})
			continue
		}
		empty()
	}
	set(&row.ValidFrom, p.ValidFrom)
	set(&row.ValidUntil, p.ValidUntil)
	set(&row.SubjectID, p.SubjectID)
	set(&row.EngagementID, p.EngagementID)
	if p.Status == nil {
		return bad
	}
	if *p.Status != models.AssignmentActive && *p.Status != models.AssignmentClosed {
		bad = append(bad, errs.Field{Path: "status", Code: "invalid_choice", Message: "expected active or closed"})
	}
	row.Status = *p.Status
	return bad
}

func set[T any](field **T, value *T) {
	if value != nil {
		*field = value
	}
}

// checkChange checks the things that the change depends on: the evaluation of an assignment that
// opens again, subject and engagement; and withdraws the links of one that closes.
func checkChange(ctx context.Context, tx *db.Tx, row models.Assignment, was string) error {
	terms := Terms{EvaluationID: row.EvaluationID, SubjectID: row.SubjectID, EngagementID: row.EngagementID}
	if row.Status == models.AssignmentActive && was != models.AssignmentActive {
		return terms.check(ctx, tx, row.OrgUnitID)
	}
	if row.Status == models.AssignmentClosed {
		_, err := tx.Exec(ctx, "delete from magic_links where tenant_id = $1 and assignment_id = $2 and redeemed_at is null",
			tx.Tenant(), row.ID)
		if err != nil {
			return fmt.Errorf("withdraw links: %w", err)
		}
	}
	var subject, engagement bool
	err := tx.QueryRow(ctx, `
		select $3::uuid is null or exists (select from subjects where tenant_id = $1 and org_unit_id = $2 and id = $3),
			$4::uuid is null or exists (select from engagements where tenant_id = $1 and org_unit_id = $2 and id = $4)`,
		tx.Tenant(), row.OrgUnitID, row.SubjectID, row.EngagementID).Scan(&subject, &engagement)
	if err != nil {
		return fmt.Errorf("look up subject and engagement: %w", err)
	}
	return checkLinks(subject, engagement)
}

// Rotated is a new token.
type Rotated struct {
	ID    ids.ID `json:"id"`
	Token string `json:"token" doc:"Redeems the assignment; shown this once"`
}

// RotateToken gives an assignment a new token; the old one no longer works. It needs
// assignments.manage. Errors: not_found, subject_erased.
func RotateToken(ctx context.Context, tx *db.Tx, id ids.ID) (Rotated, error) {
	err := tx.Require(capability.AssignmentsManage)
	if err != nil {
		return Rotated{}, err
	}
	row, err := findForChange(ctx, tx, id)
	if err != nil {
		return Rotated{}, err
	}
	token, hash := newToken()
	_, err = tx.Exec(ctx, "update assignments set token_hash = $3, updated_at = $4 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, hash, tx.ChangedAt(row.UpdatedAt))
	if err != nil {
		return Rotated{}, fmt.Errorf("rotate token: %w", err)
	}
	return Rotated{id, token}, ledger.Append(ctx, tx, eventOf("token_rotated", row))
}
