package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	// attackers send hostile bodies at once, each the next one when the last is answered.
	attackers = 12
	// watched saves are timed without hostile clients and with them.
	watched = 400
	// hostileGoal bounds the p95 with them, as a multiple of the p95 without.
	hostileGoal = 3
)

// costly is a call that is cheap to send and could be expensive to answer.
type costly struct {
	path, token string
	body        []byte
}

// hostileAnswers are answers of a candidate.
func (h *house) hostileAnswers() []costly {
	var unknown strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&unknown, `"x%d":1,`, i)
	}
	var all []costly
	for _, body := range []string{
		`{"answers":[` + strings.Repeat(`{},`, 340_000) + `{}]}`,
		`{` + unknown.String() + `"answers":[]}`,
		`{"answers":[{"response":` + strings.Repeat(`{"a":[`, 4_990) + strings.Repeat(`]}`, 4_990) + `}]}`,
	} {
		all = append(all, costly{sessionPath(&h.exam, ids.New()) + "/answers", h.person(0).token, []byte(body)})
	}
	return all
}

// previews are files of as many short lines as an import takes, one of each kind.
func (h *house) previews(ctx context.Context) ([]costly, error) {
	var token string
	err := h.store.Write(ctx, h.exam.operator, func(tx *db.Tx) error {
		var err error
		_, token, err = h.exam.enrol(ctx, tx, h.authority, "importer", "org_admin")
		return err
	})
	var all []costly
	for kind, column := range map[string]string{"users": "email", "questions": "externalId", "passages": "externalId",
		"evaluations": "evaluation", "subjects": "externalId", "assignments": "evaluation"} {
		all = append(all, costly{"/" + kind + "/import/preview", token, []byte(`{"csv":"` + column + strings.Repeat(`\na`, 199_000) + `"}`)})
	}
	return all, err
}

// measureHostile times saves of candidates while others send nothing, while they send hostile
// bodies, and while they send imports.
func measureHostile(ctx context.Context, h *house) ([]result, error) {
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	r := &hall{h: h}
	r.sessions, err = h.openSessions(ctx, 50)
	if err != nil {
		return nil, err
	}
	_, err = r.timed(server.wires[0]) // caches are warm from here on
	if err != nil {
		return nil, err
	}
	quiet, err := r.timed(server.wires[0])
	if err != nil {
		return nil, err
	}
	previews, err := h.previews(ctx)
	if err != nil {
		return nil, err
	}
	usual := quantile(quiet, 0.95)
	var all []result
	for _, attack := range []struct {
		name  string
		calls []costly
	}{{"hostile bodies", h.hostileAnswers()}, {"imports", previews}} {
		stop, sent := attackWith(server, attack.calls)
		beside, err := r.timed(server.wires[0])
		stop()
		if err != nil {
			return nil, err
		}
		p95 := quantile(beside, 0.95)
		all = append(all, result{Name: "save of one answer beside " + attack.name + ", p95", Unit: "ms", Value: p95, Beside: usual, Ratio: p95 / usual,
			AtMost: hostileGoal, Note: fmt.Sprintf("%d %s were answered meanwhile", sent(), attack.name)})
	}
	return all, nil
}

// timed saves answers one after the other and gives how long each took, in ms.
func (r *hall) timed(w *wire) ([]float64, error) {
	var took []float64
	for range watched {
		session, c, item, sequence := r.turn()
		start := time.Now()
		err := w.save(&r.h.exam, c, session, item, sequence)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start).Seconds()*1000)
	}
	return took, nil
}

// attackWith makes these calls in turn until the first function that it gives is called; the second one
// tells how many.
func attackWith(server *server, calls []costly) (func(), func() int) {
	done := make(chan struct{})
	counts := make([]int, attackers)
	var all sync.WaitGroup
	for i := range attackers {
		all.Go(func() {
			w := &wire{address: server.address}
			defer w.close()
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				c := calls[n%len(calls)]
				_, _ = w.call(http.MethodPost, c.path, c.token, "", c.body) // refused, as it should be
				counts[i]++
			}
		})
	}
	return func() { close(done); all.Wait() }, func() int {
		sum := 0
		for _, n := range counts {
			sum += n
		}
		return sum
	}
}
