package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assess/pkg/kernel/ids"
)

const (
	// attackers send hostile bodies at once, each the next one when the last is answered.
	attackers = 12
	// watched saves are timed without them and beside them.
	watched = 400
	// hostileGoal bounds the p95 beside them, in times of the quiet one.
	hostileGoal = 3
)

// hostileAnswers are bodies that take little to send and could take much to read.
func hostileAnswers() [][]byte {
	var unknown strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&unknown, `"x%d":1,`, i)
	}
	return [][]byte{
		[]byte(`{"answers":[` + strings.Repeat(`{},`, 340_000) + `{}]}`),
		[]byte(`{` + unknown.String() + `"answers":[]}`),
		[]byte(`{"answers":[{"response":` + strings.Repeat(`{"a":[`, 4_990) + strings.Repeat(`]}`, 4_990) + `}]}`),
	}
}

// measureHostile times saves of candidates while others send nothing, and while they send
// hostile bodies.
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
	stop, sent := h.attack(server)
	beside, err := r.timed(server.wires[0])
	stop()
	if err != nil {
		return nil, err
	}
	p95, usual := quantile(beside, 0.95), quantile(quiet, 0.95)
	return []result{{Name: "save of one answer beside hostile bodies, p95", Unit: "ms", Value: p95, Beside: usual, Ratio: p95 / usual,
		AtMost: hostileGoal, Note: fmt.Sprintf("%d hostile bodies were answered meanwhile", sent())}}, nil
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

// attack sends hostile bodies until the first function that it gives is called; the second one
// tells how many.
func (h *house) attack(server *server) (func(), func() int) {
	bodies, path, token := hostileAnswers(), sessionPath(&h.exam, ids.New())+"/answers", h.person(0).token
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
				_, _ = w.call(http.MethodPost, path, token, "", bodies[n%len(bodies)]) // refused, as it should be
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
