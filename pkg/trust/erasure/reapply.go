package erasure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
	"assess/pkg/trust/unlink"
)

// The states of an order: what a restored backup knows of it.
const (
	// Due: it was carried out after the backup was made.
	Due = "due"
	// Seen: the backup has it, or it was done again since.
	Seen = "seen"
	// Absent: the backup does not have the person either, or not in that org unit.
	Absent = "absent"
)

// Order is a forget or unlink that an export of the ledger says was carried out.
type Order struct {
	Seq         int64           `json:"seq"`
	JobType     string          `json:"job_type"`
	JobID       ids.ID          `json:"job_id"`
	SubjectID   ids.ID          `json:"subject_id"`
	Arguments   json.RawMessage `json:"arguments"`
	CompletedAt time.Time       `json:"completed_at"`
	State       string          `json:"state"`
}

// reapplied are the job types that a restored backup has to see again: they take something away.
var reapplied = []string{compliance.Forget, compliance.Unlink}

// line is what an order is read from: the header of an export, or one of its events.
type line struct {
	Format     string    `json:"format"`
	TenantID   ids.ID    `json:"tenantId"`
	EventType  string    `json:"eventType"`
	Seq        int64     `json:"seq"`
	SubjectID  ids.ID    `json:"subjectId"`
	OccurredAt time.Time `json:"occurredAt"`
	Payload    struct {
		JobID     ids.ID          `json:"jobId"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"payload"`
}

// Orders reads an export of the ledger, as translog.Export writes it, and says of each forget and unlink what the
// database knows of it, in the order of the ledger. The caller has verified the export. Capability: compliance.manage,
// over the whole tenant. Errors: forbidden, validation_failed if it is no export, or an export of another tenant.
func Orders(ctx context.Context, tx *db.Tx, export io.Reader) ([]Order, error) {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return nil, err
	}
	lines := json.NewDecoder(export)
	var head line
	if err := lines.Decode(&head); err != nil || head.Format != translog.ExportFormat {
		return nil, noExport("this is no export of a ledger")
	}
	if head.TenantID != tx.Tenant() {
		return nil, noExport("this is the ledger of another tenant")
	}
	var all []Order
	for {
		var l line
		err := lines.Decode(&l)
		if errors.Is(err, io.EOF) {
			return all, know(ctx, tx, all)
		}
		if err != nil {
			return nil, noExport("a line cannot be read")
		}
		for _, t := range reapplied {
			if l.EventType == t+"."+compliance.Completed {
				all = append(all, l.order(t))
			}
		}
	}
}

func noExport(message string) error {
	return errs.Invalid(errs.Field{Path: "ledger", Code: "invalid", Message: message})
}

func (l line) order(jobType string) Order {
	o := Order{Seq: l.Seq, JobType: jobType, JobID: l.Payload.JobID, SubjectID: l.SubjectID, Arguments: l.Payload.Arguments, CompletedAt: l.OccurredAt}
	if o.Arguments == nil {
		o.Arguments = json.RawMessage("{}")
	}
	return o
}

// knownSQL says for each order whether there is such a person, in the org unit if it names one, and whether the
// job is here, or one that did the same later.
const knownSQL = `
select exists (select from users u where u.tenant_id = $1 and u.id = o.subject)
		and (o.unit is null or exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = o.subject and m.org_unit_id = o.unit)),
	exists (select from compliance_jobs j where j.tenant_id = $1 and j.subject_id = o.subject and j.job_type = o.type and j.status = $2
		and (j.id = o.job or j.completed_at >= o.done and j.arguments = o.arguments::jsonb))
from unnest($3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::text[], $8::uuid[]) with ordinality as o (job, subject, type, done, arguments, unit, n)
order by o.n`

func know(ctx context.Context, tx *db.Tx, all []Order) error {
	var jobs, subjects []ids.ID
	var types, arguments []string
	var done []time.Time
	var units []*ids.ID
	for _, o := range all {
		var where unlink.Arguments
		if o.JobType == compliance.Unlink && json.Unmarshal(o.Arguments, &where) != nil {
			return noExport("a job has arguments that it cannot have")
		}
		units = append(units, ids.Ref(where.OrgUnitID))
		jobs, subjects, types = append(jobs, o.JobID), append(subjects, o.SubjectID), append(types, o.JobType)
		done, arguments = append(done, o.CompletedAt), append(arguments, string(o.Arguments))
	}
	rows, err := tx.Query(ctx, knownSQL, tx.Tenant(), models.ComplianceCompleted, jobs, subjects, types, done, arguments, units)
	if err != nil {
		return fmt.Errorf("look for what was done already: %w", err)
	}
	var there, seen bool
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&there, &seen}, func() error {
		switch {
		case seen:
			all[n].State = Seen
		case !there:
			all[n].State = Absent
		default:
			all[n].State = Due
		}
		n++
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for what was done already: %w", err)
	}
	return nil
}

// Again carries a due order out, unless one before it has done so by now: then its state changes, and there is no
// job. Errors: the errors of the kind's Check and steps.
func Again(ctx context.Context, c *compliance.Centre, scope db.Scope, o *Order) (compliance.Job, error) {
	if !slices.Contains(reapplied, o.JobType) || o.State != Due {
		return compliance.Job{}, fmt.Errorf("event %d is not due", o.Seq)
	}
	var made compliance.Job
	err := c.Store.Write(ctx, scope, func(tx *db.Tx) error {
		now := []Order{*o}
		err := know(ctx, tx, now)
		if err != nil || now[0].State != Due {
			o.State = now[0].State
			return err
		}
		made, err = c.Create(ctx, tx, compliance.Input{Type: o.JobType, SubjectID: o.SubjectID, Arguments: o.Arguments, Again: true})
		return err
	})
	if err != nil || o.State != Due {
		return made, err
	}
	return c.Work(ctx, scope.Tenant, made.ID, nil)
}
