package main

import (
	"context"
	"sync"
	"time"
)

// lagGoal is how far the reports may be behind while candidates submit, in ms.
const lagGoal = 1000

// measureLag submits as fast as the server can, and then at half of that pace, while the
// server projects, and looks how old the oldest outbox row is.
func measureLag(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, true)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	submit := func(n int, pace float64) (float64, error) {
		sessions, err := h.openSessions(ctx, n)
		if err != nil {
			return 0, err
		}
		err = h.calm(ctx, "sessions", "session_answers", "submissions", "submission_items")
		if err != nil {
			return 0, err
		}
		start := time.Now()
		err = together(clients, n, func(client, i int) error {
			if pace > 0 {
				time.Sleep(time.Until(start.Add(time.Duration(float64(i) / pace * float64(time.Second)))))
			}
			return server.wires[client].submit(&h.exam, h.person(i), sessions[i])
		})
		return float64(n) / time.Since(start).Seconds(), err
	}
	most, err := submit(h.size.submits, 0)
	if err != nil {
		return nil, err
	}
	err = h.drained(ctx)
	if err != nil {
		return nil, err
	}
	watch := h.watchLag(ctx)
	pace, err := submit(int(most/2*h.size.lagSeconds), most/2)
	lags := watch()
	if err != nil {
		return nil, err
	}
	return []result{
		{Name: "projection lag while submits run at half of their maximum, p95", Unit: "ms", Value: quantile(lags, 0.95), AtMost: lagGoal},
		{Name: "that pace", Unit: "submits/s", Value: pace, Beside: most, Ratio: pace / most},
	}, h.drained(ctx)
}

// watchLag looks at the outbox until the function that it gives is called, which gives the
// lags in ms.
func (h *house) watchLag(ctx context.Context) func() []float64 {
	var lags []float64
	var wait sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	wait.Go(func() {
		for ctx.Err() == nil {
			var lag float64
			err := h.super.QueryRow(ctx, `select coalesce(extract(epoch from clock_timestamp() - min(enqueued_at)) * 1000, 0)::float8
				from projection_outbox`).Scan(&lag)
			if err == nil {
				lags = append(lags, max(lag, 0))
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	return func() []float64 {
		stop()
		wait.Wait()
		return lags
	}
}

// drained waits until nothing waits for the projector.
func (h *house) drained(ctx context.Context) error {
	for {
		var waiting int
		err := h.super.QueryRow(ctx, "select count(*) from projection_outbox").Scan(&waiting)
		if err != nil || waiting == 0 {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
