// Package ledger writes the event ledger: who did what to what, in one unbroken sequence
// a tenant (specification, section 6).
//
// An event is written with the commit of its cause. The table is append-only by trigger;
// corrections are further events. Payloads hold ids, codes and hashes, never names, e-mail
// addresses or metadata. Submitting a session writes no event: the sequence is a queue of
// one, and candidates must not wait for one another.
package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Event is one entry. Type is "noun.verb" ("question.published").
type Event struct {
	// ID is for callers that refer to the event; without it the event gets one of its own.
	ID          ids.ID
	Type        string
	SubjectType string
	SubjectID   ids.ID
	// OrgUnit is the org unit of the subject; none if the subject belongs to the whole tenant.
	OrgUnit ids.ID
	Payload map[string]any
}

// takeNumbersSQL numbers events. The head is a queue of one, which is left with the commit.
const takeNumbersSQL = `
	insert into ledger_heads (tenant_id, last_seq) values ($1, $2)
	on conflict (tenant_id) do update set last_seq = ledger_heads.last_seq + excluded.last_seq`

// appendSQL writes the events under the last of the numbers that the statement before it took.
const appendSQL = `
	insert into ledger_events (tenant_id, seq, id, org_unit_id, event_type, actor, subject_type, subject_id, request_id, payload, occurred_at)
	select h.tenant_id, h.last_seq - cardinality($5::uuid[]) + n, id, org, type, $2, subject_type, subject, $3, payload::jsonb, $4
	from ledger_heads h, unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::uuid[], $10::text[])
		with ordinality as e (id, org, type, subject_type, subject, payload, n)
	where h.tenant_id = $1`

// Append adds events to the transaction. They are numbered and written with its commit, in
// the order in which they were appended: writers of one tenant's ledger wait for one
// another only as long as that takes, however long an import runs before.
func Append(ctx context.Context, tx *db.Tx, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	var eventIDs []ids.ID
	var orgs []*ids.ID
	var types, subjectTypes, payloads []string
	var subjects []ids.ID
	for _, e := range events {
		payload, err := e.payload()
		if err != nil {
			return err
		}
		if e.ID == ids.None {
			e.ID = ids.New()
		}
		eventIDs = append(eventIDs, e.ID)
		orgs = append(orgs, ids.Ref(e.OrgUnit))
		types = append(types, e.Type)
		subjectTypes = append(subjectTypes, e.SubjectType)
		subjects = append(subjects, e.SubjectID)
		payloads = append(payloads, payload)
	}
	err := tx.AtCommit(ctx, takeNumbersSQL, tx.Tenant(), int64(len(events)))
	if err == nil {
		err = tx.AtCommit(ctx, appendSQL, tx.Tenant(), tx.Actor().String(), tx.Scope().RequestID, tx.Now(),
			eventIDs, orgs, types, subjectTypes, subjects, payloads)
	}
	if err != nil {
		return fmt.Errorf("append ledger events: %w", err)
	}
	return nil
}

func (e Event) payload() (string, error) {
	if e.Payload == nil {
		return "{}", nil
	}
	payload, err := json.Marshal(e.Payload)
	if err != nil {
		return "", fmt.Errorf("encode payload of %s: %w", e.Type, err)
	}
	return string(payload), nil
}
