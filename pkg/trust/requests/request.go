package requests

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Request is a request of a person about their data.
type Request struct {
	ID              ids.ID     `json:"id"`
	Kind            string     `json:"kind" enum:"access,erasure,restriction,objection,rectification,portability"`
	Channel         string     `json:"channel" enum:"letter,mail,phone,in_person,other,account,link" doc:"How it came"`
	State           string     `json:"state" enum:"received,identity_pending,verified,decided,carried_out,answered,withdrawn"`
	SubjectID       *ids.ID    `json:"subject_id" doc:"The user whom it is about; null while that is to be found out"`
	ReceivedAt      time.Time  `json:"receivedAt"`
	SLADueAt        time.Time  `json:"sla_due_at" doc:"When the answer is due: a month after the receipt, without the time for which the identity was open, and two more where it was extended"`
	SLAState        string     `json:"sla_state" enum:"on_track,at_risk,breached,paused" doc:"at_risk: open, with less than a fifth of the time left; breached: open after its time, or answered after it; paused: the identity is open"`
	IdentityAskedAt *time.Time `json:"identityAskedAt" doc:"Since when the time stands still; null: it runs"`
	Identity        *string    `json:"identity" doc:"How the person has shown that the request is theirs"`
	ExtendedAt      *time.Time `json:"extendedAt"`
	ExtensionReason *string    `json:"extensionReason"`
	Decision        *string    `json:"decision" doc:"granted, partly or refused; null before"`
	ReasonCode      *string    `json:"reason_code" doc:"Why not, or only in part"`
	DecidedBy       *string    `json:"decidedBy" doc:"user:<id>, operator:<name> or system:<job>"`
	DecidedAt       *time.Time `json:"decidedAt"`
	ContestedAt     *time.Time `json:"contestedAt" doc:"When the person contested the refusal; the time began anew"`
	NotBefore       *time.Time `json:"notBefore" doc:"An erasure begins no earlier; until then the person can take it back"`
	CarriedOutAt    *time.Time `json:"carriedOutAt"`
	EndedAt         *time.Time `json:"endedAt" doc:"When it was answered or withdrawn"`
	RecordedBy      string     `json:"recordedBy" doc:"user:<id>, operator:<name> or system:<job>"`
	CreatedAt       time.Time  `json:"createdAt"`
	Locale          string     `json:"locale" doc:"Of the letters; empty: that of the tenant"`
}

// Detail is a request with its changes, the oldest first.
type Detail struct {
	Request
	Changes []Change `json:"changes" nullable:"false"`
	Jobs    []Job    `json:"jobs" nullable:"false" doc:"That carry it out, or tried to"`
	Letters []Letter `json:"letters" nullable:"false" doc:"That went to the person"`
	Tasks   []Task   `json:"tasks" nullable:"false" doc:"Of recipients, who are told once it is carried out"`
	Notes   int      `json:"notes" doc:"How many sealed notes there are; they go when the request ends"`
}

// Change is a change of a request.
type Change struct {
	Number  int       `json:"number"`
	Change  string    `json:"change" example:"decided" doc:"The event of the ledger, without request."`
	State   string    `json:"state" doc:"After it"`
	Code    *string   `json:"code" doc:"Of a decision, reason, identity or job"`
	JobID   *ids.ID   `json:"job_id"`
	Actor   string    `json:"actor" doc:"user:<id>, operator:<name> or system:<job>"`
	EventID ids.ID    `json:"eventId" doc:"In the ledger"`
	At      time.Time `json:"at"`
}

// Job names a job of a request.
type Job struct {
	ID      ids.ID `json:"id"`
	JobType string `json:"job_type"`
	Status  string `json:"status"`
}

// Location is where the request is found.
func (d Detail) Location() string { return "/api/v1/compliance/requests/" + d.ID.String() }

func requestOf(row models.ComplianceRequest, now time.Time) Request {
	return Request{ID: row.ID, Kind: row.Kind, Channel: row.Channel, State: row.State, SubjectID: row.SubjectID, ReceivedAt: row.ReceivedAt.UTC(),
		SLADueAt: due(row, now).UTC(), SLAState: slaOf(row, now), IdentityAskedAt: db.UTC(row.IdentityAskedAt), Identity: row.Identity,
		ExtendedAt: db.UTC(row.ExtendedAt), ExtensionReason: row.ExtensionReason, Decision: row.Decision, ReasonCode: row.ReasonCode,
		DecidedBy: row.DecidedBy, DecidedAt: db.UTC(row.DecidedAt), ContestedAt: db.UTC(row.ContestedAt), NotBefore: db.UTC(row.NotBefore), CarriedOutAt: db.UTC(row.CarriedOutAt),
		EndedAt: db.UTC(row.EndedAt), RecordedBy: row.RecordedBy, CreatedAt: row.CreatedAt.UTC(), Locale: row.Locale}
}

var errNoRequest = errs.New(errs.NotFound, "There is no such request.")

// lock reads a request that is about to change.
func lock(ctx context.Context, tx *db.Tx, id ids.ID) (models.ComplianceRequest, error) {
	return find(ctx, tx, id, true)
}

func find(ctx context.Context, tx *db.Tx, id ids.ID, locked bool) (models.ComplianceRequest, error) {
	var rows []models.ComplianceRequest
	query := tx.NewSelect().Model(&rows).Where("r.tenant_id = ? and r.id = ?", tx.Tenant(), id)
	if locked {
		query = query.For("update")
	}
	err := query.Scan(ctx)
	if err != nil {
		return models.ComplianceRequest{}, fmt.Errorf("read a request: %w", err)
	}
	if len(rows) == 0 {
		return models.ComplianceRequest{}, errNoRequest
	}
	return rows[0], nil
}

// step is a change of a request, as the history and the ledger tell it.
type step struct {
	change, code string
	job          ids.ID
}

// keep writes a request down together with a change of it and the event of that.
func keep(ctx context.Context, tx *db.Tx, row *models.ComplianceRequest, s step) error {
	row.ChangesN++
	if row.ChangesN == 1 {
		_, err := tx.NewInsert().Model(row).Returning("NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("store a request: %w", err)
		}
	} else {
		_, err := tx.NewUpdate().Model(row).WherePK().Returning("NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("change a request: %w", err)
		}
	}
	event := ledger.Event{ID: ids.New(), Type: "request." + s.change, SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"requestId": row.ID, "kind": row.Kind, "state": row.State}}
	change := models.ComplianceRequestChange{TenantID: tx.Tenant(), RequestID: row.ID, Number: row.ChangesN, Change: s.change, State: row.State,
		JobID: ids.Ref(s.job), Actor: tx.Actor().String(), EventID: event.ID, At: tx.Now()}
	if row.SubjectID != nil {
		event.SubjectType, event.SubjectID = "user", *row.SubjectID
	}
	if s.code != "" {
		change.Code, event.Payload["code"] = &s.code, s.code
	}
	if row.Decision != nil {
		event.Payload["decision"] = *row.Decision
	}
	if s.job != ids.None {
		event.Payload["jobId"] = s.job
	}
	_, err := tx.NewInsert().Model(&change).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("write down the change of a request: %w", err)
	}
	err = ledger.Append(ctx, tx, event)
	if err == nil {
		err = tellPerson(ctx, tx, *row, s)
	}
	if err == nil {
		err = tellRecipients(ctx, tx, *row, s)
	}
	return err
}

// end ends a request. The notes that officers wrote about it go.
func end(ctx context.Context, tx *db.Tx, row *models.ComplianceRequest, state string) error {
	if row.IdentityAskedAt != nil {
		run(row, tx.Now())
	}
	row.State, row.EndedAt = state, new(tx.Now())
	_, err := tx.Exec(ctx, "delete from compliance_request_notes where tenant_id = $1 and request_id = $2", tx.Tenant(), row.ID)
	if err != nil {
		return fmt.Errorf("delete the notes of a request: %w", err)
	}
	return nil
}

// wrongState refuses what cannot be done in the state of a request.
func wrongState(row models.ComplianceRequest) error {
	return errs.New(errs.WrongRequestState, "The request is %s; this cannot be done now.", row.State).With("state", row.State)
}
