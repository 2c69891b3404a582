package reportlink

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

// Desk makes links.
type Desk struct {
	authority *access.Authority
	baseURL   string
}

// NewDesk makes a Desk; baseURL is where the interface is reached (http.base_url).
func NewDesk(authority *access.Authority, baseURL string) *Desk {
	return &Desk{authority: authority, baseURL: strings.TrimRight(baseURL, "/")}
}

// Input is a new link.
type Input struct {
	Subject
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"When it ends; without it after auth.link_lifetime, at the latest after auth.link_longest"`
}

// Link is a link to a report.
type Link struct {
	ID    ids.ID `json:"id"`
	State string `json:"state" enum:"active,expired,revoked" doc:"An active one shows nothing while its maker may not read reports of the org unit"`
	Subject
	ExpiresAt  time.Time  `json:"expiresAt"`
	CreatedBy  string     `json:"createdBy" doc:"user:<id> or operator:<name>"`
	CreatedAt  time.Time  `json:"createdAt"`
	RevokedBy  *string    `json:"revokedBy" doc:"user:<id> or operator:<name>"`
	RevokedAt  *time.Time `json:"revokedAt"`
	OpenedAt   *time.Time `json:"openedAt" doc:"When a browser brought its code"`
	Uses       int64      `json:"uses" doc:"How often the report was read"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// Issued is a new link with its address, which has a secret in it and is shown once.
type Issued struct {
	Link
	OpenURL string `json:"openUrl" doc:"Leads one browser to the page: the code in it works there, and nowhere else afterwards. Shown once"`
}

// Path is where the page of a link is; its address is no secret.
func Path(link ids.ID) string { return "/api/v1/report-links/" + link.String() }

// Location is where the links are listed.
func (Issued) Location() string { return "/api/v1/reporting/links" }

// Create makes a link to a report of one org unit: the one of the evaluation version or, without a version, the one of
// the caller. A report that the caller cannot read is refused. Capability: reporting.view. Errors: validation_failed,
// not_found.
func (d *Desk) Create(ctx context.Context, tx *db.Tx, in Input) (Issued, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return Issued{}, err
	}
	orgUnit, err := in.orgUnit(ctx, tx)
	if err != nil {
		return Issued{}, err
	}
	end, err := d.authority.LinkEnd(tx.Now(), in.ExpiresAt)
	if err != nil {
		return Issued{}, err
	}
	_, err = in.read(ctx, tx)
	if err != nil {
		return Issued{}, err
	}
	subject, err := json.Marshal(in.Subject)
	if err != nil {
		return Issued{}, fmt.Errorf("store link: %w", err)
	}
	row := models.LinkPrincipal{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: orgUnit, Report: subject, IncludeEvidence: models.EvidenceNone,
		CreatedBy: tx.Actor().String(), CreatedAt: tx.Now(), ExpiresAt: end.Truncate(time.Second)}
	code, err := access.StoreLink(ctx, tx, row)
	if err != nil {
		return Issued{}, err
	}
	l, err := linkOf(row, tx.Now())
	if err != nil {
		return Issued{}, err
	}
	return Issued{Link: l, OpenURL: d.baseURL + Path(row.ID) + "?code=" + url.QueryEscape(code)},
		ledger.Append(ctx, tx, event("created", row, map[string]any{"expiresAt": row.ExpiresAt.UTC().Format(time.RFC3339), "report": in.Report}))
}

// List gives the links of the scope, the newest first, including links that are over. Capability:
// reporting.view. Errors: validation_failed.
func List(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Link], error) {
	var none db.List[Link]
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return none, err
	}
	page, err = page.Check()
	if err != nil {
		return none, err
	}
	var rows []models.LinkPrincipal
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("l.report is not null"), page, &rows, "l.id desc")
	if err != nil {
		return none, fmt.Errorf("list links: %w", err)
	}
	items := make([]Link, 0, len(rows))
	for _, r := range rows {
		l, err := linkOf(r, tx.Now())
		if err != nil {
			return none, err
		}
		items = append(items, l)
	}
	return db.NewList(items, page, total), nil
}

// Revoke ends a link at once. A link that is over already stays as it is. Capability:
// reporting.view. Errors: not_found.
func Revoke(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return err
	}
	var row models.LinkPrincipal
	err = tx.NewSelect().Model(&row).Apply(tx.InScope).Where("l.id = ? and l.report is not null", id).For("update").Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return errs.New(errs.NotFound, "There is no such link in your scope.")
	case err != nil:
		return fmt.Errorf("find link: %w", err)
	case row.RevokedAt != nil:
		return nil
	}
	_, err = tx.Exec(ctx, "update link_principals set revoked_at = $3, revoked_by = $4 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, tx.Now(), tx.Actor().String())
	if err != nil {
		return fmt.Errorf("revoke link: %w", err)
	}
	return ledger.Append(ctx, tx, event("revoked", row, map[string]any{"uses": row.Uses}))
}

// Opened records that a browser brought the code of a link.
func Opened(ctx context.Context, tx *db.Tx, door access.Door) error {
	return ledger.Append(ctx, tx, event("opened", models.LinkPrincipal{ID: door.Link, OrgUnitID: door.OrgUnit}, map[string]any{}))
}

const useSQL = `
update link_principals set uses = uses + 1, last_used_at = $4
where tenant_id = $1 and id = $2 and id = $3 and report is not null and revoked_at is null and expires_at > $4
returning report, created_by`

// View reads the report of a link for its holder, with the figures of this moment, and counts the use.
// It locks the row: a link that is withdrawn at the same moment has either been used before or cannot
// be used any more. Errors: forbidden when the caller is not a link; not_found for another link, and
// once the report is gone.
func View(ctx context.Context, tx *db.Tx, id ids.ID) (Report, error) {
	link := tx.Actor()
	if link.Kind != db.LinkActor {
		return Report{}, errs.New(errs.Forbidden, "The page of a link opens to links alone.")
	}
	var stored []byte
	var maker string
	err := tx.QueryRow(ctx, useSQL, tx.Tenant(), link.ID, id, tx.Now()).Scan(&stored, &maker)
	if errors.Is(err, pgx.ErrNoRows) {
		return Report{}, errs.New(errs.NotFound, "This is not the report of your link.")
	}
	if err != nil {
		return Report{}, fmt.Errorf("use link: %w", err)
	}
	var s Subject
	err = json.Unmarshal(stored, &s)
	if err != nil {
		return Report{}, fmt.Errorf("read link: %w", err)
	}
	r, err := s.read(ctx, tx)
	if err != nil {
		return Report{}, err
	}
	r.SharedBy, err = access.NameOfMaker(ctx, tx, maker)
	return r, err
}

func event(what string, r models.LinkPrincipal, payload map[string]any) ledger.Event {
	return ledger.Event{Type: "report_link." + what, SubjectType: "report_link", SubjectID: r.ID, OrgUnit: r.OrgUnitID, Payload: payload}
}

func linkOf(r models.LinkPrincipal, now time.Time) (Link, error) {
	l := Link{ID: r.ID, State: "active", ExpiresAt: r.ExpiresAt.UTC(), CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(), RevokedBy: r.RevokedBy,
		RevokedAt: db.UTC(r.RevokedAt), OpenedAt: db.UTC(r.OpenedAt), Uses: r.Uses, LastUsedAt: db.UTC(r.LastUsedAt)}
	switch {
	case r.RevokedAt != nil:
		l.State = "revoked"
	case !r.ExpiresAt.After(now):
		l.State = "expired"
	}
	err := json.Unmarshal(r.Report, &l.Subject)
	if err != nil {
		return Link{}, fmt.Errorf("read link %s: %w", r.ID, err)
	}
	return l, nil
}
