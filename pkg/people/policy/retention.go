package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Domains are the domains that retention policies are for (decisions, section 6).
var Domains = []string{"submissions", "evidence", "sessions", "telemetry", "exports"}

// What happens when the time is over.
const (
	Redact = "redact"
	Delete = "delete"
)

const maxDays = 36500

// RetentionVersion is one version of the policy of a domain.
type RetentionVersion struct {
	ID     ids.ID  `json:"id" doc:"Records name it as policy:<id>"`
	Domain string  `json:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	Number int     `json:"number"`
	Days   *int    `json:"days" doc:"Days of 24 hours; null: from here on there is no policy"`
	Action *string `json:"action" enum:"redact,delete" doc:"What is done when they are over"`
	Of
	SetBy string    `json:"setBy" doc:"user:<id> or operator:<name>"`
	SetAt time.Time `json:"setAt"`
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
	Of
}

// Of selects the submissions that a policy is about; without any it is about all.
type Of struct {
	EvaluationID   *ids.ID `json:"evaluationId,omitempty" noun:"evaluation" doc:"Only submissions of this evaluation"`
	Outcome        string  `json:"outcome,omitempty" enum:"pass,fail,incomplete" doc:"Only those that ended so"`
	AssignmentKind string  `json:"assignmentKind,omitempty" enum:"none,user_id,email,group_id,public_link" doc:"Only of what was handed out so; none: of what was not"`
}

// The words of Of.
var (
	Outcomes        = []string{"pass", "fail", "incomplete"}
	AssignmentKinds = []string{"none", "user_id", "email", "group_id", "public_link"}
)

// Scope names what a policy is about; empty for all.
func (o Of) Scope() string {
	var parts []string
	if o.EvaluationID != nil {
		parts = append(parts, "evaluation="+o.EvaluationID.String())
	}
	if o.Outcome != "" {
		parts = append(parts, "outcome="+o.Outcome)
	}
	if o.AssignmentKind != "" {
		parts = append(parts, "assignment="+o.AssignmentKind)
	}
	return strings.Join(parts, " ")
}

func ofRow(row models.RetentionPolicy) Of {
	return Of{row.EvaluationID, db.OrZero(row.Outcome), db.OrZero(row.AssignmentKind)}
}

func orNull(word string) *string {
	if word == "" {
		return nil
	}
	return &word
}

// RetentionInput replaces the policies: a domain that is not named has none any more.
type RetentionInput struct {
	Policies  []Retention `json:"policies" nullable:"false" maxItems:"100"`
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

// newestVersions gives the newest version of each policy that there ever was.
func newestVersions(ctx context.Context, tx *db.Tx) ([]models.RetentionPolicy, error) {
	var rows []models.RetentionPolicy
	err := tx.NewSelect().Model(&rows).DistinctOn("r.domain, r.scope").Where("r.tenant_id = ?", tx.Tenant()).
		Order("r.domain", "r.scope", "r.number desc").Scan(ctx)
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
		return cmp.Or(slices.Index(Domains, a.Domain)-slices.Index(Domains, b.Domain), strings.Compare(a.Scope(), b.Scope()))
	})
	return all
}

func versionOf(row models.RetentionPolicy) RetentionVersion {
	return RetentionVersion{ID: row.ID, Domain: row.Domain, Number: row.Number, Days: row.Days, Action: row.Action,
		Of: ofRow(row), SetBy: row.SetBy, SetAt: row.SetAt.UTC()}
}

// VersionFilter narrows a list of versions; zero values do not.
type VersionFilter struct {
	Domain string `query:"domain" enum:"submissions,evidence,sessions,telemetry,exports" doc:"Only versions of this domain"`
	db.Page
}

// ListRetentionVersions gives all versions that there were, newest first. Capability: as for GetRetention. Errors: validation_failed.
func ListRetentionVersions(ctx context.Context, tx *db.Tx, filter VersionFilter) (db.List[RetentionVersion], error) {
	var none db.List[RetentionVersion]
	if err := requireReader(tx); err != nil {
		return none, err
	}
	page, err := filter.Check()
	if err != nil {
		return none, err
	}
	if filter.Domain != "" && !slices.Contains(Domains, filter.Domain) {
		return none, errs.Invalid(errs.Field{Path: "domain", Code: "out_of_range", Message: "there is no such domain"})
	}
	var rows []models.RetentionPolicy
	query := tx.NewSelect().Model(&rows).Where("r.tenant_id = ?", tx.Tenant())
	if filter.Domain != "" {
		query = query.Where("r.domain = ?", filter.Domain)
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "r.set_at desc", "r.domain", "r.scope", "r.number desc")
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
	if err := in.check(ctx, tx); err != nil {
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
		versions = append(versions, map[string]any{"policyId": row.ID, "domain": row.Domain, "days": row.Days, "action": row.Action, "of": row.Scope})
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "retention_policies.set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"versions": versions}})
	if err != nil {
		return RetentionPolicies{}, err
	}
	newest, err = newestVersions(ctx, tx)
	return inForce(newest), err
}

func (in RetentionInput) check(ctx context.Context, tx *db.Tx) error {
	var bad []errs.Field
	add := func(i int, name, code, message string) {
		bad = append(bad, errs.Field{Path: fmt.Sprintf("policies[%d].%s", i, name), Code: code, Message: message})
	}
	var seen []string
	for i, p := range in.Policies {
		switch {
		case !slices.Contains(Domains, p.Domain):
			add(i, "domain", "out_of_range", "there is no such domain")
		case slices.Contains(seen, p.Domain+" "+p.Scope()):
			add(i, "domain", "duplicate", "the policy is named twice")
		case p.Domain != "submissions" && p.Scope() != "":
			add(i, "domain", "not_allowed", "only policies of submissions can be of an evaluation, an outcome, or a way of handing out")
		}
		seen = append(seen, p.Domain+" "+p.Scope())
		for name, bad := range map[string][]errs.Field{"outcome": errs.OneOf("", p.Outcome, Outcomes), "assignmentKind": errs.OneOf("", p.AssignmentKind, AssignmentKinds)} {
			for _, f := range bad {
				add(i, name, f.Code, f.Message)
			}
		}
		if p.EvaluationID != nil {
			var there bool
			err := tx.AcrossOrgUnits(ctx, func() error {
				return tx.QueryRow(ctx, "select exists (select from evaluations where tenant_id = $1 and id = $2)", tx.Tenant(), *p.EvaluationID).Scan(&there)
			})
			if err != nil {
				return fmt.Errorf("find the evaluation of a policy: %w", err)
			}
			if !there {
				add(i, "evaluationId", "not_found", "there is no such evaluation")
			}
		}
		if p.Days < 1 || p.Days > maxDays {
			add(i, "days", "out_of_range", "1 to 36500 days")
		}
		if p.Action != Redact && p.Action != Delete {
			add(i, "action", "out_of_range", "redact or delete")
		}
	}
	return errs.Invalid(bad...)
}

// changes gives the versions that must be added to the ones in force.
func (in RetentionInput) changes(tx *db.Tx, newest []models.RetentionPolicy, at time.Time) []models.RetentionPolicy {
	var rows []models.RetentionPolicy
	add := func(current, next models.RetentionPolicy) {
		if equal(current.Days, next.Days) && equal(current.Action, next.Action) {
			return
		}
		next.TenantID, next.ID, next.Number, next.SetBy, next.SetAt = tx.Tenant(), ids.New(), current.Number+1, tx.Actor().String(), at
		rows = append(rows, next)
	}
	for _, p := range in.Policies {
		next := models.RetentionPolicy{Domain: p.Domain, Days: &p.Days, Action: &p.Action, EvaluationID: p.EvaluationID, Outcome: orNull(p.Outcome),
			AssignmentKind: orNull(p.AssignmentKind), Scope: p.Scope()}
		i := slices.IndexFunc(newest, func(row models.RetentionPolicy) bool { return row.Domain == next.Domain && row.Scope == next.Scope })
		if i < 0 {
			add(models.RetentionPolicy{}, next)
		} else {
			add(newest[i], next)
		}
	}
	for _, row := range newest {
		if !slices.ContainsFunc(in.Policies, func(p Retention) bool { return p.Domain == row.Domain && p.Scope() == row.Scope }) {
			next := row
			next.Days, next.Action = nil, nil
			add(row, next)
		}
	}
	return rows
}

// takesMore says whether a new version has something go sooner than the one in force, or go whole that stayed
// without its names. If a policy of some submissions ends, the policy of all takes its place.
func takesMore(before RetentionPolicies, next models.RetentionPolicy) bool {
	if next.Days == nil {
		return next.Scope != ""
	}
	i := slices.IndexFunc(before.Policies, func(v RetentionVersion) bool { return v.Domain == next.Domain && v.Scope() == next.Scope })
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
