package glassbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"assess/config"
	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// Desk makes links and shows what they lead to.
type Desk struct {
	Authority *access.Authority
	secret    string
	baseURL   string
}

// NewDesk makes a Desk.
func NewDesk(authority *access.Authority, c config.Config) *Desk {
	return &Desk{Authority: authority, secret: c.Auth.KeySecret, baseURL: strings.TrimRight(c.HTTP.BaseURL, "/")}
}

// Terms are what a link shows beyond what all of them do.
type Terms struct {
	CanViewReadinessReasons bool   `json:"canViewReadinessReasons" doc:"The reasons in koeStatus and proofReadiness are shown"`
	IncludeEvidence         string `json:"includeEvidence" enum:"none,hashes,files" doc:"none: nothing of evidence; hashes: what there is, with hashes; files: the files as well"`
}

// LinkInput is a new link.
type LinkInput struct {
	SubmissionID            ids.ID     `json:"-"`
	ExpiresAt               *time.Time `json:"expiresAt,omitempty" doc:"When it ends; without it after auth.link_lifetime, at the latest after auth.link_longest"`
	CanViewReadinessReasons bool       `json:"canViewReadinessReasons,omitempty" doc:"Show the reasons in koeStatus and proofReadiness"`
	IncludeEvidence         string     `json:"includeEvidence,omitempty" enum:"none,hashes,files" doc:"none: nothing of evidence, which is the default; hashes: what there is, with hashes; files: the files as well"`
}

// Link is a link to the glass box of a submission.
type Link struct {
	ID           ids.ID    `json:"id"`
	SubmissionID ids.ID    `json:"submissionId"`
	State        string    `json:"state" enum:"active,expired,revoked"`
	ExpiresAt    time.Time `json:"expiresAt"`
	Terms
	CreatedBy  string     `json:"createdBy" doc:"user:<id> or operator:<name>"`
	CreatedAt  time.Time  `json:"createdAt"`
	RevokedBy  *string    `json:"revokedBy" doc:"user:<id> or operator:<name>"`
	RevokedAt  *time.Time `json:"revokedAt"`
	OpenedAt   *time.Time `json:"openedAt" doc:"When a browser brought its code"`
	Uses       int64      `json:"uses" doc:"Views, of the page, the JSON, the bundle and of files; each is an event of the ledger"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// IssuedLink is a new link with its secrets, which are shown once.
type IssuedLink struct {
	Link
	Token   string `json:"token" doc:"For programs: Authorization: Bearer. Shown once"`
	OpenURL string `json:"openUrl" doc:"For people: leads one browser to the page, which the code in it works for. Shown once"`
}

// Location is where the links of the submission are listed.
func (l IssuedLink) Location() string {
	return "/api/v1/submissions/" + l.SubmissionID.String() + "/glass-box-links"
}

// EvidenceTerms are the values of includeEvidence.
var EvidenceTerms = []string{models.EvidenceNone, models.EvidenceHashes, models.EvidenceFiles}

// Create makes a link. Capability: exceptions.triage, submissions.read and evidence.read. Errors:
// not_found, validation_failed, processing_restricted, subject_erased.
func (d *Desk) Create(ctx context.Context, tx *db.Tx, in LinkInput) (IssuedLink, error) {
	err := mayHandOn(tx)
	if err != nil {
		return IssuedLink{}, err
	}
	if in.IncludeEvidence == "" {
		in.IncludeEvidence = models.EvidenceNone
	}
	var bad errs.Found
	bad.Add(errs.OneOf("includeEvidence", in.IncludeEvidence, EvidenceTerms)...)
	end, err := d.Authority.LinkEnd(tx.Now(), in.ExpiresAt)
	if err != nil {
		bad.Add(errs.Of(err).Fields...)
	}
	err = bad.Err()
	if err != nil {
		return IssuedLink{}, err
	}
	s, err := find(ctx, tx, in.SubmissionID)
	if err == nil {
		err = people.RefuseErased(ctx, tx, s.UserID)
	}
	if err != nil {
		return IssuedLink{}, err
	}
	row := models.LinkPrincipal{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: s.OrgUnitID, SubmissionID: s.ID,
		CanViewReadinessReasons: in.CanViewReadinessReasons, IncludeEvidence: in.IncludeEvidence,
		CreatedBy: tx.Actor().String(), CreatedAt: tx.Now(), ExpiresAt: end.Truncate(time.Second)}
	made, err := d.Authority.IssueLink(ctx, tx, row)
	if err != nil {
		return IssuedLink{}, err
	}
	return IssuedLink{Link: linkOf(row, tx.Now()), Token: made.Token, OpenURL: d.address(s.ID) + "?code=" + url.QueryEscape(made.Code)},
		ledger.Append(ctx, tx, linkEvent("created", row, map[string]any{"expiresAt": row.ExpiresAt.UTC().Format(time.RFC3339),
			"canViewReadinessReasons": row.CanViewReadinessReasons, "includeEvidence": row.IncludeEvidence}))
}

// address is where the glass box of a submission is.
func (d *Desk) address(submission ids.ID) string {
	return d.baseURL + "/api/v1/glassbox/submissions/" + submission.String()
}

// mayHandOn says whether the actor may show results to others: they look after them, and see all of it.
func mayHandOn(tx *db.Tx) error {
	for _, c := range access.HandOn {
		err := tx.Require(c)
		if err != nil {
			return err
		}
	}
	return nil
}

// List gives the links to a submission, the newest first, including links that are over.
// Capability: exceptions.read and submissions.read. Errors: not_found, validation_failed.
func List(ctx context.Context, tx *db.Tx, submission ids.ID, page db.Page) (db.List[Link], error) {
	var none db.List[Link]
	for _, c := range []capability.Capability{capability.ExceptionsRead, capability.SubmissionsRead} {
		err := tx.Require(c)
		if err != nil {
			return none, err
		}
	}
	page, err := page.Check()
	if err != nil {
		return none, err
	}
	err = exists(ctx, tx, submission)
	if err != nil {
		return none, err
	}
	var rows []models.LinkPrincipal
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("l.submission_id = ?", submission), page, &rows, "l.id desc")
	if err != nil {
		return none, fmt.Errorf("list links: %w", err)
	}
	items := make([]Link, 0, len(rows))
	for _, r := range rows {
		items = append(items, linkOf(r, tx.Now()))
	}
	return db.NewList(items, page, total), nil
}

// Revoke ends a link at once. One that is over already stays as it is. Capability: exceptions.triage
// and submissions.read. Errors: not_found.
func Revoke(ctx context.Context, tx *db.Tx, submission, link ids.ID) error {
	err := mayRevoke(tx)
	if err != nil {
		return err
	}
	var there bool
	err = tx.QueryRow(ctx, "select exists (select from link_principals where tenant_id = $1 and id = $2 and submission_id = $3)",
		tx.Tenant(), link, submission).Scan(&there)
	if err != nil {
		return fmt.Errorf("find link: %w", err)
	}
	if !there {
		return errs.New(errs.NotFound, "There is no such link to the submission in your scope.")
	}
	return revoke(ctx, tx, submission, &link)
}

// RevokeAll ends all links to a submission at once. Capability and errors: as Revoke.
func RevokeAll(ctx context.Context, tx *db.Tx, submission ids.ID) error {
	err := mayRevoke(tx)
	if err != nil {
		return err
	}
	err = exists(ctx, tx, submission)
	if err != nil {
		return err
	}
	return revoke(ctx, tx, submission, nil)
}

func mayRevoke(tx *db.Tx) error {
	err := tx.Require(capability.ExceptionsTriage)
	if err != nil {
		return err
	}
	return tx.Require(capability.SubmissionsRead)
}

// revoke ends one link, or all of a submission; only links that had not ended yet get events.
func revoke(ctx context.Context, tx *db.Tx, submission ids.ID, link *ids.ID) error {
	var rows []models.LinkPrincipal
	err := tx.NewRaw(`
		update link_principals set revoked_at = ?, revoked_by = ?
		where tenant_id = ? and submission_id = ? and (?::uuid is null or id = ?) and revoked_at is null returning *`,
		tx.Now(), tx.Actor().String(), tx.Tenant(), submission, link, link).Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("revoke links: %w", err)
	}
	var events []ledger.Event
	for _, r := range rows {
		events = append(events, linkEvent("revoked", r, map[string]any{"uses": r.Uses}))
	}
	return ledger.Append(ctx, tx, events...)
}

// Opened writes down that a browser brought the code of a link.
func Opened(ctx context.Context, tx *db.Tx, door access.Door) error {
	return ledger.Append(ctx, tx, linkEvent("opened", models.LinkPrincipal{ID: door.Link, SubmissionID: door.Submission, OrgUnitID: door.OrgUnit}, map[string]any{}))
}

func linkEvent(what string, r models.LinkPrincipal, payload map[string]any) ledger.Event {
	payload["submissionId"] = r.SubmissionID
	return ledger.Event{Type: "glass_box_link." + what, SubjectType: "glass_box_link", SubjectID: r.ID, OrgUnit: r.OrgUnitID, Payload: payload}
}

func linkOf(r models.LinkPrincipal, now time.Time) Link {
	l := Link{ID: r.ID, SubmissionID: r.SubmissionID, State: "active", ExpiresAt: r.ExpiresAt.UTC(),
		Terms: Terms{r.CanViewReadinessReasons, r.IncludeEvidence}, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.UTC(),
		RevokedBy: r.RevokedBy, RevokedAt: db.UTC(r.RevokedAt), OpenedAt: db.UTC(r.OpenedAt), Uses: r.Uses, LastUsedAt: db.UTC(r.LastUsedAt)}
	switch {
	case r.RevokedAt != nil:
		l.State = "revoked"
	case !r.ExpiresAt.After(now):
		l.State = "expired"
	}
	return l
}

var errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")

// find gives a submission whose data may be used. Errors: not_found, processing_restricted.
func find(ctx context.Context, tx *db.Tx, id ids.ID) (models.Submission, error) {
	var row models.Submission
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("s.id = ?", id).Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, errNoSubmission
	case err != nil:
		return row, fmt.Errorf("find submission: %w", err)
	}
	var restricted bool
	err = tx.QueryRow(ctx, "select coalesce((select restricted from users where tenant_id = $1 and id = $2), false)", tx.Tenant(), row.UserID).Scan(&restricted)
	switch {
	case err != nil:
		return row, fmt.Errorf("look for a restriction: %w", err)
	case restricted:
		return row, hold.Restricted()
	}
	return row, nil
}

func exists(ctx context.Context, tx *db.Tx, submission ids.ID) error {
	there, err := tx.NewSelect().Model((*models.Submission)(nil)).Apply(tx.InScope).Where("s.id = ?", submission).Exists(ctx)
	if err != nil {
		return fmt.Errorf("find submission: %w", err)
	}
	if !there {
		return errNoSubmission
	}
	return nil
}
