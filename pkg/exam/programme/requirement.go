package programme

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// RequirementInput describes a programme requirement.
type RequirementInput struct {
	ExternalID   string `json:"externalId,omitempty" maxLength:"200" doc:"Your own id, unique in the org unit" example:"welding-2"`
	Programme    string `json:"programme" minLength:"1" maxLength:"200" doc:"The programme that asks for it" example:"Welding certificate"`
	Name         string `json:"name" minLength:"1" maxLength:"200" example:"Theory"`
	EvaluationID ids.ID `json:"evaluationId" noun:"evaluation" doc:"The evaluation that fulfils it"`
	Status       string `json:"status,omitempty" enum:"active,retired" doc:"Default active"`
}

// RequirementPatch changes what it names and leaves the rest.
type RequirementPatch struct {
	UpdatedAt    *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID   *string    `json:"externalId,omitempty" maxLength:"200" doc:"Empty takes it away"`
	Programme    *string    `json:"programme,omitempty" maxLength:"200"`
	Name         *string    `json:"name,omitempty" maxLength:"200"`
	EvaluationID *ids.ID    `json:"evaluationId,omitempty" noun:"evaluation" doc:"The evaluation that fulfils it"`
	Status       *string    `json:"status,omitempty" enum:"active,retired"`
}

// Requirement says that a programme requires an evaluation.
type Requirement struct {
	ID           ids.ID    `json:"id"`
	ExternalID   string    `json:"externalId,omitempty"`
	Programme    string    `json:"programme"`
	Name         string    `json:"name"`
	EvaluationID ids.ID    `json:"evaluationId"`
	Status       string    `json:"status" enum:"active,retired"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// RequirementFilter narrows a list of requirements; zero values do not.
type RequirementFilter struct {
	Programme    string `query:"programme" maxLength:"200" doc:"Only requirements of this programme"`
	Status       string `query:"status" enum:"active,retired" doc:"Only requirements of this status"`
	EvaluationID ids.ID `query:"evaluationId" noun:"evaluation" doc:"Only requirements that ask for this evaluation"`
	db.Page
}

// CreateRequirement adds a programme requirement to the org unit. It needs
// subjects.manage. Errors: validation_failed, external_id_taken, archived.
func CreateRequirement(ctx context.Context, tx *db.Tx, in RequirementInput) (Requirement, error) {
	org, err := begin(tx, in.problems())
	if err != nil {
		return Requirement{}, err
	}
	err = in.checkEvaluation(ctx, tx, org)
	if err != nil {
		return Requirement{}, err
	}
	row := in.row(tx, org)
	return requirementOf(row), insert(ctx, tx, &row, requirementEvent("created", row))
}

// GetRequirement reads a programme requirement. It needs subjects.manage. Errors:
// not_found.
func GetRequirement(ctx context.Context, tx *db.Tx, id ids.ID) (Requirement, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Requirement{}, err
	}
	row, err := find[models.ProgrammeRequirement](ctx, tx, "programme requirement", id, "")
	if err != nil {
		return Requirement{}, err
	}
	return requirementOf(row), nil
}

// ListRequirements lists programme requirements, newest change first. It needs
// subjects.manage.
func ListRequirements(ctx context.Context, tx *db.Tx, filter RequirementFilter) (db.List[Requirement], error) {
	return list(ctx, tx, filter.Page, requirementOf, db.Only("programme", filter.Programme), db.Only("status", filter.Status),
		db.Only("evaluation_id", filter.EvaluationID))
}

// UpdateRequirement changes a programme requirement. It needs subjects.manage. Errors:
// not_found, stale_update, validation_failed, external_id_taken, archived.
func UpdateRequirement(ctx context.Context, tx *db.Tx, id ids.ID, patch RequirementPatch) (Requirement, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Requirement{}, err
	}
	row, err := find[models.ProgrammeRequirement](ctx, tx, "programme requirement", id, "no key update")
	if err != nil {
		return Requirement{}, err
	}
	err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return Requirement{}, err
	}
	in := patch.over(RequirementInput{ExternalID: orEmpty(row.ExternalID), Programme: row.Programme, Name: row.Name,
		EvaluationID: row.EvaluationID, Status: row.Status})
	err = errs.Invalid(in.problems()...)
	if err == nil && in.EvaluationID != row.EvaluationID {
		err = in.checkEvaluation(ctx, tx, row.OrgUnitID)
	}
	if err != nil {
		return Requirement{}, err
	}
	changed := in.row(tx, row.OrgUnitID)
	changed.ID, changed.CreatedAt, changed.UpdatedAt = row.ID, row.CreatedAt, tx.ChangedAt(row.UpdatedAt)
	return requirementOf(changed), update(ctx, tx, &changed, requirementEvent("updated", changed))
}

func (in RequirementInput) problems() []errs.Field {
	bad := slices.Concat(errs.Line("externalId", in.ExternalID, maxExternalID, false),
		errs.Line("programme", in.Programme, maxName, true), errs.Line("name", in.Name, maxName, true))
	if in.Status != "" {
		bad = append(bad, checkChoice("status", in.Status, requirementStates)...)
	}
	return bad
}

// checkEvaluation locks the evaluation, so that it is not archived while the requirement is being written.
func (in RequirementInput) checkEvaluation(ctx context.Context, tx *db.Tx, org ids.ID) error {
	var status string
	err := tx.QueryRow(ctx, "select status from evaluations where tenant_id = $1 and id = $2 and org_unit_id = $3 for share",
		tx.Tenant(), in.EvaluationID, org).Scan(&status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errs.Invalid(errs.Field{Path: "evaluationId", Code: "unknown_evaluation",
			Message: "there is no such evaluation in the org unit"})
	case err != nil:
		return fmt.Errorf("look up evaluation: %w", err)
	case status == models.AuthoringArchived:
		return errs.New(errs.Archived, "The evaluation is archived; nothing new can ask for it.")
	}
	return nil
}

func (p RequirementPatch) over(in RequirementInput) RequirementInput {
	set(&in.ExternalID, p.ExternalID)
	set(&in.Programme, p.Programme)
	set(&in.Name, p.Name)
	set(&in.EvaluationID, p.EvaluationID)
	set(&in.Status, p.Status)
	return in
}

func (in RequirementInput) row(tx *db.Tx, org ids.ID) models.ProgrammeRequirement {
	if in.Status == "" {
		in.Status = models.RequirementActive
	}
	return models.ProgrammeRequirement{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org,
		ExternalID: optional(in.ExternalID), Programme: trimmed(in.Programme), Name: trimmed(in.Name),
		EvaluationID: in.EvaluationID, Status: in.Status, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
}

func requirementOf(row models.ProgrammeRequirement) Requirement {
	return Requirement{ID: row.ID, ExternalID: orEmpty(row.ExternalID), Programme: row.Programme, Name: row.Name,
		EvaluationID: row.EvaluationID, Status: row.Status, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func requirementEvent(what string, row models.ProgrammeRequirement) ledger.Event {
	return ledger.Event{Type: "programme_requirement." + what, SubjectType: "programme_requirement", SubjectID: row.ID,
		OrgUnit: row.OrgUnitID, Payload: map[string]any{"status": row.Status, "evaluationId": row.EvaluationID}}
}
