package requests

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/compliance"
)

// account is the channel of people who make a request for themselves.
const account = "account"

// Own is a request as the person sees it: without who worked on it.
type Own struct {
	ID           ids.ID     `json:"id"`
	Kind         string     `json:"kind" enum:"access,erasure,restriction,objection,rectification,portability"`
	State        string     `json:"state" enum:"received,identity_pending,verified,decided,carried_out,answered,withdrawn"`
	ReceivedAt   time.Time  `json:"receivedAt"`
	SLADueAt     time.Time  `json:"sla_due_at" doc:"When the answer is due"`
	SLAState     string     `json:"sla_state" enum:"on_track,at_risk,breached,paused"`
	ExtendedAt   *time.Time `json:"extendedAt" doc:"When two months were added to the time for the answer"`
	Decision     *string    `json:"decision" doc:"granted, partly or refused; null before"`
	ReasonCode   *string    `json:"reason_code"`
	Reason       *string    `json:"reason" doc:"What the code means"`
	DecidedAt    *time.Time `json:"decidedAt"`
	NotBefore    *time.Time `json:"notBefore" doc:"An erasure begins no earlier; until then it can be withdrawn"`
	ContestedAt  *time.Time `json:"contestedAt"`
	MayContest   bool       `json:"mayContest" doc:"The decision can be contested, once"`
	MayWithdraw  bool       `json:"mayWithdraw"`
	CarriedOutAt *time.Time `json:"carriedOutAt"`
	EndedAt      *time.Time `json:"endedAt" doc:"When it was answered or withdrawn"`
	Files        []OwnFile  `json:"files" nullable:"false" doc:"That were made for it and are still kept"`
}

// OwnFile is a file that was made for a request.
type OwnFile struct {
	Name   string `json:"name"`
	Href   string `json:"href" doc:"Where it is fetched with the token of the person"`
	SHA256 string `json:"sha256"`
}

// Location is where the request is found.
func (o Own) Location() string { return "/api/v1/users/me/requests/" + o.ID.String() }

func ownOf(row models.ComplianceRequest, now time.Time) Own {
	o := Own{ID: row.ID, Kind: row.Kind, State: row.State, ReceivedAt: row.ReceivedAt.UTC(), SLADueAt: due(row, now).UTC(), SLAState: slaOf(row, now),
		ExtendedAt: db.UTC(row.ExtendedAt), Decision: row.Decision, ReasonCode: row.ReasonCode, DecidedAt: db.UTC(row.DecidedAt), NotBefore: db.UTC(row.NotBefore),
		ContestedAt: db.UTC(row.ContestedAt), MayContest: contestable(row), MayWithdraw: slices.Contains(withdrawable, row.State),
		CarriedOutAt: db.UTC(row.CarriedOutAt), EndedAt: db.UTC(row.EndedAt), Files: []OwnFile{}}
	for _, r := range Refusals {
		if r.Code == db.OrZero(row.ReasonCode) {
			o.Reason = &r.Meaning
		}
	}
	return o
}

// person is who calls for themselves.
func person(tx *db.Tx) (ids.ID, error) {
	if tx.Actor().Kind != db.UserActor {
		return ids.None, errs.New(errs.Forbidden, "This is for people who sign in.")
	}
	return tx.Actor().ID, nil
}

// ListOwn gives the caller's own requests, the newest first. It requires no capability.
func ListOwn(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Own], error) {
	var none db.List[Own]
	me, err := person(tx)
	if err != nil {
		return none, err
	}
	page, err = page.Check()
	if err != nil {
		return none, err
	}
	var rows []models.ComplianceRequest
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("r.tenant_id = ? and r.subject_id = ?", tx.Tenant(), me), page, &rows, "r.received_at desc", "r.id desc")
	if err != nil {
		return none, fmt.Errorf("list one's own requests: %w", err)
	}
	items, err := owned(ctx, tx, me, rows)
	return db.NewList(items, page, total), err
}

// owned shows requests with the files that were made for them.
func owned(ctx context.Context, tx *db.Tx, me ids.ID, rows []models.ComplianceRequest) ([]Own, error) {
	files, err := compliance.ArtifactsAbout(ctx, tx, me)
	if err != nil {
		return nil, err
	}
	all := make([]Own, 0, len(rows))
	for _, row := range rows {
		o := ownOf(row, tx.Now())
		for _, f := range files {
			if f.JobType == compliance.DSARExport && f.RequestID != nil && *f.RequestID == row.ID {
				o.Files = append(o.Files, OwnFile{Name: f.Name, Href: "/api/v1/compliance/jobs/" + f.JobID.String() + "/artifacts/" + f.Name, SHA256: f.SHA256})
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// mine finds a request of the caller.
func mine(ctx context.Context, tx *db.Tx, id ids.ID, locked bool) (models.ComplianceRequest, error) {
	me, err := person(tx)
	if err != nil {
		return models.ComplianceRequest{}, err
	}
	row, err := find(ctx, tx, id, locked)
	if err == nil && (row.SubjectID == nil || *row.SubjectID != me) {
		err = errNoRequest
	}
	return row, err
}

func shown(ctx context.Context, tx *db.Tx, row models.ComplianceRequest) (Own, error) {
	all, err := owned(ctx, tx, *row.SubjectID, []models.ComplianceRequest{row})
	if err != nil {
		return Own{}, err
	}
	return all[0], nil
}

// GetOwn gives a request of the caller. Errors: not_found.
func GetOwn(ctx context.Context, tx *db.Tx, id ids.ID) (Own, error) {
	row, err := mine(ctx, tx, id, false)
	if err != nil {
		return Own{}, err
	}
	return shown(ctx, tx, row)
}

// OwnInput is what somebody asks about their own data.
type OwnInput struct {
	Kind   string `json:"kind" enum:"access,erasure,restriction,objection,rectification,portability" doc:"What is asked for"`
	Locale string `json:"locale,omitempty" maxLength:"35" example:"de" doc:"Language of the letters; that of the tenant when absent"`
}

// Ask makes a request of the caller about their own data. They have just signed in, which a step-up proof shows: so it
// is verified at once. Errors: validation_failed, step_up_required, request_open, subject_erased.
func Ask(ctx context.Context, tx *db.Tx, input OwnInput) (Own, error) {
	return ask(ctx, tx, input, account, "step_up")
}

// AskByLink makes a request of somebody who came by a link that was mailed to the address of their record, which shows who they are.
// Errors: validation_failed, request_open, subject_erased.
func AskByLink(ctx context.Context, tx *db.Tx, input OwnInput) (Own, error) {
	return ask(ctx, tx, input, "link", "mail_link")
}

func ask(ctx context.Context, tx *db.Tx, input OwnInput, channel, identity string) (Own, error) {
	me, err := person(tx)
	if err != nil {
		return Own{}, err
	}
	bad := errs.OneOf("kind", input.Kind, Kinds)
	if input.Kind == "" {
		bad = append(bad, errs.Field{Path: "kind", Code: "required", Message: "say what you ask for"})
	}
	if err := errs.Invalid(append(bad, checkLocale(&input.Locale)...)...); err != nil {
		return Own{}, err
	}
	if err := requireUser(ctx, tx, me); err != nil {
		return Own{}, err
	}
	var open bool
	err = tx.QueryRow(ctx, "select exists (select from compliance_requests where tenant_id = $1 and subject_id = $2 and kind = $3 and channel in ('account', 'link') and ended_at is null)",
		tx.Tenant(), me, input.Kind).Scan(&open)
	if err != nil {
		return Own{}, fmt.Errorf("look for an open request: %w", err)
	}
	if open {
		return Own{}, errs.New(errs.RequestOpen, "%s", errs.Meaning(errs.RequestOpen))
	}
	if channel == account {
		if err := policy.Prove(ctx, tx); err != nil {
			return Own{}, err
		}
	}
	row := newRow(tx, input.Kind, channel, tx.Now())
	row.SubjectID, row.Locale = &me, input.Locale
	err = keep(ctx, tx, &row, step{change: "received"})
	if err != nil {
		return Own{}, err
	}
	verify(tx, &row, identity)
	if err := keep(ctx, tx, &row, step{change: "verified", code: identity}); err != nil {
		return Own{}, err
	}
	return shown(ctx, tx, row)
}

// withdrawable are the states in which a request can be taken back.
var withdrawable = []string{Received, IdentityPending, Verified, Decided}

// WithdrawOwn takes a request of the caller back, as long as nobody carries it out. Errors: not_found, wrong_request_state.
func WithdrawOwn(ctx context.Context, tx *db.Tx, id ids.ID) (Own, error) {
	row, err := mine(ctx, tx, id, true)
	if err != nil {
		return Own{}, err
	}
	if !slices.Contains(withdrawable, row.State) {
		return Own{}, wrongState(row)
	}
	row, err = takeBack(ctx, tx, row)
	if err != nil {
		return Own{}, err
	}
	return shown(ctx, tx, row)
}

// contestable says whether the person may contest the decision: a refusal, also of a part, once.
func contestable(row models.ComplianceRequest) bool {
	switch {
	case row.Decision == nil || row.ContestedAt != nil || row.State == Withdrawn:
		return false
	case *row.Decision == Refused:
		return true
	}
	return *row.Decision == Partly && row.State == Answered
}

// Contest has somebody else decide anew about a request of the caller that was refused, at least in part. The time begins anew.
// Errors: not_found, wrong_request_state.
func Contest(ctx context.Context, tx *db.Tx, id ids.ID) (Own, error) {
	row, err := mine(ctx, tx, id, true)
	if err != nil {
		return Own{}, err
	}
	if !contestable(row) {
		return Own{}, wrongState(row)
	}
	row.State = Verified
	if row.Identity == nil {
		row.State = Received // it was refused because nobody could tell
	}
	row.RefusedBy, row.Decision, row.ReasonCode, row.DecidedBy, row.DecidedAt = row.DecidedBy, nil, nil, nil, nil
	row.ContestedAt, row.ClockFrom, row.DueAt = new(tx.Now()), tx.Now(), later(tx.Now(), answerMonths)
	row.ExtendedAt, row.ExtensionReason, row.CarriedOutAt, row.EndedAt, row.NotBefore = nil, nil, nil, nil, nil
	if err := keep(ctx, tx, &row, step{change: "contested"}); err != nil {
		return Own{}, err
	}
	return shown(ctx, tx, row)
}
