package main

import (
	"context"
	"fmt"
	"time"
)

// attemptGoal is the processor time that a whole attempt should stay under, in ms.
const attemptGoal = 15

// measureAttempt takes whole attempts through a server that projects, and waits until the
// reports show them: start, 20 saves of one answer, submit.
func measureAttempt(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, true)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	postmaster, err := h.postmaster()
	if err != nil {
		return nil, err
	}
	// A few attempts ahead warm up caches, and empty the outbox of earlier measurements.
	for _, n := range []int{2 * clients, h.size.attempts} {
		before, err := spentSoFar(server.pid(), postmaster)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		err = h.attempts(ctx, server, n)
		if err != nil {
			return nil, err
		}
		took := time.Since(start)
		now, err := spentSoFar(server.pid(), postmaster)
		if err != nil {
			return nil, err
		}
		if n == h.size.attempts {
			return attemptResults(now.since(before), n, took), nil
		}
	}
	return nil, nil
}

func attemptResults(s spent, n int, took time.Duration) []result {
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }
	return []result{
		{Name: "whole attempt over HTTP, processor time", Unit: "ms", Value: each(s.server + s.postgres), AtMost: attemptGoal,
			Note: fmt.Sprintf("Go %.1f, PostgreSQL %.1f; besides, the clients took %.1f", each(s.server), each(s.postgres), each(s.client))},
		{Name: "whole attempts over HTTP, projected", Unit: "attempts/s", Value: float64(n) / took.Seconds()},
	}
}

// attempts runs n attempts and waits until the outbox is empty.
func (h *house) attempts(ctx context.Context, server *server, n int) error {
	err := together(clients, n, func(client, i int) error { return server.wires[client].attempt(&h.exam, h.person(i)) })
	if err != nil {
		return err
	}
	return h.drained(ctx)
}

func (w *wire) attempt(e *exam, c candidate) error {
	session, err := w.start(e, c)
	if err != nil {
		return err
	}
	for i, p := range e.places {
		err = w.save(e, c, session, p.item, int64(i+1))
		if err != nil {
			return err
		}
	}
	return w.submit(e, c, session)
}
