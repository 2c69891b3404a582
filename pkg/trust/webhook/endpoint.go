package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

// The states of an endpoint.
const (
	Active   = "active"
	Paused   = "paused"
	Disabled = "disabled"
)

const (
	maxURL         = 2000
	maxDescription = 200
	// mostEndpoints bounds the endpoints of a tenant: each event is written once for each.
	mostEndpoints = 100
	// SecretsTogether is how long the secret before a rotation still signs.
	SecretsTogether = 24 * time.Hour
)

// Input is a new endpoint.
type Input struct {
	URL           string   `json:"url" maxLength:"2000" doc:"Where to call: https, port 443" example:"https://lms.example.org/hooks/assess"`
	Description   string   `json:"description,omitempty" maxLength:"200" doc:"What it is for"`
	Events        []string `json:"events" nullable:"false" minItems:"1" maxItems:"50" enum:"submission.completed,submission.scored,submission.corrected,submission.decided,submission.voided,session.expired,evaluation.published,assignment.created,import.completed,job.completed,user.deactivated,recipient.task" doc:"What to tell"`
	OrgUnitID     *ids.ID  `json:"orgUnitId,omitempty" noun:"org-unit" doc:"Tell of this org unit only; without it of the whole tenant, or of one's own org unit where the tenant is out of scope"`
	IncludeScores bool     `json:"includeScores,omitempty" doc:"Send scores and outcomes too; it needs reporting.view, now and when they are sent"`
}

// Patch changes what it names and leaves the rest.
type Patch struct {
	UpdatedAt     *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	URL           *string    `json:"url,omitempty" maxLength:"2000" doc:"Where to call"`
	Description   *string    `json:"description,omitempty" maxLength:"200" doc:"What it is for"`
	Events        []string   `json:"events,omitempty" nullable:"false" maxItems:"50" enum:"submission.completed,submission.scored,submission.corrected,submission.decided,submission.voided,session.expired,evaluation.published,assignment.created,import.completed,job.completed,user.deactivated,recipient.task" doc:"What to tell from now on"`
	IncludeScores *bool      `json:"includeScores,omitempty" doc:"Send scores and outcomes too; whoever says so is answerable for it from then on"`
	State         *string    `json:"state,omitempty" enum:"active,paused" doc:"What happens while an endpoint is paused is sent once it is active again; of what happened while it was disabled, replay tells"`
}

// Endpoint is where somebody wants to be told.
type Endpoint struct {
	ID             ids.ID     `json:"id"`
	URL            string     `json:"url"`
	Description    string     `json:"description"`
	Events         []string   `json:"events" nullable:"false"`
	OrgUnitID      *ids.ID    `json:"orgUnitId,omitempty" doc:"Absent for the whole tenant"`
	IncludeScores  bool       `json:"includeScores"`
	State          string     `json:"state" enum:"active,paused,disabled"`
	DisabledReason string     `json:"disabledReason,omitempty" enum:"gone,failing" doc:"gone: it answered 410; failing: nothing but failures for three days"`
	FailingSince   *time.Time `json:"failingSince,omitempty" doc:"When the first call failed that none succeeded after"`
	CreatedBy      string     `json:"createdBy" doc:"user:<id> or operator:<name>; who last said that scores are included"`
	CreatedAt      time.Time  `json:"createdAt"`
	UpdatedAt      time.Time  `json:"updatedAt"`
}

// Made is a new endpoint, or one with a new secret, which is shown once.
type Made struct {
	Endpoint
	Secret      string     `json:"secret" doc:"Verifies the calls; it is shown only now"`
	BeforeUntil *time.Time `json:"beforeUntil,omitempty" doc:"Until then the secret before signs too"`
}

const endpointColumns = `id, url, description, events, org_unit_id, with_scores, state, coalesce(disabled_reason, ''), failing_since, created_by, created_at, updated_at`

// within is the reach of the caller: all endpoints, or the endpoints of the own org unit. $1 is the tenant, $2 and $3 say the scope.
const within = "tenant_id = $1 and ($2 or org_unit_id = $3)"

func reach(tx *db.Tx, further ...any) []any {
	return append([]any{tx.Tenant(), tx.Scope().All, ids.Ref(tx.Scope().OrgUnit)}, further...)
}

func scanEndpoint(row pgx.CollectableRow) (Endpoint, error) {
	var e Endpoint
	err := row.Scan(&e.ID, &e.URL, &e.Description, &e.Events, &e.OrgUnitID, &e.IncludeScores, &e.State, &e.DisabledReason, &e.FailingSince,
		&e.CreatedBy, &e.CreatedAt, &e.UpdatedAt)
	return e, err
}

// Create makes an endpoint; what happens from now on is told. Capability: integrations.manage, and reporting.view for
// scores. Errors: validation_failed, url_not_allowed, not_found of the org unit.
func Create(ctx context.Context, tx *db.Tx, input Input) (Made, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err == nil {
		err = checkAll(tx, &input.URL, &input.Description, input.Events, input.IncludeScores, true)
	}
	if err != nil {
		return Made{}, err
	}
	unit, err := unitOf(ctx, tx, input.OrgUnitID)
	if err != nil {
		return Made{}, err
	}
	id, secret := ids.New(), newSecret()
	sealed, err := access.Seal(tx.KeySecret(), sealedAs(tx.Tenant(), id), secret)
	if err != nil {
		return Made{}, err
	}
	var n int
	err = tx.QueryRow(ctx, "select count(*) from webhook_endpoints where tenant_id = $1", tx.Tenant()).Scan(&n)
	if err != nil {
		return Made{}, fmt.Errorf("count endpoints: %w", err)
	}
	if n >= mostEndpoints {
		return Made{}, errs.Invalid(errs.Field{Path: "url", Code: "too_many", Message: fmt.Sprintf("a tenant has %d endpoints at most", mostEndpoints)})
	}
	_, err = tx.Exec(ctx, `
		insert into webhook_cursors (tenant_id, seq) select t.id, coalesce((select last_seq from ledger_heads where tenant_id = $1), 0) from tenants t where t.id = $1
		on conflict (tenant_id) do nothing`, tx.Tenant())
	if err != nil {
		return Made{}, fmt.Errorf("begin to read the ledger: %w", err)
	}
	_, err = tx.Exec(ctx, `
		insert into webhook_endpoints (tenant_id, id, org_unit_id, url, description, events, with_scores, sealed_secret, since_seq, created_by, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce((select last_seq from ledger_heads where tenant_id = $1), 0), $9, $10, $10)`,
		tx.Tenant(), id, unit, input.URL, input.Description, input.Events, input.IncludeScores, sealed, tx.Actor().String(), tx.Now())
	if err != nil {
		return Made{}, fmt.Errorf("store endpoint: %w", err)
	}
	e, err := find(ctx, tx, id)
	if err != nil {
		return Made{}, err
	}
	return Made{Endpoint: e, Secret: written(secret)}, note(ctx, tx, e, "created", map[string]any{"events": e.Events, "includeScores": e.IncludeScores})
}

func note(ctx context.Context, tx *db.Tx, e Endpoint, what string, payload map[string]any) error {
	return ledger.Append(ctx, tx, ledger.Event{Type: "webhook." + what, SubjectType: "webhook", SubjectID: e.ID, OrgUnit: db.OrZero(e.OrgUnitID), Payload: payload})
}

// unitOf is the org unit of a new endpoint. Errors: not_found.
func unitOf(ctx context.Context, tx *db.Tx, asked *ids.ID) (*ids.ID, error) {
	if asked == nil {
		if tx.Scope().All {
			return nil, nil //nolint:nilnil // the whole tenant
		}
		home, err := tx.HomeOrgUnit()
		return &home, err
	}
	var there bool
	err := tx.QueryRow(ctx, "select exists (select from org_units where tenant_id = $1 and id = $4 and ($2 or id = $3))", reach(tx, *asked)...).Scan(&there)
	if err != nil {
		return nil, fmt.Errorf("look for org unit: %w", err)
	}
	if !there {
		return nil, errs.New(errs.NotFound, "There is no such org unit in your scope.")
	}
	return asked, nil
}

func checkAll(tx *db.Tx, address, description *string, events []string, scores, isNew bool) error {
	if scores {
		err := tx.Require(capability.ReportingView)
		if err != nil {
			return err
		}
	}
	var bad []errs.Field
	if description != nil {
		bad = append(bad, errs.Line("description", *description, maxDescription, false)...)
	}
	if isNew && len(events) == 0 || events != nil && len(events) == 0 {
		bad = append(bad, errs.Field{Path: "events", Code: "required", Message: "name at least one event"})
	}
	for i, e := range events {
		bad = append(bad, errs.OneOf(fmt.Sprintf("events[%d]", i), e, Types())...)
	}
	if address != nil && len(*address) > maxURL {
		bad = append(bad, errs.Field{Path: "url", Code: "too_long", Message: fmt.Sprintf("an address has %d bytes at most", maxURL)})
	}
	err := errs.Invalid(bad...)
	if err == nil && address != nil {
		err = checkURL(*address)
	}
	return err
}

// checkURL refuses an address that no call will ever reach, so that the user who types it sees it at once. What a name
// resolves to is checked at each call (package outgoing).
func checkURL(address string) error {
	refused := func(why string) error {
		return errs.New(errs.URLNotAllowed, "The service does not call this address: %s.", why)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "":
		return refused("it is no address")
	case u.Scheme != "https":
		return refused("it must begin with https://")
	case u.User != nil:
		return refused("it must hold no user name or password")
	case u.Port() != "" && u.Port() != "443":
		return refused("its port must be 443")
	case u.Fragment != "":
		return refused("it must have no #")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	ip, err := netip.ParseAddr(host)
	inside := err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified() || ip.Unmap().IsLinkLocalUnicast() || ip.IsMulticast() || ip.Zone() != "")
	if inside || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return refused("it is the machine itself")
	}
	return nil
}

// List lists the endpoints of the scope, the newest first. Capability: integrations.read or integrations.manage.
func List(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Endpoint], error) {
	err := requireReader(tx)
	if err != nil {
		return db.List[Endpoint]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[Endpoint]{}, err
	}
	rows, err := tx.Query(ctx, "select "+endpointColumns+" from webhook_endpoints where "+within+" order by id desc", reach(tx)...)
	if err != nil {
		return db.List[Endpoint]{}, fmt.Errorf("list endpoints: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanEndpoint)
	if err != nil {
		return db.List[Endpoint]{}, fmt.Errorf("list endpoints: %w", err)
	}
	total := len(all)
	from := min((page.Page-1)*page.Limit, total)
	return db.NewList(all[from:min(from+page.Limit, total)], page, total), nil
}

func requireReader(tx *db.Tx) error {
	if tx.Can(capability.IntegrationsManage) {
		return nil
	}
	return tx.Require(capability.IntegrationsRead)
}

// Get reads an endpoint. Capability: integrations.read or integrations.manage. Errors: not_found.
func Get(ctx context.Context, tx *db.Tx, id ids.ID) (Endpoint, error) {
	err := requireReader(tx)
	if err != nil {
		return Endpoint{}, err
	}
	return find(ctx, tx, id)
}

func find(ctx context.Context, tx *db.Tx, id ids.ID) (Endpoint, error) {
	return findSQL(ctx, tx, id, "")
}

// lock finds an endpoint and holds it.
func lock(ctx context.Context, tx *db.Tx, id ids.ID) (Endpoint, error) {
	return findSQL(ctx, tx, id, " for update")
}

func findSQL(ctx context.Context, tx *db.Tx, id ids.ID, how string) (Endpoint, error) {
	rows, err := tx.Query(ctx, "select "+endpointColumns+" from webhook_endpoints where "+within+" and id = $4"+how, reach(tx, id)...)
	if err != nil {
		return Endpoint{}, fmt.Errorf("find endpoint: %w", err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanEndpoint)
	if errors.Is(err, pgx.ErrNoRows) {
		return Endpoint{}, errs.New(errs.NotFound, "There is no such webhook.")
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("find endpoint: %w", err)
	}
	return e, nil
}

// Update changes an endpoint. Capability: integrations.manage, and reporting.view to include scores. Errors: not_found,
// validation_failed, url_not_allowed, stale_update.
func Update(ctx context.Context, tx *db.Tx, id ids.ID, input Patch) (Endpoint, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err == nil {
		err = checkAll(tx, input.URL, input.Description, input.Events, input.IncludeScores != nil && *input.IncludeScores, false)
	}
	if err == nil && input.State != nil {
		err = errs.Invalid(errs.OneOf("state", *input.State, []string{Active, Paused})...)
	}
	if err != nil {
		return Endpoint{}, err
	}
	e, err := lock(ctx, tx, id)
	if err == nil {
		err = db.Fresh(input.UpdatedAt, e.UpdatedAt)
	}
	if err != nil {
		return Endpoint{}, err
	}
	// To let scores go to a new address, or to let them go at all, the caller must be allowed to see them.
	if input.IncludeScores != nil {
		e.IncludeScores = *input.IncludeScores
	}
	maker := e.CreatedBy
	if e.IncludeScores && (input.IncludeScores != nil || input.URL != nil) {
		err = tx.Require(capability.ReportingView)
		if err != nil {
			return Endpoint{}, err
		}
		maker = tx.Actor().String()
	}
	_, err = tx.Exec(ctx, `
		update webhook_endpoints set url = coalesce($3, url), description = coalesce($4, description), events = coalesce($5, events),
			with_scores = $6, created_by = $7, state = coalesce($8, state), updated_at = $9
		where tenant_id = $1 and id = $2`, tx.Tenant(), id, input.URL, input.Description, input.Events, e.IncludeScores, maker, input.State, tx.ChangedAt(e.UpdatedAt))
	if err == nil && input.State != nil && *input.State == Active && e.State == Disabled {
		_, err = tx.Exec(ctx, `
			update webhook_endpoints set disabled_reason = null, failing_since = null,
				since_seq = coalesce((select seq from webhook_cursors where tenant_id = $1), 0)
			where tenant_id = $1 and id = $2`, tx.Tenant(), id)
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("change endpoint: %w", err)
	}
	e, err = find(ctx, tx, id)
	if err != nil {
		return Endpoint{}, err
	}
	return e, note(ctx, tx, e, "updated", map[string]any{"state": e.State, "events": e.Events, "includeScores": e.IncludeScores})
}

// Delete deletes an endpoint, with the deliveries still to be sent. Capability: integrations.manage. Errors: not_found.
func Delete(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return err
	}
	e, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from webhook_endpoints where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete endpoint: %w", err)
	}
	return note(ctx, tx, e, "deleted", nil)
}

// Rotate gives an endpoint a new secret; the one before signs too for another day. Capability: integrations.manage. Errors:
// not_found.
func Rotate(ctx context.Context, tx *db.Tx, id ids.ID) (Made, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Made{}, err
	}
	e, err := lock(ctx, tx, id)
	if err != nil {
		return Made{}, err
	}
	secret, until := newSecret(), tx.Now().Add(SecretsTogether)
	sealed, err := access.Seal(tx.KeySecret(), sealedAs(tx.Tenant(), id), secret)
	if err != nil {
		return Made{}, err
	}
	_, err = tx.Exec(ctx, `
		update webhook_endpoints set sealed_before = sealed_secret, sealed_secret = $3, before_until = $4, updated_at = $5
		where tenant_id = $1 and id = $2`, tx.Tenant(), id, sealed, until, tx.ChangedAt(e.UpdatedAt))
	if err != nil {
		return Made{}, fmt.Errorf("store the new secret: %w", err)
	}
	e, err = find(ctx, tx, id)
	if err != nil {
		return Made{}, err
	}
	return Made{Endpoint: e, Secret: written(secret), BeforeUntil: &until}, note(ctx, tx, e, "rotated", nil)
}

// sealedAs keeps a secret from being taken for the secret of another endpoint.
func sealedAs(tenant, id ids.ID) string { return "webhook/" + tenant.String() + "/" + id.String() }
