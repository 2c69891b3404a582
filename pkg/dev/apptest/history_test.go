package apptest_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/dev/apptest"
	"assess/pkg/report/projection"
)

// Whatever candidates, proctors, reviewers, jobs and the clock do, one after the other or at
// once, in whatever order, twice or again: answers, sessions, submissions, scores, their
// versions, the ledger and the reports match a model.
func TestHistoriesFollowTheModel(t *testing.T) {
	t.Parallel()
	// Counting here would end the search for the shortest history that fails.
	err := flag.Set("rapid.checks", histories())
	if err != nil {
		t.Fatal(err)
	}
	app := apptest.Start(t)
	rapid.Check(t, func(rt *rapid.T) {
		h := &history{t: t, service: newService(t, app)}
		h.story = begin(rt, h.service.items())
		for range h.steps() {
			h.step()
		}
		for _, c := range h.end() {
			h.happen(c)
		}
		h.compareAll()
	})
}

// histories is how many random histories are tried; each takes a few hundred milliseconds.
func histories() string { return cmp.Or(os.Getenv("ASSESS_HISTORIES"), "40") }

// history is what happened so far, to the service and to the model.
type history struct {
	*story
	t       *testing.T
	service *service
}

// step makes a call, or up to three at once.
func (h *history) step() {
	calls := h.next()
	if !slices.ContainsFunc(calls, call.isSilent) {
		h.happen(calls...)
		return
	}
	for _, c := range calls {
		h.happen(c)
	}
}

// isSilent tells calls whose answer does not say what they found, so that nothing tells in
// which order they and others came.
func (c call) isSilent() bool {
	return slices.Contains([]string{"overrun", "rest", "expire", "abandon"}, c.kind)
}

// happen makes calls at once. They have to be answered as if they had been made one after the
// other, in some order, and that is the one that the model goes on from.
func (h *history) happen(calls ...call) {
	answers := make([]answer, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		owner := ""
		if of := h.model.sessions[c.session]; of != nil {
			owner = of.owner
		}
		wg.Go(func() { answers[i] = h.service.do(h.t.Context(), c, owner) })
	}
	wg.Wait()
	var wanted []answer
	differs := ""
	for _, one := range h.courses(calls) {
		tried := slices.Concat(h.calls, one.before)
		for _, i := range one.order {
			tried = append(tried, calls[i])
		}
		m, all := after(h.items, tried)
		wanted = make([]answer, len(calls))
		for n, i := range one.order {
			wanted[i] = all[len(h.calls)+len(one.before)+n]
		}
		if !slices.EqualFunc(wanted, answers, answer.same) {
			continue
		}
		// The answers of jobs do not tell their order; the state afterwards does.
		differs = h.compare(m, calls)
		if differs == "" {
			h.calls, h.model = tried, m
			return
		}
	}
	if differs != "" {
		h.Fatal(differs)
	}
	h.Fatalf("calls %+v\nwere answered %+v\nas in no order; in the last one they would be %+v", calls, answers, wanted)
}

// course is an order of calls, and the work that was done before them.
type course struct {
	before []call
	order  []int
}

// courses gives the courses that calls at once may take. A job runs until there is nothing left to do, so it may
// finish its own work before the other calls, and then do what they queued.
func (h *history) courses(calls []call) []course {
	var all []course
	for _, order := range orders(len(calls)) {
		all = append(all, course{order: order})
	}
	jobs := slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.kind != "work" })
	if len(jobs) == 0 || len(jobs) == len(calls) {
		return all
	}
	for _, one := range slices.Clone(all) {
		all = append(all, course{before: jobs, order: one.order})
	}
	return all
}

// orders gives all orders of n things.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, rest := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(rest), at, n-1))
		}
	}
	return all
}

// compare reads back what calls were about (jobs are about everything) and says where it differs from a model.
func (h *history) compare(m *model, calls []call) string {
	about := map[string]bool{}
	for _, c := range calls {
		about[c.session] = true
		if c.kind == "start" {
			about[c.key] = true
		}
		if c.kind == "work" || c.kind == "expire" || c.kind == "abandon" {
			for name := range m.sessions {
				about[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(about)) {
		of := m.sessions[name]
		if of == nil {
			continue
		}
		got, err := h.service.readBack(h.t.Context(), of)
		if err != nil {
			h.Fatal(err)
		}
		if diff := gocmp.Diff(of.shows(), got); diff != "" {
			return fmt.Sprintf("after %+v: session %s (-model +service):\n%s", calls, name, diff)
		}
	}
	return ""
}

// compareAll looks at the reports, the ledger and the lists.
func (h *history) compareAll() {
	ctx := h.t.Context()
	h.service.Project(h.t)
	if evenly(h.T, "rebuild", upTo(4)) == 0 { // which takes longer than all the rest
		report, err := projection.Verify(ctx, h.service.Store, h.service.Tenant)
		if err != nil || report.Differences != 0 {
			h.Fatalf("the reports differ from a rebuild: %+v, %v", report, err)
		}
	}
	reports, err := h.service.readReports(ctx)
	if diff := gocmp.Diff(h.model.reports(), reports); err != nil || diff != "" {
		h.Fatalf("reports (-model +service): %v\n%s", err, diff)
	}
	figures, err := h.service.readFigures(ctx)
	if diff := gocmp.Diff(h.model.figures(), figures); err != nil || diff != "" {
		h.Fatalf("figures of questions (-model +service): %v\n%s", err, diff)
	}
	ledger, err := h.service.readLedger(ctx)
	if diff := gocmp.Diff(h.model.ledger, ledger); err != nil || diff != "" {
		h.Fatalf("ledger (-model +service): %v\n%s", err, diff)
	}
	lists, err := h.service.readLists(ctx)
	if diff := gocmp.Diff(h.model.lists(), lists); err != nil || diff != "" {
		h.Fatalf("lists of submissions (-model +service): %v\n%s", err, diff)
	}
}
