package main

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// hall is open sessions that all contenders save into: every save finds a row to update, like most
// saves of a candidate who changes their mind.
type hall struct {
	h        *house
	sessions []ids.ID
	next     atomic.Int64
}

// turn gives the next session, its candidate, an item of it, and a sequence number that is
// greater than all before.
func (r *hall) turn() (ids.ID, candidate, ids.ID, int64) {
	n := r.next.Add(1)
	i := int(n) % len(r.sessions)
	item := r.h.places[int(n)/len(r.sessions)%items].item
	return r.sessions[i], r.h.person(i), item, n + 1
}

// measureSave compares ways to save one answer.
func measureSave(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	r := &hall{h: h}
	r.sessions, err = h.openSessions(ctx, 500)
	if err != nil {
		return nil, err
	}
	beside, err := h.startNeighbour(ctx, "")
	if err != nil {
		return nil, err
	}
	defer beside.stop()
	calm := func(ctx context.Context, _ int) error { return h.calm(ctx, "sessions", "session_answers") }
	rates, err := contest(ctx, h.size.rounds, h.size.saves, clients,
		contender{"hand", calm, func(ctx context.Context, _, _ int) error { return r.byHand(ctx, hand{h.super, false}) }},
		contender{"scoped", calm, func(ctx context.Context, _, _ int) error { return r.byHand(ctx, hand{h.super, true}) }},
		contender{"policies", calm, func(ctx context.Context, _, _ int) error { return r.byHand(ctx, hand{h.plain, true}) }},
		contender{"operation", calm, func(ctx context.Context, _, _ int) error { return r.byOperation(ctx) }},
		contender{"http", calm, func(_ context.Context, client, _ int) error {
			open, c, item, sequence := r.turn()
			return server.wires[client].save(&h.exam, c, open, item, sequence)
		}},
		contender{"neighbour", calm, func(_ context.Context, client, _ int) error {
			open, c, item, sequence := r.turn()
			return beside.wires[client].save(&h.exam, c.there(), open, item, sequence)
		}})
	if err != nil {
		return nil, err
	}
	return []result{
		compared("save of one answer, operation", "saves/s", rates["operation"], rates["hand"], 0.9),
		compared("save of one answer, HTTP, beside a server by hand", "saves/s", rates["http"], rates["neighbour"], 0.75),
		compared("save by hand, under row-level security", "saves/s", rates["policies"], rates["scoped"], 0.9),
	}, nil
}

func (r *hall) byHand(ctx context.Context, by hand) error {
	open, c, item, sequence := r.turn()
	_, err := by.save(ctx, c, open, answer{item, sequence, savedResponse, 1500})
	return err
}

func (r *hall) byOperation(ctx context.Context) error {
	open, c, item, sequence := r.turn()
	spent := int64(1500)
	return r.h.store.WriteShort(ctx, c.scope, func(tx *db.Tx) error {
		_, err := r.h.desk.Save(ctx, tx, session.SaveInput{EvaluationID: r.h.evaluation, SessionID: open,
			Answers: []session.Answer{{ItemID: item, Sequence: sequence, Response: json.RawMessage(savedResponse), TimeSpentMs: &spent}}})
		return err
	})
}
