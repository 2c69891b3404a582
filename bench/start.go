package main

import (
	"context"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// measureStart compares ways to open a session.
func measureStart(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	paper, err := h.paper(server.wires[0])
	if err != nil {
		return nil, err
	}
	beside, err := h.startNeighbour(ctx, paper)
	if err != nil {
		return nil, err
	}
	defer beside.stop()
	calm := func(ctx context.Context, _ int) error { return h.calm(ctx, "sessions", "projection_outbox") }
	rates, err := contest(ctx, h.size.rounds, h.size.submits, clients,
		contender{"hand", calm, func(ctx context.Context, _, i int) error {
			_, err := hand{h.super, false}.start(ctx, &h.exam, h.person(i))
			return err
		}},
		contender{"operation", calm, func(ctx context.Context, _, i int) error { return h.startByOperation(ctx, h.person(i)) }},
		contender{"http", calm, func(_ context.Context, client, i int) error {
			_, err := server.wires[client].start(&h.exam, h.person(i))
			return err
		}},
		contender{"neighbour", calm, func(_ context.Context, client, i int) error {
			_, err := beside.wires[client].start(&h.exam, h.person(i).there())
			return err
		}})
	if err != nil {
		return nil, err
	}
	return []result{
		compared("start of a session, operation", "starts/s", rates["operation"], rates["hand"], 0.8),
		compared("start of a session, HTTP, beside a server by hand", "starts/s", rates["http"], rates["neighbour"], 0.65),
	}, nil
}

func (h *house) startByOperation(ctx context.Context, c candidate) error {
	return h.store.Write(ctx, c.scope, func(tx *db.Tx) error {
		_, err := h.desk.Start(ctx, tx, session.StartInput{EvaluationID: h.evaluation})
		return err
	})
}
