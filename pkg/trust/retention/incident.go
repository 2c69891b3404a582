package retention

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/policy"
)

// The event types of incidents.
const (
	Blocked = "retention.blocked"
	Failed  = "retention.failed"
)

// EventTypes are the types of incidents, and Sorts are the orders of their list, the first one being meant
// where none is named.
var (
	EventTypes = []string{Blocked, Failed}
	Sorts      = []string{"-createdAt", "createdAt", "-candidate_count", "candidate_count"}
)

// Throttle bounds requests for incidents, a tenant (specification, section 8).
var Throttle = access.Limit{N: 3, Per: 2 * time.Second}

// Incident is something that a sweep did not erase (specification, section 2.11).
type Incident struct {
	ID             ids.ID    `json:"id"`
	EventType      string    `json:"eventType" enum:"retention.blocked,retention.failed"`
	Domain         string    `json:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	PolicyID       ids.ID    `json:"policyId"`
	Cutoff         time.Time `json:"cutoff" doc:"What is older was due"`
	BlockedReason  string    `json:"blockedReason" doc:"hold_active, or the code of what went wrong"`
	CandidateCount int64     `json:"candidate_count" doc:"Rows that a hold keeps; 0 where something went wrong"`
	CreatedAt      time.Time `json:"createdAt"`
}

// IncidentFilter chooses incidents; the zero value chooses all.
type IncidentFilter struct {
	Domain    string
	EventType string
	PolicyID  *ids.ID
	From, To  *time.Time
	Sort      string
	db.Page
}

// record writes down what the sweep left.
func (s Sweep) record(ctx context.Context, tx *db.Tx, job ids.ID) error {
	var rows []models.RetentionIncident
	for _, p := range s.Policies {
		row := models.RetentionIncident{TenantID: tx.Tenant(), Domain: p.Domain, PolicyID: p.PolicyID, Cutoff: p.Cutoff, JobID: job, CreatedAt: tx.Now()}
		if p.Held > 0 {
			row.ID, row.EventType, row.BlockedReason, row.CandidateCount = ids.New(), Blocked, string(errs.HoldActive), p.Held
			rows = append(rows, row)
		}
		if p.Problem != "" {
			row.ID, row.EventType, row.BlockedReason, row.CandidateCount = ids.New(), Failed, p.Problem, 0
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.NewInsert().Model(&rows).On("conflict do nothing").Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("record retention incidents: %w", err)
	}
	return nil
}

// ListIncidents gives what sweeps left, the newest first unless another order is named. Capability:
// compliance.read. Errors: validation_failed.
func ListIncidents(ctx context.Context, tx *db.Tx, f IncidentFilter) (db.List[Incident], error) {
	var none db.List[Incident]
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return none, err
	}
	page, err := f.check()
	if err != nil {
		return none, err
	}
	var rows []models.RetentionIncident
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(f.chosen(tx)), page, &rows, orders[f.Sort]...)
	if err != nil {
		return none, fmt.Errorf("list retention incidents: %w", err)
	}
	items := make([]Incident, 0, len(rows))
	for _, r := range rows {
		items = append(items, Incident{ID: r.ID, EventType: r.EventType, Domain: r.Domain, PolicyID: r.PolicyID, Cutoff: r.Cutoff.UTC(),
			BlockedReason: r.BlockedReason, CandidateCount: r.CandidateCount, CreatedAt: r.CreatedAt.UTC()})
	}
	return db.NewList(items, page, total), nil
}

var orders = map[string][]string{
	"":                 {"i.created_at desc", "i.id desc"},
	"-createdAt":       {"i.created_at desc", "i.id desc"},
	"createdAt":        {"i.created_at", "i.id"},
	"-candidate_count": {"i.candidate_count desc", "i.created_at desc", "i.id desc"},
	"candidate_count":  {"i.candidate_count", "i.created_at desc", "i.id desc"},
}

func (f IncidentFilter) check() (db.Page, error) {
	page, err := f.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	bad = slices.Concat(bad, errs.OneOf("domain", f.Domain, policy.Domains), errs.OneOf("eventType", f.EventType, EventTypes), errs.OneOf("sort", f.Sort, Sorts))
	if f.From != nil && f.To != nil && !f.From.Before(*f.To) {
		bad = append(bad, errs.Field{Path: "to", Code: "out_of_range", Message: "it must be later than from"})
	}
	return page, errs.Invalid(bad...)
}

func (f IncidentFilter) chosen(tx *db.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("i.tenant_id = ?", tx.Tenant())
		for _, column := range [][2]string{{"domain", f.Domain}, {"event_type", f.EventType}} {
			if column[1] != "" {
				q = q.Where("i.? = ?", bun.Ident(column[0]), column[1])
			}
		}
		if f.PolicyID != nil {
			q = q.Where("i.policy_id = ?", *f.PolicyID)
		}
		if f.From != nil {
			q = q.Where("i.created_at >= ?", *f.From)
		}
		if f.To != nil {
			q = q.Where("i.created_at < ?", *f.To)
		}
		return q
	}
}
