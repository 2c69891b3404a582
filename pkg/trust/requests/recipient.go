package requests

import (
	"context"
	"fmt"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
)

// Recipient is an organisation that gets data of people from the tenant.
type Recipient struct {
	ID        ids.ID     `json:"id"`
	Name      string     `json:"name"`
	Role      string     `json:"role" enum:"processor,recipient" doc:"processor: it works on the data for the tenant (GDPR, article 28)"`
	Purpose   string     `json:"purpose" doc:"A purpose of the record of processing"`
	Gets      string     `json:"gets" doc:"What it gets"`
	Contact   string     `json:"contact" doc:"An e-mail address; empty: it is told by hand"`
	WebhookID *ids.ID    `json:"webhookId" doc:"The webhook that it is told by; null: by mail, or by hand"`
	CreatedBy string     `json:"createdBy" doc:"user:<id> or operator:<name>"`
	CreatedAt time.Time  `json:"createdAt"`
	EndedAt   *time.Time `json:"endedAt" doc:"Since when it gets nothing more"`
}

// Location is where the recipient is found.
func (r Recipient) Location() string { return "/api/v1/compliance/recipients/" + r.ID.String() }

func recipientOf(row models.DataRecipient) Recipient {
	return Recipient{ID: row.ID, Name: row.Name, Role: row.Role, Purpose: row.Purpose, Gets: row.Gets, Contact: row.Contact, WebhookID: row.WebhookID,
		CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(), EndedAt: db.UTC(row.EndedAt)}
}

// roles of recipients.
var recipientRoles = []string{"processor", "recipient"}

// RecipientInput is a recipient to be.
type RecipientInput struct {
	Name      string  `json:"name" minLength:"1" maxLength:"200" doc:"Of the organisation"`
	Role      string  `json:"role" enum:"processor,recipient" doc:"processor: it works on the data for the tenant"`
	Purpose   string  `json:"purpose" enum:"accounts,exams,results,integrity,improvement,proof,authoring" doc:"For what it gets them"`
	Gets      string  `json:"gets,omitempty" maxLength:"1000" doc:"What it gets"`
	Contact   string  `json:"contact,omitempty" maxLength:"320" doc:"An e-mail address, where it is told by mail"`
	WebhookID *ids.ID `json:"webhookId,omitempty" noun:"webhook" doc:"The webhook that it is told by"`
}

func (input RecipientInput) check(ctx context.Context, tx *db.Tx) error {
	bad := slices.Concat(errs.Line("name", input.Name, 200, true), errs.OneOf("role", input.Role, recipientRoles),
		errs.OneOf("purpose", input.Purpose, datamap.PurposeCodes()), errs.Prose("gets", input.Gets, 1000, false), errs.Line("contact", input.Contact, 320, false))
	for _, needed := range [][2]string{{"role", input.Role}, {"purpose", input.Purpose}} {
		if needed[1] == "" {
			bad = append(bad, errs.Field{Path: needed[0], Code: "required", Message: "it must not be empty"})
		}
	}
	if input.Contact != "" {
		if address, err := netmail.ParseAddress(input.Contact); err != nil || address.Address != input.Contact {
			bad = append(bad, errs.Field{Path: "contact", Code: "invalid", Message: "an e-mail address, without a name"})
		}
	}
	if input.WebhookID != nil {
		var there bool
		err := tx.QueryRow(ctx, "select exists (select from webhook_endpoints where tenant_id = $1 and id = $2)", tx.Tenant(), *input.WebhookID).Scan(&there)
		if err != nil {
			return fmt.Errorf("find the webhook of a recipient: %w", err)
		}
		if !there {
			bad = append(bad, errs.Field{Path: "webhookId", Code: "not_found", Message: "there is no such webhook"})
		}
	}
	slices.SortFunc(bad, func(a, b errs.Field) int { return strings.Compare(a.Path, b.Path) })
	return errs.Invalid(bad...)
}

// CreateRecipient enters a recipient in the register. Capability: compliance.manage, over the whole tenant. Errors: forbidden,
// validation_failed, duplicate_name.
func CreateRecipient(ctx context.Context, tx *db.Tx, input RecipientInput) (Recipient, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Recipient{}, err
	}
	if err := input.check(ctx, tx); err != nil {
		return Recipient{}, err
	}
	row := models.DataRecipient{TenantID: tx.Tenant(), ID: ids.New(), CreatedBy: tx.Actor().String(), CreatedAt: tx.Now()}
	return input.into(ctx, tx, row, "created")
}

// into writes a recipient down.
func (input RecipientInput) into(ctx context.Context, tx *db.Tx, row models.DataRecipient, change string) (Recipient, error) {
	row.Name, row.Role, row.Purpose, row.Gets, row.Contact, row.WebhookID = input.Name, input.Role, input.Purpose, input.Gets, input.Contact, input.WebhookID
	_, err := tx.NewInsert().Model(&row).On("conflict (tenant_id, id) do update").
		Set("name = excluded.name, role = excluded.role, purpose = excluded.purpose, gets = excluded.gets, contact = excluded.contact, webhook_id = excluded.webhook_id").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return Recipient{}, fmt.Errorf("store a recipient: %w", err)
	}
	return recipientOf(row), recipientEvent(ctx, tx, row, change)
}

func recipientEvent(ctx context.Context, tx *db.Tx, row models.DataRecipient, change string) error {
	return ledger.Append(ctx, tx, ledger.Event{Type: "data_recipient." + change, SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"recipientId": row.ID, "role": row.Role, "purpose": row.Purpose, "webhookId": row.WebhookID}})
}

// recipientByID finds a recipient.
func recipientByID(ctx context.Context, tx *db.Tx, id ids.ID, locked bool) (models.DataRecipient, error) {
	var rows []models.DataRecipient
	query := tx.NewSelect().Model(&rows).Where("d.tenant_id = ? and d.id = ?", tx.Tenant(), id)
	if locked {
		query = query.For("update")
	}
	err := query.Scan(ctx)
	if err != nil {
		return models.DataRecipient{}, fmt.Errorf("read a recipient: %w", err)
	}
	if len(rows) == 0 {
		return models.DataRecipient{}, errs.New(errs.NotFound, "There is no such recipient.")
	}
	return rows[0], nil
}

// GetRecipient gives a recipient. Capability: compliance.read, over the whole tenant. Errors: forbidden, not_found.
func GetRecipient(ctx context.Context, tx *db.Tx, id ids.ID) (Recipient, error) {
	if err := compliance.RequireReader(tx); err != nil {
		return Recipient{}, err
	}
	row, err := recipientByID(ctx, tx, id, false)
	return recipientOf(row), err
}

// UpdateRecipient replaces what the register says of a recipient. Errors: as CreateRecipient, not_found.
func UpdateRecipient(ctx context.Context, tx *db.Tx, id ids.ID, input RecipientInput) (Recipient, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Recipient{}, err
	}
	row, err := recipientByID(ctx, tx, id, true)
	if err != nil {
		return Recipient{}, err
	}
	if row.EndedAt != nil {
		return Recipient{}, errs.New(errs.Conflict, "The recipient gets nothing any more; enter it anew.")
	}
	if err := input.check(ctx, tx); err != nil {
		return Recipient{}, err
	}
	return input.into(ctx, tx, row, "changed")
}

// EndRecipient says that a recipient gets nothing more; tasks that are open stay. Capability and errors: as UpdateRecipient.
func EndRecipient(ctx context.Context, tx *db.Tx, id ids.ID) (Recipient, error) {
	if err := compliance.RequireManager(tx); err != nil {
		return Recipient{}, err
	}
	row, err := recipientByID(ctx, tx, id, true)
	if err != nil || row.EndedAt != nil {
		return recipientOf(row), err
	}
	row.EndedAt = new(tx.Now())
	_, err = tx.Exec(ctx, "update data_recipients set ended_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), id, row.EndedAt)
	if err != nil {
		return Recipient{}, fmt.Errorf("end a recipient: %w", err)
	}
	return recipientOf(row), recipientEvent(ctx, tx, row, "ended")
}

// RecipientFilter chooses recipients.
type RecipientFilter struct {
	Ended bool `query:"ended" doc:"Those, too, that get nothing any more"`
	db.Page
}

// ListRecipients gives the recipients in the order in which they were entered. Capability: compliance.read, over the whole tenant.
func ListRecipients(ctx context.Context, tx *db.Tx, f RecipientFilter) (db.List[Recipient], error) {
	var none db.List[Recipient]
	if err := compliance.RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.Check()
	if err != nil {
		return none, err
	}
	var rows []models.DataRecipient
	query := tx.NewSelect().Model(&rows).Where("d.tenant_id = ?", tx.Tenant())
	if !f.Ended {
		query = query.Where("d.ended_at is null")
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "d.created_at", "d.id")
	if err != nil {
		return none, fmt.Errorf("list recipients: %w", err)
	}
	items := make([]Recipient, 0, len(rows))
	for _, row := range rows {
		items = append(items, recipientOf(row))
	}
	return db.NewList(items, page, total), nil
}

// CurrentRecipients are all that get data now, for the record of processing. It requires no capability.
func CurrentRecipients(ctx context.Context, tx *db.Tx) ([]Recipient, error) {
	rows, err := tx.Query(ctx, `select id, name, role, purpose, gets, contact, webhook_id, created_by, created_at, ended_at from data_recipients
		where tenant_id = $1 and ended_at is null order by created_at, id`, tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("list recipients: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Recipient])
	if err != nil {
		return nil, fmt.Errorf("list recipients: %w", err)
	}
	return all, nil
}
