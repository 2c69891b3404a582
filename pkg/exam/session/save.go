package session

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/metric"
)

// SaveInput carries one or many answers to an open session (decisions, section 9).
type SaveInput struct {
	EvaluationID ids.ID   `json:"-"`
	SessionID    ids.ID   `json:"-"`
	View         *int     `json:"view,omitempty" minimum:"1" doc:"The view that start or resume gave; 1 when absent. An older one gets session_superseded"`
	Client       Client   `json:"-"`
	Answers      []Answer `json:"answers" nullable:"false" minItems:"1" maxItems:"1000"`
}

// Receipt acknowledges a save. SHA256 chains it to the one before: SHA-256(previous
// receipt || canonical JSON (RFC 8785) of the answers of this call), each answer with
// itemId, sequence, response and, where they were given, timeSpentMs and startedAt (in UTC, with
// three digits of milliseconds).
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

// openSQL locks the session by its update, and only then are answers touched: saves of one
// session happen one after the other. The update sees the row as the one before left it,
// so that receipts form a chain, and nobody writes for an older view or an item that was
// left. The session names anybody who saves for the person.
var openSQL = openStatement("", "")

// openTimedSQL also begins sections, and refuses sections whose time is over. Only evaluations with
// such sections pay for it.
var openTimedSQL = openStatement(`, section_starts = $9::jsonb || coalesce(section_starts, '{}')`, `
	and not exists (select from unnest($10::text[], $11::int[]) l (id, seconds)
		where later_by(instant_of(section_starts ->> l.id), l.seconds + extra_time_seconds) < {now})`)

// "state || ”" leaves only the key for finding the session: without statistics the small index of
// open sessions seems as good, but contains all of the tenant's.
const openTemplate = `
update sessions set save_mark = $8, revision = revision + 1, receipt = sha256(receipt || $3::bytea),
	last_activity_at = greatest(last_activity_at, {now}), furthest = greatest(furthest, $6::int),
	acted_by = case when $7::text is null or $7 = any(acted_by) then acted_by else coalesce(acted_by, '{}') || $7::text end{starts}
where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at is null or deadline_at >= {now}) and view = $4
and (furthest is null or $5::int is null or furthest <= $5){unless}
returning revision, receipt`

func openStatement(starts, unless string) string {
	return strings.NewReplacer("{now}", db.NowSQL).Replace(strings.NewReplacer("{starts}", starts, "{unless}", unless).Replace(openTemplate))
}

// keepTemplate writes the answers of a session that carries the mark of openSQL, with which it travels: where that found nothing, this does nothing. An
// equal sequence counts only with an equal answer. An item begins within the session: a candidate's clock may be wrong, and that costs no answer.
const keepTemplate = `
insert into session_answers as a (tenant_id, session_id, org_unit_id, answered_at, item_id, sequence, response, time_spent_ms, started_at)
select s.tenant_id, s.id, s.org_unit_id, {now}, n.item_id, n.sequence, n.response::jsonb, n.time_spent_ms,
	case when n.started_at is not null then greatest(least(n.started_at, {now}), s.started_at) end
from sessions s cross join {rows}
	as n (item_id, sequence, response, time_spent_ms, started_at)
where s.tenant_id = $1 and s.id = $2 and s.save_mark = $3
on conflict (tenant_id, session_id, item_id) do update set
	sequence = excluded.sequence, response = excluded.response, time_spent_ms = excluded.time_spent_ms,
	started_at = least(a.started_at, excluded.started_at),
	answered_at = case when a.sequence < excluded.sequence then excluded.answered_at else a.answered_at end
where a.sequence < excluded.sequence or (a.sequence = excluded.sequence
	and a.response is not distinct from excluded.response and a.time_spent_ms is not distinct from excluded.time_spent_ms)
returning item_id`

// Most saves have one answer. As a plain row it is planned once, and an array each time, since its length counts.
var (
	keepOneSQL  = strings.NewReplacer("{now}", db.NowSQL, "{rows}", "(values ($4::uuid, $5::bigint, $6::text, $7::bigint, $8::timestamptz))").Replace(keepTemplate)
	keepManySQL = strings.NewReplacer("{now}", db.NowSQL, "{rows}", "unnest($4::uuid[], $5::bigint[], $6::text[], $7::bigint[], $8::timestamptz[])").Replace(keepTemplate)
)

// Save stores answers and acknowledges them with a receipt. Sending the same answers again
// does no harm. Errors: not_found, validation_failed (answers[3].response.optionIds[1]),
// session_not_open, also past the deadline, session_superseded, item_left,
// section_time_over, lockdown_required; then nothing was saved.
func (d *Desk) Save(ctx context.Context, tx *db.Tx, in SaveInput) (Receipt, error) {
	err := requireTaker(tx)
	if err != nil {
		return Receipt{}, err
	}
	o, f, err := d.enter(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return Receipt{}, err
	}
	err = f.checkLockdown(tx, o.user, o.assignment, in.Client)
	if err != nil {
		return Receipt{}, err
	}
	answers, err := f.check(o.deal, in.Answers)
	if err != nil {
		return Receipt{}, err
	}
	at, err := f.place(o.deal, answers, tx.Now)
	if err != nil {
		return Receipt{}, fmt.Errorf("save answers: %w", err)
	}
	view := viewOf(in.View)
	r, err := save(ctx, tx, in.SessionID, view, answers, at, actingFor(tx, o.user))
	if errors.Is(err, pgx.ErrNoRows) {
		return Receipt{}, refusal(ctx, tx, in.SessionID, view, func(s models.Session) error {
			return at.refuse(f, s, answers, tx.Now())
		})
	}
	return r, err
}

// save gives pgx.ErrNoRows, and changes nothing, when the session does not take answers
// here. by is who saves for the person, if anybody does.
func save(ctx context.Context, tx *db.Tx, session ids.ID, view int, answers []checked, at place, by *string) (Receipt, error) {
	link, err := content.Canonical(answers)
	if err != nil {
		return Receipt{}, fmt.Errorf("save answers: %w", err)
	}
	kept := newest(answers)
	r := Receipt{Saved: []Mark{}, Superseded: []Mark{}}
	var receipt []byte
	mark := rand.Int64() //nolint:gosec // nobody has to guess it
	open := db.Statement{SQL: openSQL, Args: []any{tx.Tenant(), session, link, view, at.first, at.last, by, mark}, Dest: []any{&r.Revision, &receipt}}
	if at.begun != "" {
		open.SQL, open.Args = openTimedSQL, append(open.Args, at.begun, at.sections, at.seconds)
	}
	c := columnsOf(kept)
	keep := db.Statement{SQL: keepManySQL, Args: []any{tx.Tenant(), session, mark, c.items, c.sequences, c.responses, c.times, c.starts}}
	if len(kept) == 1 {
		keep.SQL, keep.Args = keepOneSQL, []any{tx.Tenant(), session, mark, c.items[0], c.sequences[0], c.responses[0], c.times[0], c.starts[0]}
	}
	var saved []ids.ID
	err = tx.LastPair(ctx, open, keep, func(row pgx.CollectableRow) error {
		item, err := pgx.RowTo[ids.ID](row)
		saved = append(saved, item)
		return err
	})
	if err != nil {
		return Receipt{}, fmt.Errorf("save answers: %w", err)
	}
	r.SavedAt = tx.Now()
	r.SHA256 = hex.EncodeToString(receipt)
	r.sort(answers, kept, saved)
	tx.Count(metric.Receipts, 1)
	tx.Count(metric.Answers, len(saved))
	return r, nil
}

// columns holds answers by column, as unnest wants them.
type columns struct {
	items     []ids.ID
	sequences []int64
	responses []*string
	times     []*int64
	starts    []*time.Time
}

func columnsOf(answers []checked) columns {
	var c columns
	for _, a := range answers {
		c.items = append(c.items, a.ItemID)
		c.sequences = append(c.sequences, a.Sequence)
		c.responses = append(c.responses, orNull(a.Response))
		c.times = append(c.times, a.TimeSpentMs)
		c.starts = append(c.starts, a.StartedAt)
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

// sort separates the answers that count from the ones that came too late.
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

// refusal says why an update did not find an open session of this view. further, where it
// is set, is asked last.
func refusal(ctx context.Context, tx *db.Tx, session ids.ID, view int, further func(models.Session) error) error {
	a, err := findSession(ctx, tx, session)
	switch {
	case err != nil:
		return fmt.Errorf("find session: %w", err)
	case a.State != models.SessionOpen || overdue(a.Session, tx.Now()):
		return notOpen(a.Session, tx.Now())
	case a.View != view:
		return superseded(a.Session)
	case further != nil:
		return further(a.Session)
	}
	return errConflict
}

var errConflict = errs.New(errs.Conflict, "The session changed meanwhile; nothing was saved. Try again.")

func notOpen(s models.Session, now time.Time) error {
	state := s.State
	if overdue(s, now) {
		state = models.SessionExpired
	}
	return errs.New(errs.SessionNotOpen, "The session is %s; nothing was saved.", state).With("state", state)
}
