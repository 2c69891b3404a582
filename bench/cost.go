package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// What a whole attempt should cost at most: processor time in ms, and KB of WAL.
const (
	attemptGoal = 12
	walGoal     = 35
	paceGoal    = 100
)

// cost is what n attempts, or a step of them, took.
type cost struct {
	spent
	wal
	took  time.Duration
	trips float64
}

// measureCost takes whole attempts, each by a different person, through HTTP: start, 20 saves of
// one answer, submit, and their projection. First step by step, with no projector running; then
// whole, while the server projects, so that the difference is the cost of the projection.
func measureCost(ctx context.Context, h *house) ([]result, error) {
	n := h.size.attempts
	names, err := h.costs(ctx, n, false)
	if err != nil {
		return nil, err
	}
	whole, err := h.costs(ctx, n, true)
	if err != nil {
		return nil, err
	}
	all := append(names, whole...)
	all = append(all, all[3].without(all[:3]))
	err = h.countAll(ctx, all)
	if err != nil {
		return nil, err
	}
	printCosts(n, all)
	return costResults(n, all[3], all), nil
}

// stepNames are the rows of the table.
var stepNames = []string{"start", "20 saves", "submit", "whole", "projection"}

// work is a step of the attempts, or the whole.
type work func(w *wire, e *exam, i int) error

// works are the three steps, or the whole. Sessions are remembered between them.
func (h *house) works(n int, whole bool) []work {
	if whole {
		return []work{func(w *wire, e *exam, i int) error { return w.attempt(e, e.people[i]) }}
	}
	sessions := make([]ids.ID, n)
	return []work{
		func(w *wire, e *exam, i int) (err error) {
			sessions[i], err = w.start(e, e.people[i])
			return err
		},
		func(w *wire, e *exam, i int) error { return w.saveAll(e, e.people[i], sessions[i]) },
		func(w *wire, e *exam, i int) error { return w.submit(e, e.people[i], sessions[i]) },
	}
}

// costs measures works of n people that the server has not seen before. Some attempts by others come
// first: they open connections and prepare statements.
func (h *house) costs(ctx context.Context, n int, whole bool) ([]cost, error) {
	e, err := h.crowded(ctx, n+2*clients)
	if err != nil {
		return nil, err
	}
	server, err := h.startServer(ctx, whole)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	err = h.warmUp(ctx, server, e, n, whole)
	if err != nil {
		return nil, err
	}
	var all []cost
	for _, step := range h.works(n, whole) {
		one, err := h.cost(ctx, server, func() error {
			err := together(clients, n, func(client, i int) error { return step(server.wires[client], e, i) })
			if err == nil && whole {
				err = h.drained(ctx)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// warmUp makes the people after the first n take the exam.
func (h *house) warmUp(ctx context.Context, server *server, e *exam, n int, whole bool) error {
	err := together(clients, len(e.people)-n, func(client, i int) error {
		return server.wires[client].attempt(e, e.people[n+i])
	})
	if err == nil && whole {
		err = h.drained(ctx)
	}
	if err != nil {
		return err
	}
	return h.calm(ctx)
}

// cost runs the work and says what it took. The database and the server do nothing else meanwhile.
func (h *house) cost(ctx context.Context, server *server, run func() error) (cost, error) {
	postmaster, err := h.postmaster()
	if err != nil {
		return cost{}, err
	}
	from, err := h.walPosition(ctx)
	if err != nil {
		return cost{}, err
	}
	before, err := spentSoFar(server.pid(), postmaster)
	if err != nil {
		return cost{}, err
	}
	begun := time.Now()
	err = run()
	if err != nil {
		return cost{}, err
	}
	took := time.Since(begun)
	now, err := spentSoFar(server.pid(), postmaster)
	if err != nil {
		return cost{}, err
	}
	written, err := h.walSince(ctx, from)
	return cost{spent: now.since(before), wal: written, took: took}, err
}

// counted is how many attempts are used to count round trips.
const counted = 64

// countAll counts the round trips of the same works by other people, through a server whose
// connections to PostgreSQL are watched. The times of this pass are not used.
func (h *house) countAll(ctx context.Context, all []cost) error {
	at := 0
	for _, whole := range []bool{false, true} {
		e, err := h.crowded(ctx, counted+2*clients)
		if err != nil {
			return err
		}
		counter, url, err := countTrips(h.postgres.AppURL(database))
		if err != nil {
			return err
		}
		defer counter.close()
		server, err := h.startServerAt(ctx, url, whole)
		if err != nil {
			return err
		}
		defer server.stop()
		err = h.warmUp(ctx, server, e, counted, whole)
		if err != nil {
			return err
		}
		for _, step := range h.works(counted, whole) {
			before := counter.trips.Load()
			err := together(clients, counted, func(client, i int) error { return step(server.wires[client], e, i) })
			if err == nil && whole {
				err = h.drained(ctx)
			}
			if err != nil {
				return err
			}
			all[at].trips = float64(counter.trips.Load()-before) / counted
			at++
		}
	}
	all[at].trips = all[3].trips - all[0].trips - all[1].trips - all[2].trips
	return nil
}

// crowded is the exam with n people who have made no request yet.
func (h *house) crowded(ctx context.Context, n int) (*exam, error) {
	e := h.exam
	e.people = nil
	for len(e.people) < n {
		err := h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
			for range min(100, n-len(e.people)) {
				_, token, err := e.enrol(ctx, tx, h.authority, "person-"+ids.New().String(), "candidate")
				if err != nil {
					return err
				}
				e.people = append(e.people, candidate{token: token})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("enrol a crowd: %w", err)
		}
	}
	return &e, h.calm(ctx)
}

// without subtracts the steps from the whole.
func (c cost) without(steps []cost) cost {
	left := c
	for _, s := range steps {
		left.client, left.server, left.postgres = left.client-s.client, left.server-s.server, left.postgres-s.postgres
		left.wal.add(wal{records: -s.records, bytes: -s.bytes, images: -s.images, commits: -s.commits})
	}
	return left
}

func costResults(n int, whole cost, all []cost) []result {
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }
	results := []result{
		{Name: "whole attempt by a person of its own, processor time", Unit: "ms", Value: each(whole.server + whole.postgres), AtMost: attemptGoal,
			Note: fmt.Sprintf("Go %.1f, PostgreSQL %.1f; besides, the clients took %.1f", each(whole.server), each(whole.postgres), each(whole.client))},
		{Name: "WAL of a whole attempt, without images of pages", Unit: "KB", Value: float64(whole.bytes) / 1000 / float64(n), AtMost: walGoal,
			Note: fmt.Sprintf("%d records, %d commits; images %.0f KB", whole.records/n, whole.commits/n, float64(whole.images)/1000/float64(n))},
		{Name: "whole attempts over HTTP, projected", Unit: "attempts/s", Value: float64(n) / whole.took.Seconds(), AtLeast: paceGoal},
	}
	for i, c := range all {
		if i == 3 {
			continue
		}
		results = append(results, result{Name: "processor time of " + stepNames[i], Unit: "ms", Value: each(c.server + c.postgres),
			Note: fmt.Sprintf("Go %.2f, PostgreSQL %.2f; %.1f round trips, %.1f KB of WAL in %d records", each(c.server), each(c.postgres),
				c.trips, float64(c.bytes)/1000/float64(n), c.records/n)})
	}
	return results
}

// printCosts prints for each table and index how much is written to it.
func printCosts(n int, all []cost) {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "Go ms\tPostgreSQL ms\tround trips\tcommits\trecords\tKB\timages KB\t  \t")
	per := func(v int) float64 { return float64(v) / float64(n) }
	for i, c := range all {
		fmt.Fprintf(t, "%.2f\t%.2f\t%.1f\t%.2f\t%.1f\t%.2f\t%.2f\t  %s\t\n", float64(c.server.Microseconds())/1000/float64(n),
			float64(c.postgres.Microseconds())/1000/float64(n), c.trips, per(c.commits), per(c.records), per(c.bytes)/1000, per(c.images)/1000, stepNames[i])
	}
	whole := all[3].relations
	names := make([]string, 0, len(whole))
	for name := range whole {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return whole[b].bytes - whole[a].bytes })
	fmt.Fprintln(t, "\t\t\t\trecords\tbytes\timages\t  \t")
	for _, name := range names {
		if w := whole[name]; per(w.bytes) >= 50 {
			fmt.Fprintf(t, "\t\t\t\t%.1f\t%.0f\t%.0f\t  %s\t\n", per(w.records), per(w.bytes), per(w.images), name)
		}
	}
	t.Flush() //nolint:errcheck // standard output
}
