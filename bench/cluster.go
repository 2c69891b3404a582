package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// A cluster costs at most two fifths more time for the same work on the same machine.
const clusterGoal = 1 / 1.4

// side is one of the two databases, with a server of its own.
type side struct {
	name string
	*house
	server *server
}

// measureCluster does the same work on one PostgreSQL and on a coordinator and two workers, all on this machine, each
// through an assessd of its own.
func measureCluster(ctx context.Context, h *house) ([]result, error) {
	spread, err := openSpread(ctx, h.size, h.profile)
	if err != nil {
		return nil, err
	}
	defer spread.close()
	sides := []*side{{name: "one", house: h}, {name: "cluster", house: spread}}
	for _, s := range sides {
		s.server, err = s.startServer(ctx, false)
		if err != nil {
			return nil, err
		}
		defer func() { s.server.stop() }()
	}
	var results []result
	for _, piece := range []struct {
		name, unit string
		n          int
		of         func(*side) (contender, error)
	}{
		{"a row is read by its key, in a transaction, without HTTP", "reads/s", h.size.saves, func(s *side) (contender, error) { return s.reader(ctx) }},
		{"start of a session, HTTP", "starts/s", h.size.submits, (*side).starter},
		{"save of one answer, HTTP", "saves/s", h.size.saves, func(s *side) (contender, error) { return s.saver(ctx) }},
		{"submit of 20 items, HTTP", "submits/s", h.size.submits, (*side).handsIn},
	} {
		var contenders []contender
		for _, s := range sides {
			c, err := piece.of(s)
			if err != nil {
				return nil, err
			}
			c.name = s.name
			contenders = append(contenders, c)
		}
		rates, err := contest(ctx, h.size.rounds, piece.n, clients, contenders...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", piece.name, err)
		}
		results = append(results, compared("on a cluster: "+piece.name, piece.unit, rates["cluster"], rates["one"], 0))
	}
	whole, err := wholeOnBoth(ctx, sides, h.size)
	return append(results, whole), err
}

// reader does next to nothing: what remains is the least that a cluster takes for a transaction.
func (s *side) reader(ctx context.Context) (contender, error) {
	sessions, err := s.openSessions(ctx, 500)
	return contender{work: func(ctx context.Context, _, i int) error {
		var revision int64
		return s.store.ReadShort(ctx, s.operator, func(tx *db.Tx) error {
			return tx.LastRow(ctx, "select revision from sessions where tenant_id = $1 and id = $2",
				[]any{tx.Tenant(), sessions[i%len(sessions)]}, &revision)
		})
	}}, err
}

func (s *side) starter() (contender, error) {
	return contender{work: func(_ context.Context, client, i int) error {
		_, err := s.server.wires[client].start(&s.exam, s.person(i))
		return err
	}}, nil
}

func (s *side) saver(ctx context.Context) (contender, error) {
	sessions, err := s.openSessions(ctx, 500)
	r := &hall{h: s.house, sessions: sessions}
	return contender{work: func(_ context.Context, client, _ int) error {
		open, c, item, sequence := r.turn()
		return s.server.wires[client].save(&s.exam, c, open, item, sequence)
	}}, err
}

func (s *side) handsIn() (contender, error) {
	return s.submitter(s.name, func(_ context.Context, client, i int, open ids.ID) error {
		return s.server.wires[client].submit(&s.exam, s.person(i), open)
	}), nil
}

// wholeOnBoth takes whole attempts and projects them, in turns.
func wholeOnBoth(ctx context.Context, sides []*side, size size) (result, error) {
	rates, costs := map[string][]float64{}, map[string]spent{}
	for _, s := range sides {
		projecting, err := s.startServer(ctx, true)
		if err != nil {
			return result{}, err
		}
		s.server.stop()
		s.server = projecting
	}
	for round := range size.rounds + 1 {
		for turn := range sides {
			s := sides[(turn+round)%len(sides)]
			rate, cost, err := s.attempts(ctx, size.attempts)
			if err != nil {
				return result{}, fmt.Errorf("whole attempts, %s: %w", s.name, err)
			}
			if round > 0 {
				rates[s.name] = append(rates[s.name], rate)
				costs[s.name] = costs[s.name].and(cost)
			}
		}
	}
	r := compared("on a cluster: whole attempts, HTTP, projected", "attempts/s", rates["cluster"], rates["one"], clusterGoal)
	n := time.Duration(size.rounds * size.attempts)
	ms := func(d time.Duration) float64 { return float64((d / n).Microseconds()) / 1000 }
	r.Note = fmt.Sprintf("processor time of an attempt: Go %.1f ms, PostgreSQL %.1f; on one machine %.1f and %.1f",
		ms(costs["cluster"].server), ms(costs["cluster"].postgres), ms(costs["one"].server), ms(costs["one"].postgres))
	return r, nil
}

// attempts gives how many attempts a second were taken and projected, and what they cost.
func (s *side) attempts(ctx context.Context, n int) (float64, spent, error) {
	err := s.calm(ctx)
	if err != nil {
		return 0, spent{}, err
	}
	before, err := s.spentSoFar()
	if err != nil {
		return 0, spent{}, err
	}
	begun := time.Now()
	err = together(clients, n, func(client, i int) error { return s.server.wires[client].attempt(&s.exam, s.person(i)) })
	if err == nil {
		err = s.drained(ctx)
	}
	took := time.Since(begun)
	now, failed := s.spentSoFar()
	return float64(n) / took.Seconds(), now.since(before), cmp.Or(err, failed)
}

// spentSoFar is the processor time of the server and of all nodes.
func (s *side) spentSoFar() (spent, error) {
	var all spent
	for _, node := range s.nodes {
		pid, err := postmasterOf(node)
		if err != nil {
			return spent{}, err
		}
		one, err := spentSoFar(s.server.pid(), pid)
		if err != nil {
			return spent{}, err
		}
		all = spent{client: one.client, server: one.server, postgres: all.postgres + one.postgres}
	}
	return all, nil
}
