package lti

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Deployment is a place in a platform where the service was put.
type Deployment struct {
	ID           ids.ID    `json:"id"`
	PlatformID   ids.ID    `json:"platformId"`
	DeploymentID string    `json:"deploymentId" doc:"What the platform calls it"`
	Status       string    `json:"status" enum:"pending,allowed,blocked" doc:"Only what is allowed launches"`
	OrgUnitID    *ids.ID   `json:"orgUnitId,omitempty" doc:"Where its courses and people belong"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

func newDeployment(row models.LTIDeployment) Deployment {
	return Deployment{ID: row.ID, PlatformID: row.PlatformID, DeploymentID: row.DeploymentID, Status: row.Status, OrgUnitID: row.OrgUnitID,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

// DeploymentFilter chooses deployments.
type DeploymentFilter struct {
	PlatformID ids.ID `query:"platformId" json:"-" noun:"platform" doc:"Only those of this platform"`
	Status     string `query:"status" json:"-" enum:"pending,allowed,blocked" doc:"Only those in this state"`
	db.Page
}

// ListDeployments lists deployments, the newest first. It needs integrations.read or integrations.manage.
func ListDeployments(ctx context.Context, tx *db.Tx, filter DeploymentFilter) (db.List[Deployment], error) {
	err := mayRead(tx)
	if err == nil {
		err = errs.Invalid(errs.OneOf("status", filter.Status, []string{models.DeploymentPending, models.DeploymentAllowed, models.DeploymentBlocked})...)
	}
	if err != nil {
		return db.List[Deployment]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Deployment]{}, err
	}
	var rows []models.LTIDeployment
	q := tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant())
	if filter.PlatformID != ids.None {
		q = q.Where("platform_id = ?", filter.PlatformID)
	}
	if filter.Status != "" {
		q = q.Where("status = ?", filter.Status)
	}
	total, err := db.ReadPage(ctx, q, page, &rows, "id desc")
	if err != nil {
		return db.List[Deployment]{}, fmt.Errorf("list deployments: %w", err)
	}
	return db.NewList(mapAll(rows, newDeployment), page, total), nil
}

// AllowInput says to which org unit a deployment leads.
type AllowInput struct {
	OrgUnitID ids.ID `json:"orgUnitId" noun:"org-unit" doc:"Where its courses and people belong. It stays, once a course came from there"`
}

// AllowDeployment lets a deployment launch into an org unit: anyone who may set up activities there hands out evaluations of the
// org unit. It needs integrations.manage, and the org unit in reach. Errors: not_found, validation_failed.
func AllowDeployment(ctx context.Context, tx *db.Tx, id ids.ID, input AllowInput) (Deployment, error) {
	row, err := lockDeployment(ctx, tx, id)
	if err != nil {
		return Deployment{}, err
	}
	var there, used bool
	err = tx.QueryRow(ctx, `
		select exists (select from org_units where tenant_id = $1 and id = $2 and ($3 or id = $4)),
			exists (select from lti_contexts where tenant_id = $1 and deployment_id = $5 and org_unit_id <> $2)`,
		tx.Tenant(), input.OrgUnitID, tx.Scope().All, ids.Ref(tx.Scope().OrgUnit), id).Scan(&there, &used)
	switch {
	case err != nil:
		return Deployment{}, fmt.Errorf("look for org unit: %w", err)
	case !there:
		return Deployment{}, errs.Invalid(errs.Field{Path: "orgUnitId", Code: "unknown_org_unit", Message: "there is no such org unit in your scope"})
	case used:
		return Deployment{}, errs.Invalid(errs.Field{Path: "orgUnitId", Code: "in_use", Message: "courses of this deployment belong to another org unit already"})
	}
	row.OrgUnitID = &input.OrgUnitID
	return setDeployment(ctx, tx, row, models.DeploymentAllowed)
}

// BlockDeployment keeps a deployment from launching. It needs integrations.manage. Errors: not_found.
func BlockDeployment(ctx context.Context, tx *db.Tx, id ids.ID) (Deployment, error) {
	row, err := lockDeployment(ctx, tx, id)
	if err != nil {
		return Deployment{}, err
	}
	return setDeployment(ctx, tx, row, models.DeploymentBlocked)
}

func lockDeployment(ctx context.Context, tx *db.Tx, id ids.ID) (models.LTIDeployment, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return models.LTIDeployment{}, err
	}
	_, err = tx.Exec(ctx, "select from lti_deployments where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return models.LTIDeployment{}, fmt.Errorf("lock deployment: %w", err)
	}
	return findRow[models.LTIDeployment](ctx, tx, "deployment", "id = ?", id)
}

func setDeployment(ctx context.Context, tx *db.Tx, row models.LTIDeployment, status string) (Deployment, error) {
	row.Status, row.UpdatedAt = status, tx.ChangedAt(row.UpdatedAt)
	_, err := tx.Exec(ctx, "update lti_deployments set status = $3, joined_id = $4, updated_at = $5 where tenant_id = $1 and id = $2",
		tx.Tenant(), row.ID, row.Status, row.OrgUnitID, row.UpdatedAt)
	if err != nil {
		return Deployment{}, fmt.Errorf("change deployment: %w", err)
	}
	return newDeployment(row), ledger.Append(ctx, tx, ledger.Event{Type: "lti_deployment." + status, SubjectType: "lti_deployment", SubjectID: row.ID,
		OrgUnit: db.OrZero(row.OrgUnitID), Payload: map[string]any{"platformId": row.PlatformID}})
}

// deploymentOf finds the deployment of a launch. One that nobody knows is written down, for an administrator to see.
// Errors: lti_launch_refused unless it is allowed.
func (d *Desk) deploymentOf(ctx context.Context, platform models.LTIPlatform, name string) (models.LTIDeployment, error) {
	var row models.LTIDeployment
	err := d.store.Write(ctx, db.System(platform.TenantID, "lti"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into lti_deployments (tenant_id, id, platform_id, deployment_id, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
			on conflict do nothing`, tx.Tenant(), ids.New(), platform.ID, name, tx.Now())
		if err != nil {
			return fmt.Errorf("write down a deployment: %w", err)
		}
		row, err = findRow[models.LTIDeployment](ctx, tx, "deployment", "platform_id = ? and deployment_id = ?", platform.ID, name)
		return err
	})
	if err == nil && row.Status != models.DeploymentAllowed {
		err = refused(unknownDeployment, "The learning platform is connected, but nobody has let this deployment of it in. An administrator here allows it, and then it works.")
	}
	return row, err
}
