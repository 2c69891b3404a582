package translog

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/rfc6962"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// eventScheme names the fields of a leaf. They are spelt out here, apart from the answers of the
// interface, so that the leaf of an old event never changes with them.
const eventScheme = "ledger-event/v1"

// event is a row of ledger_events, as far as the log is concerned: all of it.
type event struct {
	Seq         int64
	ID          ids.ID
	OrgUnit     *ids.ID
	Type        string
	Actor       string
	SubjectType string
	Subject     ids.ID
	RequestID   string
	Payload     []byte
	OccurredAt  time.Time
}

const eventColumns = "seq, id, org_unit_id, event_type, actor, subject_type, subject_id, request_id, payload, occurred_at"

func (e *event) fields() []any {
	return []any{&e.Seq, &e.ID, &e.OrgUnit, &e.Type, &e.Actor, &e.SubjectType, &e.Subject, &e.RequestID, &e.Payload, &e.OccurredAt}
}

// leaf gives the event in canonical JSON (RFC 8785): names in the order of their code units, no
// space between them. Times have microseconds, as many as PostgreSQL keeps.
func (e *event) leaf(tenant ids.ID) ([]byte, error) {
	payload := jsontext.Value(e.Payload)
	err := payload.Canonicalize()
	if err != nil {
		return nil, fmt.Errorf("canonical payload of event %d: %w", e.Seq, err)
	}
	e.Payload = payload // which was made canonical in its place
	b := make([]byte, 0, 512+len(payload))
	text := func(name, value string) {
		b = append(b, name...)
		b, err = jsontext.AppendQuote(b, value)
	}
	text(`{"actor":`, e.Actor)
	text(`,"eventType":`, e.Type)
	text(`,"id":`, e.ID.String())
	text(`,"occurredAt":`, e.OccurredAt.UTC().Format("2006-01-02T15:04:05.000000Z"))
	if e.OrgUnit == nil {
		b = append(b, `,"orgUnitId":null`...)
	} else {
		text(`,"orgUnitId":`, e.OrgUnit.String())
	}
	b = append(append(b, `,"payload":`...), payload...)
	text(`,"requestId":`, e.RequestID)
	text(`,"scheme":`, eventScheme)
	b = strconv.AppendInt(append(b, `,"seq":`...), e.Seq, 10)
	text(`,"subjectId":`, e.Subject.String())
	text(`,"subjectType":`, e.SubjectType)
	text(`,"tenantId":`, tenant.String())
	return append(b, '}'), err
}

// hashLeaf is the hash of a leaf (RFC 6962, section 2.1).
func hashLeaf(leaf []byte) []byte { return rfc6962.DefaultHasher.HashLeaf(leaf) }

func inHex(hash []byte) string { return hex.EncodeToString(hash) }

// eachEvent reads the events from one number to another, both included, in their order.
func eachEvent(ctx context.Context, tx *db.Tx, from, to int64, do func(e *event) error) error {
	rows, err := tx.Query(ctx, "select "+eventColumns+" from ledger_events where tenant_id = $1 and seq between $2 and $3 order by seq",
		tx.Tenant(), from, to)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	var e event
	_, err = pgx.ForEachRow(rows, e.fields(), func() error { return do(&e) })
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}
