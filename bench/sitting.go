package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
)

const (
	// arrival is the time within which all candidates start, departure that within which all submit, in tenths of the exam's time.
	arrival, departure = 1, 2
	// thinking is how long a candidate thinks between two saves, give or take a third.
	thinking = 15 * time.Second
	// away is how long a candidate waits before they send again what failed; back is after how long a supervisor starts assessd again.
	away, back = 500 * time.Millisecond, time.Second
)

// sitting is people who take an exam at the same time, each with a connection of their own.
type sitting struct {
	h      *house
	exam   *exam
	server *server
	lasts  time.Duration
	begun  time.Time

	sessions []ids.ID
	// saved are the answers that were acknowledged, by candidate and item.
	saved [][items]byte
	mu    sync.Mutex
	// waits are how long calls took from the moment at which they were due, in ms.
	waits  map[string][]float64
	failed atomic.Int64
	reads  atomic.Int64
}

// measureExam has thousands of people take an exam at once, while reports are read and the server projects, and then does so again with a
// server that is killed in the middle.
func measureExam(ctx context.Context, h *house) ([]result, error) {
	var all []result
	for _, killed := range []bool{false, true} {
		found, err := h.takeExam(ctx, killed)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (h *house) takeExam(ctx context.Context, killed bool) ([]result, error) {
	e, err := h.crowded(ctx, h.size.crowd)
	if err != nil {
		return nil, err
	}
	server, err := h.startServer(ctx, true)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	c := &sitting{h: h, exam: e, server: server, lasts: h.size.crowdTime, begun: time.Now(), waits: map[string][]float64{},
		sessions: make([]ids.ID, h.size.crowd), saved: make([][items]byte, h.size.crowd)}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sizes := c.watchMemory(ctx)
	go c.readReports(ctx)
	if killed {
		time.AfterFunc(c.lasts/2, func() { _ = c.server.revive(ctx) }) // a server that stays away shows in what fails
	}
	var lags func() []float64
	time.AfterFunc(c.lasts, func() { c.lock(func() { lags = h.watchLag(ctx) }) })
	var people sync.WaitGroup
	for i := range c.sessions {
		people.Go(func() { c.sit(ctx, i) })
	}
	people.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var behind []float64
	c.lock(func() { behind = lags() })
	memory := sizes()
	err = h.drained(ctx)
	if err != nil {
		return nil, err
	}
	there, given, err := c.compare(ctx)
	if err != nil {
		return nil, err
	}
	return c.results(killed, behind, memory, there, given), nil
}

func (c *sitting) lock(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

// sit is a candidate who takes the exam.
func (c *sitting) sit(ctx context.Context, i int) {
	who, w := c.exam.people[i], &wire{address: c.server.address}
	defer w.close()
	share := time.Duration(i) * c.lasts / time.Duration(len(c.sessions)) / 10
	due := c.begun.Add(share * arrival)
	c.call(ctx, "start", due, func() error {
		var err error
		c.sessions[i], err = w.start(c.exam, who)
		w.body = nil // ten thousand papers would fill the memory
		return err
	})
	for n := range int64(1 << 20) {
		due = due.Add(thinking*2/3 + rand.N(thinking*2/3))
		if due.Sub(c.begun) > c.lasts {
			break
		}
		item, option := int(n)%items, "ABCD"[rand.N(4)]
		c.call(ctx, "save", due, func() error {
			return w.saveAs(c.exam, who, c.sessions[i], c.exam.places[item].item, n+1, `{"optionIds":["`+string(option)+`"]}`)
		})
		c.saved[i][item] = option
	}
	c.call(ctx, "submit", c.begun.Add(c.lasts+share*departure), func() error { return w.submit(c.exam, who, c.sessions[i]) })
}

// call does something when it is due, again and again until it succeeds.
func (c *sitting) call(ctx context.Context, what string, due time.Time, do func() error) {
	time.Sleep(time.Until(due))
	for ctx.Err() == nil {
		err := do()
		if err == nil {
			break
		}
		if c.failed.Add(1) <= 5 {
			fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		}
		time.Sleep(away)
	}
	wait := float64(time.Since(due).Microseconds()) / 1000
	c.lock(func() { c.waits[what] = append(c.waits[what], wait) })
}

// readReports reads what a teacher looks at while the exam runs.
func (c *sitting) readReports(ctx context.Context) {
	w := &wire{address: c.server.address}
	defer w.close()
	for ctx.Err() == nil {
		for _, path := range []string{"/reporting/evaluation-summary?evaluationVersionId=" + c.exam.version.String(), "/reporting/evaluations", "/reporting/question-health"} {
			_, err := w.call(http.MethodGet, path, c.exam.analyst, "", nil)
			if err != nil {
				c.failed.Add(1)
			}
			c.reads.Add(1)
		}
		time.Sleep(time.Second)
	}
}

var resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// watchMemory looks at what assessd takes until the function that it gives is called, which gives MB.
func (c *sitting) watchMemory(ctx context.Context) func() []float64 {
	var sizes []float64
	var wait sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	wait.Go(func() {
		for ctx.Err() == nil {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.server.pid()))
			found := resident.FindSubmatch(text)
			if err == nil && found != nil {
				kb, _ := strconv.ParseFloat(string(found[1]), 64)
				sizes = append(sizes, kb/1024)
			}
			time.Sleep(time.Second)
		}
	})
	return func() []float64 {
		stop()
		wait.Wait()
		return sizes
	}
}

// revive kills the server and starts it again at its address.
func (s *server) revive(ctx context.Context) error {
	s.process.Process.Kill() //nolint:errcheck // one that is gone is fine
	s.process.Wait()         //nolint:errcheck // killed
	time.Sleep(back)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	again := exec.Command(s.process.Path, s.process.Args[1:]...)
	again.Stderr = s.process.Stderr
	s.process = again
	return again.Start()
}

// compare reads what was submitted, and counts the acknowledged answers that are there, and all acknowledged answers.
func (c *sitting) compare(ctx context.Context) (there, given int, err error) {
	place := map[ids.ID]int{}
	for i, p := range c.exam.places {
		place[p.item] = i
	}
	number := map[ids.ID]int{}
	for i, id := range c.sessions {
		number[id] = i
		for _, option := range c.saved[i] {
			if option != 0 {
				given++
			}
		}
	}
	rows, err := c.h.super.Query(ctx, `select i.submission_id, i.item_id, i.response from submission_items i
		where i.tenant_id = $1 and i.submission_id = any($2) and not i.is_omitted`, uuid(c.h.operator.Tenant), uuids(c.sessions))
	if err != nil {
		return 0, 0, err
	}
	var submission, item ids.ID
	var response struct {
		OptionIDs []string `json:"optionIds"`
	}
	var text json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&submission, &item, &text}, func() error {
		err := json.Unmarshal(text, &response)
		if err != nil || len(response.OptionIDs) != 1 {
			return errors.Join(err, fmt.Errorf("a submitted answer is %s", text))
		}
		if response.OptionIDs[0] == string(c.saved[number[submission]][place[item]]) {
			there++
		}
		return nil
	})
	return there, given, err
}

func (c *sitting) results(killed bool, behind, memory []float64, there, given int) []result {
	called := len(c.waits["start"]) + len(c.waits["save"]) + len(c.waits["submit"]) + int(c.reads.Load())
	title := fmt.Sprintf("%d candidates for %s", len(c.sessions), c.lasts)
	answers := result{Name: title + ": acknowledged answers in the submissions", Unit: "answers", Value: float64(there), AtLeast: float64(given)}
	if killed {
		answers.Name = title + ", assessd killed in the middle: acknowledged answers in the submissions"
		answers.Note = fmt.Sprintf("%d calls failed and were repeated", c.failed.Load())
		return []result{answers}
	}
	quiet, end := len(memory)/5, len(memory)*4/5
	timing := func(what, whose string, atMost float64) result {
		all := c.waits[what]
		return result{Name: title + ": " + whose + ", p99", Unit: "ms", Value: quantile(all, 0.99), AtMost: atMost,
			Note: fmt.Sprintf("%d; p50 %.0f, p95 %.0f, longest %.0f ms", len(all), quantile(all, 0.5), quantile(all, 0.95), quantile(all, 1))}
	}
	return []result{
		timing("start", "starts", 1000), timing("save", "saves", 100), timing("submit", "submits", 0),
		{Name: title + ": calls without an error", Unit: "%", Value: 100 * (1 - float64(c.failed.Load())/float64(called)), AtLeast: 100,
			Note: fmt.Sprintf("%d calls, %d of them of reports", called, c.reads.Load())},
		{Name: title + ": most memory of assessd", Unit: "MB", Value: quantile(memory, 1), AtMost: 400,
			Note: fmt.Sprintf("median of the second fifth %.0f, of the last %.0f", median(memory[quiet:2*quiet+1]), median(memory[end:]))},
		{Name: title + ": projection lag while they submit, p95", Unit: "ms", Value: quantile(behind, 0.95), AtMost: 2000},
		answers,
	}
}
