package policy

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

// Domains are what retention policies are for (decisions, section 6).
var Domains = []string{"submissions", "evidence", "sessions", "telemetry", "exports"}

// What happens when the time is over.
const (
	Redact = "redact"
	Delete = "delete"
)

const maxDays = 36500

// RetentionVersion is one version of the policy of a domain.
type RetentionVersion struct {
	ID     ids.ID    `json:"id" doc:"Records name it as policy:<id>"`
	Domain string    `json:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	Number int       `json:"number"`
	Days   *int      `json:"days" doc:"Days of 24 hours; null: from here on there is no policy"`
	Action *string   `json:"action" enum:"redact,delete" doc:"What is done when they are over"`
	SetBy  string    `json:"setBy" doc:"user:<id> or operator:<name>"`
	SetAt  time.Time `json:"setAt"`
}

// RetentionPolicies are the policies in force; a domain without one is kept without end.
type RetentionPolicies struct {
	Policies  []RetentionVersion `json:"policies" nullable:"false"`
	UpdatedAt *time.Time         `json:"updatedAt,omitempty" doc:"Absent while none was ever set"`
}

// Retention is the wanted policy of a domain.
type Retention struct {
	Domain string `json:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	Days   int    `json:"days" minimum:"1" maximum:"36500"`
	Action string `json:"action" enum:"redact,delete"`
}

// RetentionInput replaces the policies: a domain that is not named has none any more.
type RetentionInput struct {
	Policies  []Retention `json:"policies" nullable:"false" maxItems:"5"`
	UpdatedAt *time.Time  `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
}

// GetRetention gives the policies in force. Capability: policies.manage or compliance.read.
func GetRetention(ctx context.Context, tx *db.Tx) (RetentionPolicies, error) {
	if err := requireReader(tx); err != nil {
		return RetentionPolicies{}, err
	}
	newest, err := newestVersions(ctx, tx)
	return inForce(newest), err
}

func requireReader(tx *db.Tx) error {
	if tx.Can(capability.ComplianceRead) {
		return nil
	}
	return tx.Require(capability.PoliciesManage)
}

// newestVersions gives the newest version of each domain that ever had a policy.
func newestVersions(ctx context.Context, tx *db.Tx) ([]models.RetentionPolicy, error) {
	var rows []models.RetentionPolicy
	err := tx.NewSelect().Model(&rows).DistinctOn("r.domain").Where("r.tenant_id = ?", tx.Tenant()).
		Order("r.domain", "r.number desc").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("get retention policies: %w", err)
	}
	return rows, nil
}

func inForce(newest []models.RetentionPolicy) RetentionPolicies {
	all := RetentionPolicies{Policies: []RetentionVersion{}}
	for _, row := range newest {
		if all.UpdatedAt == nil || row.SetAt.After(*all.UpdatedAt) {
			at := row.SetAt.UTC()
			all.UpdatedAt = &at
		}
		if row.Days != nil {
			all.Policies = append(all.Policies, versionOf(row))
		}
	}
	slices.SortFunc(all.Policies, func(a, b RetentionVersion) int {
		return slices.Index(Domains, a.Domain) - slices.Index(Domains, b.Domain)
	})
	return all
}

func versionOf(row models.RetentionPolicy) RetentionVersion {
	return RetentionVersion{ID: row.ID, Domain: row.Domain, Number: row.Number, Days: row.Days, Action: row.Action,
		SetBy: row.SetBy, SetAt: row.SetAt.UTC()}
}

// ListRetentionVersions gives all versions that there were, newest first; domain is empty
// for all domains. Capability: as for GetRetention. Errors: validation_failed.
func ListRetentionVersions(ctx context.Context, tx *db.Tx, domain string, page db.Page) (db.List[RetentionVersion], error) {
	var none db.List[RetentionVersion]
	if err := requireReader(tx); err != nil {
		return none, err
	}
	page, err := page.Check()
	if err != nil {
		return none, err
	}
	if domain != "" && !slices.Contains(Domains, domain) {
		return none, errs.Invalid(errs.Field{Path: "domain", Code: "out_of_range", Message: "there is no such domain"})
	}
	var rows []models.RetentionPolicy
	query := tx.NewSelect().Model(&rows).Where("r.tenant_id = ?", tx.Tenant())
	if domain != "" {
		query = query.Where("r.domain = ?", domain)
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "r.set_at desc", "r.domain", "r.number desc")
	if err != nil {
		return none, fmt.Errorf("list retention policies: %w", err)
	}
	items := make([]RetentionVersion, 0, len(rows))
	for _, row := range rows {
		items = append(items, versionOf(row))
	}
	return db.NewList(items, page, total), nil
}

// SetRetention replaces the policies; what stays the same keeps its version. A user who has data
// go sooner than before needs a step-up proof. Capability: policies.manage. Errors:
// validation_failed, stale_update, step_up_required.
func SetRetention(ctx context.Context, tx *db.Tx, in RetentionInput) (RetentionPolicies, error) {
	if err := tx.Require(capability.PoliciesManage); err != nil {
		return RetentionPolicies{}, err
	}
	if err := in.check(); err != nil {
		return RetentionPolicies{}, err
	}
	if err := lock(ctx, tx, retentionPolicies); err != nil {
		return RetentionPolicies{}, err
	}
	newest, err := newestVersions(ctx, tx)
	if err != nil {
		return RetentionPolicies{}, err
	}
	before := inForce(newest)
	if err := db.Fresh(in.UpdatedAt, db.OrZero(before.UpdatedAt)); err != nil {
		return RetentionPolicies{}, err
	}
	changed := in.changes(tx, newest, tx.ChangedAt(db.OrZero(before.UpdatedAt)))
	if len(changed) == 0 {
		return before, nil
	}
	if slices.ContainsFunc(changed, func(next models.RetentionPolicy) bool { return takesMore(before, next) }) {
		if err := Prove(ctx, tx); err != nil {
			return RetentionPolicies{}, err
		}
	}
	_, err = tx.NewInsert().Model(&changed).Returning("NULL").Exec(ctx)
	if err != nil {
		return RetentionPolicies{}, fmt.Errorf("set retention policies: %w", err)
	}
	versions := make([]map[string]any, 0, len(changed))
	for _, row := range changed {
		versions = append(versions, map[string]any{"policyId": row.ID, "domain": row.Domain, "days": row.Days, "action": row.Action})
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "retention_policies.set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"versions": versions}})
	if err != nil {
		return RetentionPolicies{}, err
	}
	newest, err = newestVersions(ctx, tx)
	return inForce(newest), err
}

func (in RetentionInput) check() error {
	var bad []errs.Field
	add := func(i int, name, code, message string) {
		bad = append(bad, errs.Field{Path: fmt.Sprintf("policies[%d].%s", i, name), Code: code, Message: message})
	}
	var seen []string
	for i, p := range in.Policies {
		switch {
		case !slices.Contains(Domains, p.Domain):
			add(i, "domain", "out_of_range", "there is no such domain")
		case slices.Contains(seen, p.Domain):
			add(i, "domain", "duplicate", "the domain is named twice")
		}
		seen = append(seen, p.Domain)
		if p.Days < 1 || p.Days > maxDays {
			add(i, "days", "out_of_range", "1 to 36500 days")
		}
		if p.Action != Redact && p.Action != Delete {
			add(i, "action", "out_of_range", "redact or delete")
		}
	}
	return errs.Invalid(bad...)
}

// changes gives the versions that must be added to what is in force.
func (in RetentionInput) changes(tx *db.Tx, newest []models.RetentionPolicy, at time.Time) []models.RetentionPolicy {
	var rows []models.RetentionPolicy
	for _, domain := range Domains {
		next := models.RetentionPolicy{TenantID: tx.Tenant(), Domain: domain, Number: 1, ID: ids.New(), SetBy: tx.Actor().String(), SetAt: at}
		for _, p := range in.Policies {
			if p.Domain == domain {
				next.Days, next.Action = &p.Days, &p.Action
			}
		}
		var current models.RetentionPolicy
		for _, row := range newest {
			if row.Domain == domain {
				current, next.Number = row, row.Number+1
			}
		}
		if !equal(current.Days, next.Days) || !equal(current.Action, next.Action) {
			rows = append(rows, next)
		}
	}
	return rows
}

// takesMore says whether a new version has something go sooner than what was in force, or go whole that stayed
// without its names.
func takesMore(before RetentionPolicies, next models.RetentionPolicy) bool {
	if next.Days == nil {
		return false
	}
	i := slices.IndexFunc(before.Policies, func(v RetentionVersion) bool { return v.Domain == next.Domain })
	if i < 0 {
		return true
	}
	now := before.Policies[i]
	return *next.Days < *now.Days || *next.Action == Delete && *now.Action == Redact
}

func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
