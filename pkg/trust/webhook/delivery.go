package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// farthestReplay is how far back a replay begins at most, and slack how much earlier it begins than asked: an event is
// written with the commit of its cause, which may have begun long before.
const (
	farthestReplay = 31 * 24 * time.Hour
	slack          = 10 * time.Minute
)

// Delivery is an event for an endpoint.
type Delivery struct {
	ID         ids.ID     `json:"id"`
	EventID    ids.ID     `json:"eventId" doc:"The header webhook-id is evt_ and this; the same in each call"`
	Type       string     `json:"type"`
	Seq        int64      `json:"seq"`
	State      string     `json:"state" enum:"due,sent,failed"`
	Attempts   int        `json:"attempts"`
	NextAt     *time.Time `json:"nextAt,omitempty" doc:"When the next call is, at the earliest"`
	Status     *int       `json:"status,omitempty" doc:"What the last call was answered; absent where nothing answered"`
	Answer     string     `json:"answer,omitempty" doc:"The first 1,024 bytes of the last answer, or why there was none"`
	Body       Message    `json:"body" doc:"What is sent"`
	OccurredAt time.Time  `json:"occurredAt"`
	CreatedAt  time.Time  `json:"createdAt"`
	EndedAt    *time.Time `json:"endedAt,omitempty"`
}

const deliveryColumns = "id, event_id, event_type, seq, state, attempts, case when state = 'due' then next_at end, status, coalesce(answer, ''), body, occurred_at, created_at, ended_at"

func scanDelivery(row pgx.CollectableRow) (Delivery, error) {
	var d Delivery
	var body string
	err := row.Scan(&d.ID, &d.EventID, &d.Type, &d.Seq, &d.State, &d.Attempts, &d.NextAt, &d.Status, &d.Answer, &body, &d.OccurredAt, &d.CreatedAt, &d.EndedAt)
	if err == nil {
		err = json.Unmarshal([]byte(body), &d.Body)
	}
	return d, err
}

// DeliveryFilter chooses deliveries.
type DeliveryFilter struct {
	State string `query:"state" json:"-" enum:"due,sent,failed" doc:"Only those in this state"`
	db.Page
}

// ListDeliveries lists what was sent to an endpoint in the last 14 days, and what will be sent, the newest first.
// Capability: integrations.read or integrations.manage. Errors: not_found, validation_failed.
func ListDeliveries(ctx context.Context, tx *db.Tx, id ids.ID, filter DeliveryFilter) (db.List[Delivery], error) {
	none := db.List[Delivery]{}
	_, err := Get(ctx, tx, id)
	if err == nil && filter.State != "" {
		err = errs.Invalid(errs.OneOf("state", filter.State, []string{"due", "sent", "failed"})...)
	}
	if err != nil {
		return none, err
	}
	page, err := filter.Page.Check()
	if err != nil {
		return none, err
	}
	of := " from webhook_deliveries where tenant_id = $1 and endpoint_id = $2" + ofState[filter.State]
	var total int
	err = tx.QueryRow(ctx, "select count(*)"+of, tx.Tenant(), id).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count deliveries: %w", err)
	}
	w, order := page.Window(total), " order by created_at desc, id desc"
	if w.FromEnd {
		order = " order by created_at, id"
	}
	rows, err := tx.Query(ctx, "select "+deliveryColumns+of+order+" limit $3 offset $4", tx.Tenant(), id, w.Take, w.Skip)
	if err != nil {
		return none, fmt.Errorf("list deliveries: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanDelivery)
	if err != nil {
		return none, fmt.Errorf("list deliveries: %w", err)
	}
	if w.FromEnd {
		slices.Reverse(all)
	}
	return db.NewList(all, page, total), nil
}

// ofState is in words that the partial indexes have.
var ofState = map[string]string{"due": " and state = 'due'", "failed": " and state = 'failed'", "sent": " and state = 'sent'"}

// RedeliverInput names a delivery.
type RedeliverInput struct {
	ID         ids.ID `path:"id" noun:"webhook"`
	DeliveryID ids.ID `path:"deliveryId" noun:"delivery"`
}

// Redeliver sends a delivery again, as it was. Capability: integrations.manage. Errors: not_found, webhook_disabled.
func Redeliver(ctx context.Context, tx *db.Tx, input RedeliverInput) (Delivery, error) {
	_, err := ready(ctx, tx, input.ID)
	if err != nil {
		return Delivery{}, err
	}
	rows, err := tx.Query(ctx, `
		update webhook_deliveries set state = 'due', attempts = 0, next_at = $4, ended_at = null
		where tenant_id = $1 and endpoint_id = $2 and id = $3 returning `+deliveryColumns, tx.Tenant(), input.ID, input.DeliveryID, tx.Now())
	if err != nil {
		return Delivery{}, fmt.Errorf("send again: %w", err)
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if errors.Is(err, pgx.ErrNoRows) {
		return Delivery{}, errs.New(errs.NotFound, "There is no such delivery of this webhook.")
	}
	if err != nil {
		return Delivery{}, fmt.Errorf("send again: %w", err)
	}
	return d, nil
}

// ready finds an endpoint that calls go to.
func ready(ctx context.Context, tx *db.Tx, id ids.ID) (Endpoint, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Endpoint{}, err
	}
	e, err := lock(ctx, tx, id)
	if err == nil && e.State != Active {
		err = errs.New(errs.WebhookDisabled, "The webhook is %s; make it active first.", e.State).With("state", e.State)
	}
	return e, err
}

// SendTest sends an event that says nothing, whatever the endpoint subscribes to. Capability: integrations.manage.
// Errors: not_found, webhook_disabled.
func SendTest(ctx context.Context, tx *db.Tx, id ids.ID) (Delivery, error) {
	e, err := ready(ctx, tx, id)
	if err != nil {
		return Delivery{}, err
	}
	var seq int64
	err = tx.QueryRow(ctx, "select seq from webhook_cursors where tenant_id = $1", tx.Tenant()).Scan(&seq)
	if err != nil {
		return Delivery{}, fmt.Errorf("look how far the ledger was read: %w", err)
	}
	f := fact{kind: Test, at: tx.Now(), data: Data{Seq: seq, TenantID: tx.Tenant(), OrgUnitID: e.OrgUnitID, WebhookID: &id}}
	f.identify(ids.New())
	made, err := tell(ctx, tx, []listener{{id: id, events: []string{Test}, since: -1}}, []fact{f}, false)
	if err != nil {
		return Delivery{}, err
	}
	rows, err := tx.Query(ctx, "select "+deliveryColumns+" from webhook_deliveries where tenant_id = $1 and id = $2", tx.Tenant(), made[0])
	if err != nil {
		return Delivery{}, fmt.Errorf("read the delivery: %w", err)
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanDelivery)
	if err != nil {
		return Delivery{}, fmt.Errorf("read the delivery: %w", err)
	}
	return d, nil
}

// ReplayInput gives the time whose events are told again.
type ReplayInput struct {
	From time.Time  `json:"from" doc:"From this moment, 31 days back at most; it begins ten minutes before, so that nothing is missed"`
	To   *time.Time `json:"to,omitempty" doc:"To this moment; now when absent"`
}

// Replay says which events are told again.
type Replay struct {
	FirstSeq int64 `json:"firstSeq" doc:"The first event of the ledger that is read again"`
	LastSeq  int64 `json:"lastSeq" doc:"The last one; less than firstSeq where there is none"`
}

// ReplayEvents tells an endpoint again what happened, by the ledger: also events that it was never told of, because it
// was disabled. The ids are the same as before, so that receivers know what they have. Capability:
// integrations.manage. Errors: not_found, webhook_disabled, validation_failed.
func ReplayEvents(ctx context.Context, tx *db.Tx, id ids.ID, input ReplayInput) (Replay, error) {
	e, err := ready(ctx, tx, id)
	if err != nil {
		return Replay{}, err
	}
	to := tx.Now()
	if input.To != nil {
		to = *input.To
	}
	switch {
	case input.From.IsZero():
		err = errs.Invalid(errs.Field{Path: "from", Code: "required", Message: "say from when"})
	case input.From.Before(tx.Now().Add(-farthestReplay)):
		err = errs.Invalid(errs.Field{Path: "from", Code: "out_of_range", Message: "31 days back at most"})
	case !input.From.Before(to):
		err = errs.Invalid(errs.Field{Path: "to", Code: "out_of_range", Message: "it must be after from"})
	}
	if err != nil {
		return Replay{}, err
	}
	first, err := seqAt(ctx, tx, input.From.Add(-slack))
	if err != nil {
		return Replay{}, err
	}
	after, err := seqAt(ctx, tx, to)
	if err != nil {
		return Replay{}, err
	}
	r := Replay{FirstSeq: first, LastSeq: after - 1}
	if r.LastSeq < r.FirstSeq {
		return r, nil
	}
	_, err = tx.Exec(ctx, "update webhook_endpoints set replay_next = $3, replay_last = $4 where tenant_id = $1 and id = $2", tx.Tenant(), id, r.FirstSeq, r.LastSeq)
	if err != nil {
		return Replay{}, fmt.Errorf("ask for a replay: %w", err)
	}
	return r, note(ctx, tx, e, "replayed", map[string]any{"firstSeq": r.FirstSeq, "lastSeq": r.LastSeq})
}

// seqAt is the number of the first event at a moment or after, found by halving: events are numbered in the order of
// their commits, and so nearly in the order of their times.
func seqAt(ctx context.Context, tx *db.Tx, at time.Time) (int64, error) {
	var last int64
	err := tx.QueryRow(ctx, "select coalesce((select last_seq from ledger_heads where tenant_id = $1), 0)", tx.Tenant()).Scan(&last)
	if err != nil {
		return 0, fmt.Errorf("look for the newest event: %w", err)
	}
	low, high := int64(1), last+1
	for low < high {
		middle := low + (high-low)/2
		var when time.Time
		err := tx.QueryRow(ctx, "select occurred_at from ledger_events where tenant_id = $1 and seq = $2", tx.Tenant(), middle).Scan(&when)
		if err != nil {
			return 0, fmt.Errorf("look for the event of a moment: %w", err)
		}
		if when.Before(at) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}
