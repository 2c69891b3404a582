package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"assess/pkg/kernel/ids"
)

const (
	// rush is the time within which all candidates press start.
	rush = 3 * time.Second
	// connections is how many connections they share.
	connections = 128
)

// measureSpike makes many candidates start within a few seconds, then answer everything and submit,
// through a server that also projects. A call that fails fails the bench.
func measureSpike(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, true)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	wires := make([]*wire, connections)
	for i := range wires {
		wires[i] = &wire{address: server.address}
	}
	defer func() {
		for _, w := range wires {
			w.close()
		}
	}()
	postmaster, err := h.postmaster()
	if err != nil {
		return nil, err
	}
	before, err := spentSoFar(server.pid(), postmaster)
	if err != nil {
		return nil, err
	}
	s := &spike{h: h, wires: wires, sessions: make([]ids.ID, h.size.spike)}
	results, err := s.run()
	if err != nil {
		return nil, err
	}
	now, err := spentSoFar(server.pid(), postmaster)
	if err != nil {
		return nil, err
	}
	used := now.since(before)
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(h.size.spike) }
	return append(results, result{Name: "start spike, processor time of a whole attempt", Unit: "ms", Value: each(used.server + used.postgres),
		Note: fmt.Sprintf("Go %.1f, PostgreSQL %.1f; besides, the clients took %.1f", each(used.server), each(used.postgres), each(used.client))}), nil
}

type spike struct {
	h        *house
	wires    []*wire
	sessions []ids.ID
}

func (s *spike) run() ([]result, error) {
	n, each := len(s.sessions), s.h.size.answered
	due := make([]time.Duration, n)
	for i := range due {
		due[i] = time.Duration(i) * rush / time.Duration(n)
	}
	begun := time.Now()
	// The wait counts from the moment when a candidate pressed start, even while all connections were
	// busy.
	starts, err := s.time(connections, n, func(client, i int) (time.Time, error) {
		pressed := begun.Add(due[i])
		time.Sleep(time.Until(pressed))
		var err error
		s.sessions[i], err = s.wires[client].start(&s.h.exam, s.h.person(i))
		return pressed, err
	})
	if err != nil {
		return nil, err
	}
	// Each save comes from a candidate at random, as people think for different times.
	order := rand.Perm(n * each)
	saves, err := s.time(connections, n*each, func(client, k int) (time.Time, error) {
		i, item := order[k]/each, order[k]%each
		sent := time.Now()
		return sent, s.wires[client].save(&s.h.exam, s.h.person(i), s.sessions[i], s.h.places[item].item, int64(item+1))
	})
	if err != nil {
		return nil, err
	}
	submits, err := s.time(connections, n, func(client, i int) (time.Time, error) {
		sent := time.Now()
		return sent, s.wires[client].submit(&s.h.exam, s.h.person(i), s.sessions[i])
	})
	if err != nil {
		return nil, err
	}
	slowest := result{Name: fmt.Sprintf("start spike, %d starts within %s: p99", n, rush), Unit: "ms", Value: quantile(starts.waits, 0.99), Note: starts.note() + "; none failed"}
	return []result{slowest,
		{Name: fmt.Sprintf("start spike, saves of %d connections", connections), Unit: "saves/s", Value: saves.rate, Note: saves.note()},
		{Name: fmt.Sprintf("start spike, submits of %d connections", connections), Unit: "submits/s", Value: submits.rate, Note: submits.note()},
	}, nil
}

// timed is the outcome of a phase: waits in ms and pieces a second.
type timed struct {
	waits []float64
	rate  float64
}

func (t timed) note() string {
	return fmt.Sprintf("p50 %.0f, p95 %.0f, p99 %.0f, longest %.0f ms", quantile(t.waits, 0.5), quantile(t.waits, 0.95),
		quantile(t.waits, 0.99), quantile(t.waits, 1))
}

// time hands n pieces to the clients and takes the time of each from the moment that it
// says it began.
func (s *spike) time(clients, n int, work func(client, i int) (time.Time, error)) (timed, error) {
	var lock sync.Mutex
	t := timed{waits: make([]float64, 0, n)}
	start := time.Now()
	err := together(clients, n, func(client, i int) error {
		from, err := work(client, i)
		wait := float64(time.Since(from).Microseconds()) / 1000
		lock.Lock()
		defer lock.Unlock()
		t.waits = append(t.waits, wait)
		return err
	})
	t.rate = float64(n) / time.Since(start).Seconds()
	return t, err
}
