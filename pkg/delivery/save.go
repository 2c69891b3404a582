package delivery

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

// SaveInput carries one or many answers to an open session (decisions, section 9).
type SaveInput struct {
	EvaluationID ids.ID   `json:"-"`
	SessionID    ids.ID   `json:"-"`
	Answers      []Answer `json:"answers" nullable:"false" minItems:"1" maxItems:"1000"`
}

// Receipt acknowledges a save. SHA256 chains it to the one before: SHA-256(previous
// receipt || canonical JSON (RFC 8785) of the answers of this call), each answer with
// itemId, sequence, response and, where it was given, timeSpentMs.
type Receipt struct {
	Revision int64     `json:"revision" doc:"Number of saves so far"`
	SavedAt  time.Time `json:"savedAt"`
	SHA256   string    `json:"sha256"`
	// Saved answers are the ones that count now; Superseded ones came too late.
	Saved      []Mark `json:"saved" nullable:"false"`
	Superseded []Mark `json:"superseded" nullable:"false" doc:"The server holds a newer answer to the item"`
}

// Mark names one answer of a save.
type Mark struct {
	ItemID   ids.ID `json:"itemId"`
	Sequence int64  `json:"sequence"`
}

// saveSQL locks the session by its update, and only then touches answers: saves of one
// session happen one after the other. The update sees the row as the one before left it,
// so that receipts form a chain. An equal sequence counts only with an equal answer.
const saveSQL = `
with open as (
	update sessions set revision = revision + 1, receipt = sha256(receipt || $4::bytea),
		last_activity_at = greatest(last_activity_at, $3)
	where tenant_id = $1 and id = $2 and state = 'open' and (deadline_at is null or deadline_at >= $3)
	returning org_unit_id, revision, receipt
), saved as (
	insert into session_answers as a (tenant_id, session_id, org_unit_id, item_id, sequence, response, time_spent_ms, answered_at)
	select $1, $2, open.org_unit_id, n.item_id, n.sequence, n.response::jsonb, n.time_spent_ms, $3
	from open cross join unnest($5::uuid[], $6::bigint[], $7::text[], $8::bigint[]) as n (item_id, sequence, response, time_spent_ms)
	on conflict (tenant_id, session_id, item_id) do update set
		sequence = excluded.sequence, response = excluded.response, time_spent_ms = excluded.time_spent_ms,
		answered_at = case when a.sequence < excluded.sequence then excluded.answered_at else a.answered_at end
	where a.sequence < excluded.sequence or (a.sequence = excluded.sequence
		and a.response is not distinct from excluded.response and a.time_spent_ms is not distinct from excluded.time_spent_ms)
	returning item_id
)
select revision, receipt, array(select item_id from saved) from open`

// Save stores answers and acknowledges them with a receipt. Sending the same answers again
// does no harm. Errors: not_found, validation_failed (answers[3].response.optionIds[1]),
// session_not_open, also past the deadline; then nothing was saved.
func (d *Desk) Save(ctx context.Context, tx *db.Tx, in SaveInput) (Receipt, error) {
	err := requireTaker(tx)
	if err != nil {
		return Receipt{}, err
	}
	o, err := d.owner(ctx, tx, in.SessionID)
	if err != nil {
		return Receipt{}, err
	}
	err = o.admit(tx, in.EvaluationID)
	if err != nil {
		return Receipt{}, err
	}
	f, err := d.form(ctx, tx, o.version)
	if err != nil {
		return Receipt{}, err
	}
	answers, err := f.check(o.seed, in.Answers)
	if err != nil {
		return Receipt{}, err
	}
	return save(ctx, tx, in.SessionID, answers)
}

func save(ctx context.Context, tx *db.Tx, session ids.ID, answers []checked) (Receipt, error) {
	link, err := content.Canonical(answers)
	if err != nil {
		return Receipt{}, fmt.Errorf("save answers: %w", err)
	}
	kept := newest(answers)
	c := columnsOf(kept)
	r := Receipt{SavedAt: tx.Now(), Saved: []Mark{}, Superseded: []Mark{}}
	var receipt []byte
	var saved []ids.ID
	err = tx.QueryRow(ctx, saveSQL, tx.Tenant(), session, tx.Now(), link, c.items, c.sequences, c.responses, c.times).
		Scan(&r.Revision, &receipt, &saved)
	if errors.Is(err, pgx.ErrNoRows) {
		return Receipt{}, refusal(ctx, tx, session)
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("save answers: %w", err)
	}
	r.SHA256 = hex.EncodeToString(receipt)
	r.sort(answers, kept, saved)
	return r, nil
}

// columns holds answers by column, as unnest wants them.
type columns struct {
	items     []ids.ID
	sequences []int64
	responses []*string
	times     []*int64
}

func columnsOf(answers []checked) columns {
	var c columns
	for _, a := range answers {
		c.items = append(c.items, a.ItemID)
		c.sequences = append(c.sequences, a.Sequence)
		c.responses = append(c.responses, orNull(a.Response))
		c.times = append(c.times, a.TimeSpentMs)
	}
	return c
}

func orNull(response json.RawMessage) *string {
	if string(response) == "null" {
		return nil
	}
	text := string(response)
	return &text
}

// sort tells the answers that count from those that came too late.
func (r *Receipt) sort(answers, kept []checked, saved []ids.ID) {
	counts := map[ids.ID]checked{}
	for _, a := range kept {
		if slices.Contains(saved, a.ItemID) {
			counts[a.ItemID] = a
		}
	}
	for _, a := range answers {
		mark := Mark{a.ItemID, a.Sequence}
		if a.equal(counts[a.ItemID]) {
			r.Saved = append(r.Saved, mark)
		} else {
			r.Superseded = append(r.Superseded, mark)
		}
	}
}

// refusal says why an open session was not found by an update.
func refusal(ctx context.Context, tx *db.Tx, session ids.ID) error {
	a, err := findSession(ctx, tx, session)
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	return notOpen(a.Session, tx.Now())
}

func notOpen(s models.Session, now time.Time) error {
	state := s.State
	if overdue(s, now) {
		state = models.SessionExpired
	}
	return errs.New(errs.SessionNotOpen, "The session is %s; nothing was saved.", state).With("state", state)
}
