package programme

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
)

// SubjectInput describes a subject.
type SubjectInput struct {
	ExternalID string         `json:"externalId" minLength:"1" maxLength:"200" doc:"Your own id, unique in the org unit" example:"site-17"`
	Name       string         `json:"name" minLength:"1" maxLength:"200" example:"Harbour site"`
	Kind       string         `json:"kind,omitempty" maxLength:"100" doc:"A word of your own" example:"site"`
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Attributes of the organisation's own; at most 32 KiB as JSON"`
}

// SubjectPatch changes what it names and leaves the rest. Metadata is replaced as a whole.
type SubjectPatch struct {
	UpdatedAt  *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID *string         `json:"externalId,omitempty" maxLength:"200"`
	Name       *string         `json:"name,omitempty" maxLength:"200"`
	Kind       *string         `json:"kind,omitempty" maxLength:"100"`
	Metadata   *map[string]any `json:"metadata,omitempty"`
}

// Subject is who or what work is about.
type Subject struct {
	ID         ids.ID         `json:"id"`
	ExternalID string         `json:"externalId"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	CreatedAt  time.Time      `json:"createdAt"`
	UpdatedAt  time.Time      `json:"updatedAt"`
}

// SubjectFilter narrows a list of subjects; zero values do not.
type SubjectFilter struct {
	Kind       string `query:"kind" maxLength:"100" doc:"Only subjects of this kind"`
	ExternalID string `query:"externalId" maxLength:"200" doc:"Only the subject of this external id"`
	db.Page
}

// CreateSubject adds a subject to the org unit. It needs subjects.manage. Errors:
// validation_failed, external_id_taken.
func CreateSubject(ctx context.Context, tx *db.Tx, in SubjectInput) (Subject, error) {
	org, err := begin(tx, in.problems())
	if err != nil {
		return Subject{}, err
	}
	row := in.row(tx, org)
	return subjectOf(row), insert(ctx, tx, &row, subjectEvent("created", row.ID, org))
}

// GetSubject reads a subject. It needs subjects.manage. Errors: not_found.
func GetSubject(ctx context.Context, tx *db.Tx, id ids.ID) (Subject, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Subject{}, err
	}
	row, err := find[models.Subject](ctx, tx, "subject", id, "")
	if err != nil {
		return Subject{}, err
	}
	return subjectOf(row), nil
}

// ListSubjects lists subjects, newest change first. It needs subjects.manage.
func ListSubjects(ctx context.Context, tx *db.Tx, filter SubjectFilter) (db.List[Subject], error) {
	return list(ctx, tx, filter.Page, subjectOf, db.Only("kind", filter.Kind), db.Only("external_id", filter.ExternalID))
}

// ExportSubjects gives up to limit subjects of the org unit after one, in the order in which they were made. It needs
// subjects.manage.
func ExportSubjects(ctx context.Context, tx *db.Tx, after ids.ID, limit int) ([]Subject, error) {
	org, err := begin(tx, nil)
	if err != nil {
		return nil, err
	}
	var rows []models.Subject
	err = tx.NewSelect().Model(&rows).Where("?TableAlias.tenant_id = ?", tx.Tenant()).
		Where("?TableAlias.org_unit_id::text = ?::uuid::text", org). // the page goes by the primary key
		Where("?TableAlias.id > ?", after).OrderExpr("?TableAlias.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("export subjects: %w", err)
	}
	all := make([]Subject, len(rows))
	for i, row := range rows {
		all[i] = subjectOf(row)
	}
	return all, nil
}

// UpdateSubject changes a subject. It needs subjects.manage. Errors: not_found,
// stale_update, validation_failed, external_id_taken.
func UpdateSubject(ctx context.Context, tx *db.Tx, id ids.ID, patch SubjectPatch) (Subject, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return Subject{}, err
	}
	row, err := find[models.Subject](ctx, tx, "subject", id, "no key update")
	if err != nil {
		return Subject{}, err
	}
	err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return Subject{}, err
	}
	in := patch.over(SubjectInput{ExternalID: row.ExternalID, Name: row.Name, Kind: row.Kind, Metadata: row.Metadata})
	err = errs.Invalid(in.problems()...)
	if err != nil {
		return Subject{}, err
	}
	changed := in.row(tx, row.OrgUnitID)
	changed.ID, changed.CreatedAt, changed.UpdatedAt = row.ID, row.CreatedAt, tx.ChangedAt(row.UpdatedAt)
	return subjectOf(changed), update(ctx, tx, &changed, subjectEvent("updated", id, row.OrgUnitID))
}

// begin is how every create starts: it gives the org unit of the new record.
func begin(tx *db.Tx, problems []errs.Field) (ids.ID, error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return ids.None, err
	}
	err = errs.Invalid(problems...)
	if err != nil {
		return ids.None, err
	}
	return tx.HomeOrgUnit()
}

func (in SubjectInput) problems() []errs.Field {
	return slices.Concat(errs.Line("externalId", in.ExternalID, maxExternalID, true), errs.Line("name", in.Name, maxName, true),
		errs.Line("kind", in.Kind, maxKind, false), checkMetadata(in.Metadata))
}

func (p SubjectPatch) over(in SubjectInput) SubjectInput {
	set(&in.ExternalID, p.ExternalID)
	set(&in.Name, p.Name)
	set(&in.Kind, p.Kind)
	set(&in.Metadata, p.Metadata)
	return in
}

func (in SubjectInput) row(tx *db.Tx, org ids.ID) models.Subject {
	row := models.Subject{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, ExternalID: trimmed(in.ExternalID),
		Name: trimmed(in.Name), Kind: trimmed(in.Kind), Metadata: in.Metadata, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if row.Metadata == nil {
		row.Metadata = map[string]any{}
	}
	return row
}

func subjectOf(row models.Subject) Subject {
	if row.Metadata == nil {
		row.Metadata = map[string]any{}
	}
	return Subject{ID: row.ID, ExternalID: row.ExternalID, Name: row.Name, Kind: row.Kind, Metadata: row.Metadata,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func subjectEvent(what string, id, org ids.ID) ledger.Event {
	return ledger.Event{Type: "subject." + what, SubjectType: "subject", SubjectID: id, OrgUnit: org}
}
