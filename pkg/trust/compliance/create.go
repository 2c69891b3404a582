package compliance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/people/policy"
)

// Input is what somebody requests. Arguments are an object of ids and codes, as the kind takes them; nil
// for none.
type Input struct {
	Type      string
	SubjectID ids.ID
	Arguments json.RawMessage
	// Request is the request that the job carries out, and when its answer is due; nil for none.
	Request *Of
	// Again says that the job was done before, and a backup that was restored does not know of it.
	Again bool
}

// Of names a request of the register.
type Of struct {
	ID    ids.ID
	DueAt time.Time
}

// Decode reads the arguments into a struct. Errors: validation_failed for a field that the kind does not
// know, or of another type.
func (in Input) Decode(into any) error {
	if in.Arguments == nil {
		return nil
	}
	from := json.NewDecoder(bytes.NewReader(in.Arguments))
	from.DisallowUnknownFields()
	if err := from.Decode(into); err != nil {
		return errs.Invalid(errs.Field{Path: "arguments", Code: "invalid", Message: "this job type does not take them so"})
	}
	return nil
}

// Arguments encodes a struct for an Input.
func Arguments(v any) json.RawMessage {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic("compliance: arguments are ids and codes: " + err.Error())
	}
	return encoded
}

// Create stores a job and queues it, or does it at once where the kind says so. Capability: compliance.manage, over the whole tenant.
// Errors: forbidden, not_found for a person the tenant does not have, validation_failed with subject_id, step_up_required, and the errors
// of the kind's Check or of its steps.
func (c *Centre) Create(ctx context.Context, tx *db.Tx, in Input) (Job, error) {
	if err := RequireManager(tx); err != nil {
		return Job{}, err
	}
	row, err := c.create(ctx, tx, in)
	if err != nil {
		return Job{}, err
	}
	kind, err := c.kind(row.JobType)
	if err != nil {
		return Job{}, err
	}
	if kind.AtOnce {
		row, err = c.finish(ctx, tx, kind, row, false)
		if err == nil {
			err = store(ctx, tx, &row)
		}
		return c.view(row, nil, tx.Now()), err
	}
	return c.view(row, nil, tx.Now()), job.Insert(ctx, tx, Args{Tenant: tx.Tenant(), Job: row.ID})
}

// Preview does all that the job would do, and takes it back. Errors: as Create, and the errors of the steps.
func (c *Centre) Preview(ctx context.Context, tx *db.Tx, in Input) (Job, error) {
	if err := RequireManager(tx); err != nil {
		return Job{}, err
	}
	var shown Job
	err := tx.Rehearse(ctx, func() error {
		row, err := c.create(ctx, tx, in)
		if err != nil {
			return err
		}
		kind, err := c.kind(row.JobType)
		if err == nil {
			err = unlimited(ctx, tx)
		}
		if err == nil {
			row, err = c.finish(ctx, tx, kind, row, true)
		}
		if err != nil {
			return err
		}
		files, err := artifactsOf(ctx, tx, []ids.ID{row.ID})
		shown = c.view(row, files, tx.Now())
		return err
	})
	shown.DryRun = true
	return shown, err
}

// RequireManager requires the whole tenant: a person's data lie in every org unit that they were in.
func RequireManager(tx *db.Tx) error {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return err
	}
	return requireWhole(tx)
}

func requireWhole(tx *db.Tx) error {
	if tx.Scope().All {
		return nil
	}
	return errs.New(errs.Forbidden, "Compliance works on the whole tenant: this needs the capability %s.", capability.ScopeAll).
		With("capability", string(capability.ScopeAll))
}

func (c *Centre) create(ctx context.Context, tx *db.Tx, in Input) (models.ComplianceJob, error) {
	var row models.ComplianceJob
	kind, err := c.kind(in.Type)
	if err != nil {
		return row, errs.Invalid(errs.Field{Path: "job_type", Code: "out_of_range", Message: "there is no such job type"})
	}
	if err := requireSubject(ctx, tx, kind, in.SubjectID); err != nil {
		return row, err
	}
	if kind.Check == nil {
		if err := in.Decode(&struct{}{}); err != nil {
			return row, err
		}
	} else {
		if err := kind.Check(ctx, tx, in); err != nil {
			return row, err
		}
	}
	if err := kind.prove(ctx, tx, in); err != nil {
		return row, err
	}
	arguments := in.Arguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	row = models.ComplianceJob{TenantID: tx.Tenant(), ID: ids.New(), JobType: in.Type, Status: models.ComplianceQueued, SubjectID: ids.Ref(in.SubjectID),
		RequestedBy: tx.Actor().String(), Arguments: arguments, Counts: map[string]int64{}, Result: json.RawMessage("{}"), SLADueAt: tx.Now().Add(c.SLA),
		CreatedAt: tx.Now(), SteppedAt: tx.Now()}
	if in.Request != nil {
		row.RequestID, row.SLADueAt = &in.Request.ID, in.Request.DueAt
	}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return row, fmt.Errorf("store job: %w", err)
	}
	return row, Record(ctx, tx, row, Entry{State: Requested})
}

// prove comes last of the checks that may refuse a job, so that a refused one costs no proof.
func (k Kind) prove(ctx context.Context, tx *db.Tx, in Input) error {
	if k.Proof == nil {
		return nil
	}
	needed, err := k.Proof(ctx, tx, in)
	if err != nil || !needed {
		return err
	}
	return policy.Prove(ctx, tx)
}

// requireSubject refuses a person the tenant does not have, and a person for a kind that takes none.
// The row is locked as a foreign key would, so that the person is there until the job is stored.
func requireSubject(ctx context.Context, tx *db.Tx, kind Kind, subject ids.ID) error {
	bad := func(code, message string) error {
		return errs.Invalid(errs.Field{Path: "subject_id", Code: code, Message: message})
	}
	switch {
	case !kind.Subject && subject != ids.None:
		return bad("not_applicable", "this job is about no single person")
	case !kind.Subject:
		return nil
	case subject == ids.None:
		return bad("required", "say whom the job is about: the id of a user")
	}
	var one int
	err := tx.QueryRow(ctx, "select 1 from users where tenant_id = $1 and id = $2 for key share", tx.Tenant(), subject).Scan(&one)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "There is no such user.")
	}
	if err != nil {
		return fmt.Errorf("find the subject of a job: %w", err)
	}
	return nil
}
