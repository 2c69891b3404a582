package programme

import (
	"context"
	"strconv"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// EngagementInput describes an engagement.
type EngagementInput struct {
	ExternalID string     `json:"externalId,omitempty" maxLength:"200" doc:"Your own id, unique in the org unit" example:"audit-2031"`
	Name       string     `json:"name" minLength:"1" maxLength:"200" example:"Audit 2031"`
	SubjectID  *ids.ID    `json:"subjectId,omitempty" noun:"subject" doc:"Whom or what it is about"`
	Status     string     `json:"status,omitempty" enum:"open,closed" doc:"Default open"`
	StartsAt   *time.Time `json:"startsAt,omitempty" doc:"When it begins"`
	EndsAt     *time.Time `json:"endsAt,omitempty" doc:"Later than startsAt"`
}

// EngagementPatch changes what it names and leaves the rest; Clear empties fields.
type EngagementPatch struct {
	UpdatedAt  *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID *string    `json:"externalId,omitempty" maxLength:"200" doc:"Empty takes it away"`
	Name       *string    `json:"name,omitempty" maxLength:"200"`
	SubjectID  *ids.ID    `json:"subjectId,omitempty" noun:"subject" doc:"Whom or what it is about"`
	Status     *string    `json:"status,omitempty" enum:"open,closed"`
	StartsAt   *time.Time `json:"startsAt,omitempty" doc:"When it begins"`
	EndsAt     *time.Time `json:"endsAt,omitempty" doc:"Later than startsAt"`
	Clear      []string   `json:"clear,omitempty" nullable:"false" maxItems:"10" enum:"subjectId,startsAt,endsAt" doc:"Fields to empty"`
}

// Engagement is a piece of work.
type Engagement struct {
	ID         ids.ID     `json:"id"`
	ExternalID string     `json:"externalId,omitempty"`
	Name       string     `json:"name"`
	SubjectID  *ids.ID    `json:"subjectId"`
	Status     string     `json:"status" enum:"open,closed"`
	StartsAt   *time.Time `json:"startsAt"`
	EndsAt     *time.Time `json:"endsAt"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// EngagementFilter narrows a list of engagements; zero values do not.
type EngagementFilter struct {
	Status     string `query:"status" enum:"open,closed" doc:"Only engagements of this status"`
	ExternalID string `query:"externalId" maxLength:"200" doc:"Only the engagement of this external id"`
	SubjectID  ids.ID `query:"subjectId" noun:"subject" doc:"Only engagements about this subject"`
	db.Page
}

// CreateEngagement adds an engagement to the org unit. It needs subjects.manage. Errors:
// validation_failed, external_id_taken.
func CreateEngagement(ctx context.Context, tx *db.Tx, in EngagementInput) (Engagement, error) {
	org, err := begin(tx, in.problems())
	if err != nil {
		return Engagement{}, err
	}
	err = in.checkSubject(ctx, tx, org)
	if err != nil {
		return Engagement{}, err
	}
	row := in.row(tx, org)
	return engagementOf(row), insert(ctx, tx, &row, engagementEvent("created", row))
}

// GetEngagement reads an engagement. It needs subjects.manage. Errors: not_found.
func GetEngagement(ctx context.Context, tx *db.Tx, id ids.ID) (Engagement, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Engagement{}, err
	}
	row, err := find[models.Engagement](ctx, tx, "engagement", id, "")
	if err != nil {
		return Engagement{}, err
	}
	return engagementOf(row), nil
}

// ListEngagements lists engagements, newest change first. It needs subjects.manage.
func ListEngagements(ctx context.Context, tx *db.Tx, filter EngagementFilter) (db.List[Engagement], error) {
	return list(ctx, tx, filter.Page, engagementOf, db.Only("status", filter.Status),
		db.Only("external_id", filter.ExternalID), db.Only("subject_id", filter.SubjectID))
}

// UpdateEngagement changes an engagement. It needs subjects.manage. Errors: not_found,
// stale_update, validation_failed, external_id_taken.
func UpdateEngagement(ctx context.Context, tx *db.Tx, id ids.ID, patch EngagementPatch) (Engagement, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Engagement{}, err
	}
	row, err := find[models.Engagement](ctx, tx, "engagement", id, "no key update")
	if err != nil {
		return Engagement{}, err
	}
	err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return Engagement{}, err
	}
	in, bad := patch.over(EngagementInput{ExternalID: orEmpty(row.ExternalID), Name: row.Name, SubjectID: row.SubjectID,
		Status: row.Status, StartsAt: row.StartsAt, EndsAt: row.EndsAt})
	err = errs.Invalid(append(bad, in.problems()...)...)
	if err != nil {
		return Engagement{}, err
	}
	err = in.checkSubject(ctx, tx, row.OrgUnitID)
	if err != nil {
		return Engagement{}, err
	}
	changed := in.row(tx, row.OrgUnitID)
	changed.ID, changed.CreatedAt, changed.UpdatedAt = row.ID, row.CreatedAt, tx.ChangedAt(row.UpdatedAt)
	return engagementOf(changed), update(ctx, tx, &changed, engagementEvent("updated", changed))
}

func (in EngagementInput) problems() []errs.Field {
	bad := append(errs.Line("externalId", in.ExternalID, maxExternalID, false), errs.Line("name", in.Name, maxName, true)...)
	if in.Status != "" {
		bad = append(bad, checkChoice("status", in.Status, engagementStates)...)
	}
	return append(bad, checkPeriod(in.StartsAt, in.EndsAt)...)
}

func (in EngagementInput) checkSubject(ctx context.Context, tx *db.Tx, org ids.ID) error {
	if in.SubjectID == nil {
		return nil
	}
	there, err := refers(ctx, tx, "subjects", org, *in.SubjectID)
	if err != nil || there {
		return err
	}
	return errs.Invalid(errs.Field{Path: "subjectId", Code: "unknown_subject", Message: "there is no such subject in the org unit"})
}

func (p EngagementPatch) over(in EngagementInput) (EngagementInput, []errs.Field) {
	var bad []errs.Field
	for i, field := range p.Clear {
		switch field {
		case "subjectId":
			in.SubjectID = nil
		case "startsAt":
			in.StartsAt = nil
		case "endsAt":
			in.EndsAt = nil
		default:
			bad = append(bad, unclearable(i))
		}
	}
	set(&in.ExternalID, p.ExternalID)
	set(&in.Name, p.Name)
	set(&in.Status, p.Status)
	for field, value := range map[**time.Time]*time.Time{&in.StartsAt: p.StartsAt, &in.EndsAt: p.EndsAt} {
		if value != nil {
			*field = value
		}
	}
	if p.SubjectID != nil {
		in.SubjectID = p.SubjectID
	}
	return in, bad
}

func unclearable(i int) errs.Field {
	return errs.Field{Path: "clear[" + strconv.Itoa(i) + "]", Code: "invalid_choice", Message: "this field cannot be emptied"}
}

func (in EngagementInput) row(tx *db.Tx, org ids.ID) models.Engagement {
	if in.Status == "" {
		in.Status = models.EngagementOpen
	}
	return models.Engagement{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, ExternalID: optional(in.ExternalID),
		Name: trimmed(in.Name), SubjectID: in.SubjectID, Status: in.Status, StartsAt: in.StartsAt, EndsAt: in.EndsAt,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
}

func engagementOf(row models.Engagement) Engagement {
	return Engagement{ID: row.ID, ExternalID: orEmpty(row.ExternalID), Name: row.Name, SubjectID: row.SubjectID,
		Status: row.Status, StartsAt: db.UTC(row.StartsAt), EndsAt: db.UTC(row.EndsAt),
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func engagementEvent(what string, row models.Engagement) ledger.Event {
	return ledger.Event{Type: "engagement." + what, SubjectType: "engagement", SubjectID: row.ID, OrgUnit: row.OrgUnitID,
		Payload: map[string]any{"status": row.Status, "subjectId": row.SubjectID}}
}
