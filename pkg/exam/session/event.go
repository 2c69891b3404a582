package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// maxEvents bounds one batch, and mostEvents what a session is sent in all: a day with an event every nine seconds.
const (
	maxEvents  = 500
	mostEvents = 10_000
)

// EventTypes are the runtime events that are kept (decisions, section 4).
var EventTypes = []string{
	models.EventFocusLost, models.EventFocusGained, models.EventFullscreenExit, models.EventFullscreenEnter,
	models.EventCopy, models.EventPaste, models.EventNetworkLost, models.EventNetworkRestored, models.EventHeartbeat,
}

// Event is one runtime event. An event with an id may be sent again. A time outside the
// session (clocks of browsers are often wrong) counts as its nearest moment.
type Event struct {
	ID         *ids.ID    `json:"id,omitempty" doc:"Made by the client, so that sending it again does no harm"`
	Type       string     `json:"type" enum:"focus_lost,focus_gained,fullscreen_exit,fullscreen_enter,copy,paste,network_lost,network_restored,heartbeat"`
	OccurredAt *time.Time `json:"occurredAt,omitempty" doc:"Default: now"`
}

// EventsInput is a batch of at most 500 runtime events.
type EventsInput struct {
	EvaluationID ids.ID  `json:"-"`
	SessionID    ids.ID  `json:"-"`
	View         *int    `json:"view,omitempty" minimum:"1" doc:"The view that start or resume gave; 1 when absent. An older one gets session_superseded"`
	Events       []Event `json:"events" nullable:"false" minItems:"1" maxItems:"500"`
}

// EventsResult says how many events were taken.
type EventsResult struct {
	Accepted int `json:"accepted"`
}

// recordSQL locks the session like a save does: events are in before the session ends, or
// not at all, so that the projector misses none. Like a save it needs one node of a cluster.
var recordSQL = strings.ReplaceAll(`
with open as (
	update sessions set last_activity_at = greatest(last_activity_at, {now}), events_n = events_n + cardinality($4::uuid[])
	where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at is null or deadline_at >= {now}) and view = $3
		and events_n + cardinality($4::uuid[]) <= $7
	returning org_unit_id, started_at
), recorded as (
	insert into session_events (tenant_id, session_id, org_unit_id, id, event_type, occurred_at)
	select s.tenant_id, $2, open.org_unit_id, e.id, e.type, greatest(open.started_at, least({now}, coalesce(e.at, {now})))
	from open cross join (select tenant_id from sessions where tenant_id = $1 and id = $2) s
	cross join unnest($4::uuid[], $5::text[], $6::timestamptz[]) as e (id, type, at)
	on conflict do nothing
)
select true from open`, "{now}", db.NowSQL)

// RecordEvents keeps runtime events of an open session. Errors: not_found,
// validation_failed (unknown types, all of them), session_not_open, session_superseded, too_many_events.
func (d *Desk) RecordEvents(ctx context.Context, tx *db.Tx, in EventsInput) (EventsResult, error) {
	err := requireTaker(tx)
	if err != nil {
		return EventsResult{}, err
	}
	o, err := d.owner(ctx, tx, in.SessionID)
	if err != nil {
		return EventsResult{}, err
	}
	err = o.admit(tx, in.EvaluationID)
	if err != nil {
		return EventsResult{}, err
	}
	err = checkEvents(in.Events)
	if err != nil {
		return EventsResult{}, err
	}
	return record(ctx, tx, in.SessionID, viewOf(in.View), in.Events)
}

func checkEvents(events []Event) error {
	if len(events) == 0 || len(events) > maxEvents {
		return errs.Invalid(errs.Field{Path: "events", Code: "out_of_range", Message: "a call carries 1 to 500 events"})
	}
	var bad []errs.Field
	for i, e := range events {
		if !slices.Contains(EventTypes, e.Type) {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("events[%d].type", i), Code: "unknown_event_type",
				Message: "there is no such runtime event"})
		}
	}
	return errs.Invalid(bad...)
}

func record(ctx context.Context, tx *db.Tx, session ids.ID, view int, events []Event) (EventsResult, error) {
	var eventIDs []ids.ID
	var types []string
	var times []*time.Time
	for _, e := range events {
		id := ids.New()
		if e.ID != nil {
			id = *e.ID
		}
		eventIDs = append(eventIDs, id)
		types = append(types, e.Type)
		times = append(times, e.OccurredAt)
	}
	var open bool
	err := tx.LastRow(ctx, recordSQL, []any{tx.Tenant(), session, view, eventIDs, types, times, mostEvents}, &open)
	if errors.Is(err, pgx.ErrNoRows) {
		return EventsResult{}, refusal(ctx, tx, session, view, func(s models.Session) error {
			if s.EventsN+len(events) > mostEvents {
				return errs.New(errs.TooManyEvents, "The session has sent %d events; no more than %d are kept.", s.EventsN, mostEvents).With("most", mostEvents)
			}
			return errConflict
		})
	}
	if err != nil {
		return EventsResult{}, fmt.Errorf("record events: %w", err)
	}
	return EventsResult{Accepted: len(events)}, nil
}
