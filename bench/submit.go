package main

import (
	"context"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// openSessionsSQL opens sessions in which every item is answered.
const openSessionsSQL = `
with s as (
	insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state,
		started_at, last_activity_at, seed, revision)
	select $1, id, $2, $3, $4, taker, 'user:' || taker, 'open', now(), now(), 1, 1
	from unnest($5::uuid[], $6::uuid[]) u (id, taker)
	returning id
)
insert into session_answers (tenant_id, session_id, org_unit_id, item_id, sequence, response, time_spent_ms, answered_at)
select $1, s.id, $2, item, 1, '{"optionIds": ["A"]}', 1000, now() from s cross join unnest($7::uuid[]) item`

// openSessions gives n answered sessions; the one at index i belongs to user(i).
func (h *house) openSessions(ctx context.Context, n int) ([]ids.ID, error) {
	sessions, takers := make([]ids.ID, n), make([]ids.ID, n)
	places, _ := h.columns()
	for i := range sessions {
		sessions[i], takers[i] = ids.New(), h.user(i)
	}
	_, err := h.super.Exec(ctx, openSessionsSQL, uuid(h.operator.Tenant), uuid(h.operator.OrgUnit), uuid(h.evaluation),
		uuid(h.version), uuids(sessions), uuids(takers), uuids(places))
	return sessions, err
}

// measureSubmit compares ways to turn answered sessions into submissions.
func measureSubmit(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	beside, err := h.startNeighbour(ctx, "")
	if err != nil {
		return nil, err
	}
	defer beside.stop()
	rates, err := contest(ctx, h.size.rounds, h.size.submits, clients,
		h.submitter("hand", func(ctx context.Context, _, i int, s ids.ID) error {
			return hand{h.super, false}.submit(ctx, &h.exam, h.person(i), s)
		}),
		h.submitter("scoped", func(ctx context.Context, _, i int, s ids.ID) error {
			return hand{h.super, true}.submit(ctx, &h.exam, h.person(i), s)
		}),
		h.submitter("policies", func(ctx context.Context, _, i int, s ids.ID) error {
			return hand{h.plain, true}.submit(ctx, &h.exam, h.person(i), s)
		}),
		h.submitter("operation", func(ctx context.Context, _, i int, s ids.ID) error {
			return h.submitByOperation(ctx, h.person(i), s)
		}),
		h.submitter("http", func(_ context.Context, client, i int, s ids.ID) error {
			return server.wires[client].submit(&h.exam, h.person(i), s)
		}),
		h.submitter("neighbour", func(_ context.Context, client, i int, s ids.ID) error {
			return beside.wires[client].submit(&h.exam, h.person(i).there(), s)
		}))
	if err != nil {
		return nil, err
	}
	return []result{
		compared("submit of 20 items, operation", "submits/s", rates["operation"], rates["hand"], 0.9),
		compared("submit of 20 items, HTTP, beside a server by hand", "submits/s", rates["http"], rates["neighbour"], 0.8),
		compared("submit by hand, under row-level security", "submits/s", rates["policies"], rates["scoped"], 0.9),
	}, nil
}

// submitter prepares sessions and hands each to work.
func (h *house) submitter(name string, work func(ctx context.Context, client, i int, s ids.ID) error) contender {
	var sessions []ids.ID
	return contender{name: name,
		prepare: func(ctx context.Context, n int) error {
			var err error
			sessions, err = h.openSessions(ctx, n)
			if err != nil {
				return err
			}
			return h.calm(ctx, "sessions", "session_answers", "submissions", "submission_items", "projection_outbox")
		},
		work: func(ctx context.Context, client, i int) error { return work(ctx, client, i, sessions[i]) },
	}
}

func (h *house) submitByOperation(ctx context.Context, c candidate, open ids.ID) error {
	return h.store.Write(ctx, c.scope, func(tx *db.Tx) error {
		_, err := h.desk.Submit(ctx, tx, session.SubmitInput{EvaluationID: h.evaluation, SessionID: open})
		return err
	})
}
