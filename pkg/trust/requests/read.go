package requests

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// Filter chooses requests; empty fields choose all.
type Filter struct {
	Kind      string `query:"kind" enum:"access,erasure,restriction,objection,rectification,portability" doc:"Only of this kind"`
	State     string `query:"state" enum:"received,identity_pending,verified,decided,carried_out,answered,withdrawn" doc:"Only in this state"`
	SLAState  string `query:"slaState" enum:"on_track,at_risk,breached,paused" doc:"Only those whose time is so"`
	SubjectID ids.ID `query:"subjectId" noun:"user" doc:"Only about this user"`
	Due       bool   `query:"due" doc:"Only those that are open, the next due first"`
	db.Page
}

func (f Filter) check() (db.Page, error) {
	page, err := f.Check()
	if err != nil {
		return page, err
	}
	return page, errs.Invalid(slices.Concat(errs.OneOf("kind", f.Kind, Kinds), errs.OneOf("state", f.State, States), errs.OneOf("slaState", f.SLAState, SLAStates))...)
}

// List gives the requests of the tenant, the latest first. Capability: compliance.read, over the whole tenant. Errors:
// forbidden, validation_failed.
func List(ctx context.Context, tx *db.Tx, f Filter) (db.List[Request], error) {
	var none db.List[Request]
	if err := compliance.RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.check()
	if err != nil {
		return none, err
	}
	var rows []models.ComplianceRequest
	query := tx.NewSelect().Model(&rows).Where("r.tenant_id = ?", tx.Tenant())
	if f.Kind != "" {
		query = query.Where("r.kind = ?", f.Kind)
	}
	if f.State != "" {
		query = query.Where("r.state = ?", f.State)
	}
	if f.SubjectID != ids.None {
		query = query.Where("r.subject_id = ?", f.SubjectID)
	}
	if f.SLAState != "" {
		query = query.Where(slaCondition[f.SLAState], tx.Now())
	}
	order := []string{"r.received_at desc", "r.id desc"}
	if f.Due {
		query, order = query.Where(late+" and r.ended_at is null"), []string{"r.due_at", "r.id"}
	}
	total, err := db.ReadPage(ctx, query, page, &rows, order...)
	if err != nil {
		return none, fmt.Errorf("list requests: %w", err)
	}
	items := make([]Request, 0, len(rows))
	for _, row := range rows {
		items = append(items, requestOf(row, tx.Now()))
	}
	return db.NewList(items, page, total), nil
}

// Get gives a request with its changes and jobs. Capability: compliance.read, over the whole tenant. Errors: forbidden, not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Detail, error) {
	if err := compliance.RequireReader(tx); err != nil {
		return Detail{}, err
	}
	row, err := find(ctx, tx, id, false)
	if err != nil {
		return Detail{}, err
	}
	return detail(ctx, tx, row)
}

func detail(ctx context.Context, tx *db.Tx, row models.ComplianceRequest) (Detail, error) {
	d := Detail{Request: requestOf(row, tx.Now()), Changes: []Change{}, Jobs: []Job{}}
	var changes []models.ComplianceRequestChange
	err := tx.NewSelect().Model(&changes).Where("c.tenant_id = ? and c.request_id = ?", tx.Tenant(), row.ID).Order("c.number").Scan(ctx)
	if err != nil {
		return d, fmt.Errorf("read the changes of a request: %w", err)
	}
	for _, c := range changes {
		d.Changes = append(d.Changes, Change{Number: c.Number, Change: c.Change, State: c.State, Code: c.Code, JobID: c.JobID, Actor: c.Actor,
			EventID: c.EventID, At: c.At.UTC()})
	}
	rows, err := tx.Query(ctx, "select id, job_type, status from compliance_jobs where tenant_id = $1 and request_id = $2 order by created_at, id",
		tx.Tenant(), row.ID)
	if err != nil {
		return d, fmt.Errorf("read the jobs of a request: %w", err)
	}
	d.Jobs, err = pgx.AppendRows(d.Jobs, rows, pgx.RowToStructByPos[Job])
	if err != nil {
		return d, fmt.Errorf("read the jobs of a request: %w", err)
	}
	err = tx.QueryRow(ctx, "select count(*) from compliance_request_notes where tenant_id = $1 and request_id = $2", tx.Tenant(), row.ID).Scan(&d.Notes)
	if err != nil {
		return d, fmt.Errorf("count the notes of a request: %w", err)
	}
	d.Letters, err = lettersOf(ctx, tx, row.ID)
	if err == nil {
		d.Tasks, err = tasksWhere(ctx, tx, "k.request_id = $2", row.ID)
	}
	return d, err
}

// About gives all requests about a person with what became of them, the earliest first, for the jobs that gather everything
// known. It requires no capability.
func About(ctx context.Context, tx *db.Tx, person ids.ID) ([]Detail, error) {
	var rows []models.ComplianceRequest
	err := tx.NewSelect().Model(&rows).Where("r.tenant_id = ? and r.subject_id = ?", tx.Tenant(), person).Order("r.received_at", "r.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the requests of a person: %w", err)
	}
	all := make([]Detail, 0, len(rows))
	for _, row := range rows {
		d, err := detail(ctx, tx, row)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Open is how many open requests have their time in a state.
type Open struct {
	SLAState string
	N        int64
}

// CountOpen counts the open requests of all tenants, for the metrics.
func CountOpen(ctx context.Context, from interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) ([]Open, error) {
	rows, err := from.Query(ctx, "select sla_state, n from open_requests(now())")
	if err != nil {
		return nil, db.Translate(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Open])
	return all, db.Translate(err)
}
