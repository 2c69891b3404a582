package apptest_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/apptest"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// Whatever candidates, proctors, reviewers, jobs and the clock do, one after the other or at
// once, in whatever order, twice or again: answers, sessions, submissions, scores, their
// versions, the ledger and the reports are those of a model.
func TestHistoriesFollowTheModel(t *testing.T) {
	t.Parallel()
	app, left := apptest.Start(t), histories()
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		h := &history{T: rt, t: t, service: newService(t, app)}
		h.items = h.service.items()
		h.model, _ = after(h.items, nil)
		for range rapid.IntRange(5, 50).Draw(rt, "steps") {
			h.step()
		}
		h.happen(call{kind: "expire"})
		h.compareAll()
	})
}

// histories is how many random histories are tried; each takes a few hundred milliseconds.
func histories() int {
	n, err := strconv.Atoi(os.Getenv("ASSESS_HISTORIES"))
	if err != nil {
		return 40
	}
	return n
}

// history is what happened so far, to the service and to the model.
type history struct {
	*rapid.T
	t       *testing.T
	service *service
	items   map[string][]string
	calls   []call
	drawn   int
	model   *model
}

// step makes a call, or up to three at once.
func (h *history) step() {
	calls := []call{h.draw()}
	if rapid.IntRange(0, 3).Draw(h.T, "at once") == 0 {
		for range rapid.IntRange(1, 2).Draw(h.T, "more") {
			calls = append(calls, h.draw())
		}
	}
	h.happen(calls...)
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
	for _, order := range orders(len(calls)) {
		tried := slices.Clone(h.calls)
		for _, i := range order {
			tried = append(tried, calls[i])
		}
		m, all := after(h.items, tried)
		wanted = make([]answer, len(calls))
		for n, i := range order {
			wanted[i] = all[len(h.calls)+n]
		}
		if slices.EqualFunc(wanted, answers, answer.same) {
			h.calls, h.model = tried, m
			h.compare(calls)
			return
		}
	}
	h.Fatalf("calls %+v\nwere answered %+v\nas in no order; in the last one they would be %+v", calls, answers, wanted)
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

// compare reads back what calls were about; jobs are about everything.
func (h *history) compare(calls []call) {
	about := map[string]bool{}
	for _, c := range calls {
		about[c.session] = true
		if c.kind == "start" {
			about[c.key] = true
		}
		if c.kind == "work" || c.kind == "expire" || c.kind == "abandon" {
			for name := range h.model.sessions {
				about[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(about)) {
		of := h.model.sessions[name]
		if of == nil {
			continue
		}
		got, err := h.service.readBack(h.t.Context(), of)
		if err != nil {
			h.Fatal(err)
		}
		if diff := cmp.Diff(of.shows(), got); diff != "" {
			h.Fatalf("after %+v: session %s (-model +service):\n%s", calls, name, diff)
		}
	}
}

// compareAll looks at everything once more, at the number of submissions, the ledger and the reports.
func (h *history) compareAll() {
	ctx := h.t.Context()
	h.service.Project(h.t)
	if rapid.IntRange(0, 4).Draw(h.T, "rebuild") == 0 { // which takes longer than all the rest
		report, err := projection.Verify(ctx, h.service.Store, h.service.Tenant)
		if err != nil || report.Differences != 0 {
			h.Fatalf("the reports differ from a rebuild: %+v, %v", report, err)
		}
	}
	reports, err := h.service.readReports(ctx)
	if diff := cmp.Diff(h.model.reports(), reports); err != nil || diff != "" {
		h.Fatalf("reports (-model +service): %v\n%s", err, diff)
	}
	ledger, err := h.service.readLedger(ctx)
	if diff := cmp.Diff(h.model.ledger, ledger); err != nil || diff != "" {
		h.Fatalf("ledger (-model +service): %v\n%s", err, diff)
	}
	for exam, snapshot := range h.service.exams {
		var list struct{ Total int }
		_, err := h.service.get(ctx, "staff", "/evaluations/"+snapshot.EvaluationID.String()+"/submissions", &list)
		want := 0
		for _, s := range h.model.sessions {
			if s.exam == exam && s.status() != "" {
				want++
			}
		}
		if err != nil || list.Total != want {
			h.Fatalf("%s: %d submissions, %v, want %d", exam, list.Total, err, want)
		}
	}
}

// kinds of calls, as often as they are to come.
var kinds = []string{"start", "start", "save", "save", "save", "save", "event", "resume", "submit", "submit", "submit", "submit", "close", "extend",
	"overrun", "expire", "rest", "abandon", "void", "mark", "draft", "apply", "apply", "revert", "work", "work", "work", "project", "retry", "retry"}

// draw makes up a call that fits what is there, and gives it a key of its own where its kind
// has one.
func (h *history) draw() call {
	kind := rapid.SampledFrom(kinds).Draw(h.T, "kind")
	if kind == "retry" && len(h.calls) > 0 {
		return rapid.SampledFrom(h.calls).Draw(h.T, "again")
	}
	c := h.drawNew(kind)
	if !slices.Contains([]string{"save", "event", "overrun", "rest", "expire", "abandon", "work", "project"}, c.kind) {
		h.drawn++
		c.key = fmt.Sprintf("%s-%d", c.kind, h.drawn)
	}
	return c
}

func (h *history) drawNew(kind string) call {
	c := call{kind: kind, by: "proctor", revision: -1}
	sessions, remedies := slices.Sorted(maps.Keys(h.model.sessions)), slices.Sorted(maps.Keys(h.model.remedies))
	switch kind {
	case "expire", "abandon", "project":
		return call{kind: kind}
	case "draft":
		return h.drawDraft(c)
	case "apply", "revert", "work":
		if len(remedies) == 0 {
			return h.drawDraft(c)
		}
		c.remedy = rapid.SampledFrom(remedies).Draw(h.T, "remedy")
		return c
	}
	if kind == "start" || len(sessions) == 0 {
		c.kind, c.exam, c.by = "start", rapid.SampledFrom([]string{"timed", "untimed"}).Draw(h.T, "exam"), rapid.SampledFrom(candidates).Draw(h.T, "candidate")
		return c
	}
	return h.drawAbout(c, h.model.sessions[rapid.SampledFrom(sessions).Draw(h.T, "session")])
}

// drawAbout makes up what is done with a session.
func (h *history) drawAbout(c call, s *session) call {
	c.session, c.exam = s.name, s.exam
	switch c.kind {
	case "mark":
		c.item, c.share = rapid.IntRange(0, len(paper)-1).Draw(h.T, "item"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(h.T, "share")
	case "save", "event", "resume", "submit":
		c.by = rapid.SampledFrom([]string{"owner", "owner", "owner", "owner", "owner", "proctor", "stranger"}).Draw(h.T, "by")
		c.view = rapid.IntRange(1, s.view).Draw(h.T, "view")
	}
	switch c.kind {
	case "save":
		for _, item := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(paper)-1), 1, 4, rapid.ID[int]).Draw(h.T, "items") {
			c.answers = append(c.answers, sent{item, rapid.Int64Range(1, 4).Draw(h.T, "sequence"),
				rapid.SampledFrom(append([]string{""}, paper[item].words...)).Draw(h.T, "word")})
		}
	case "event":
		c.events = map[string]string{}
		for range rapid.IntRange(1, 3).Draw(h.T, "events") {
			c.events[ids.New().String()] = rapid.SampledFrom([]string{"focus_lost", "focus_gained", "copy"}).Draw(h.T, "type")
		}
	case "submit":
		c.revision = rapid.SampledFrom([]int64{-1, -1, s.revision, s.revision, s.revision + 1}).Draw(h.T, "revision")
		if c.by == "proctor" && rapid.Bool().Draw(h.T, "any view") {
			c.view = 0
		}
	}
	return c
}

// drawDraft makes up a remediation of one or two submissions, or of all of an exam.
func (h *history) drawDraft(c call) call {
	c.kind, c.exam = "draft", rapid.SampledFrom([]string{"timed", "untimed"}).Draw(h.T, "exam")
	c.rule = rapid.SampledFrom([]string{"exempt_question", "full_credit", "adjust_item", "rekey"}).Draw(h.T, "rule")
	c.item = rapid.IntRange(0, len(paper)-1).Draw(h.T, "item")
	c.share = rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(h.T, "share")
	if c.rule == "rekey" && paper[c.item].qtype == "essay" {
		c.item = 0
	}
	c.word = rapid.SampledFrom(paper[c.item].words).Draw(h.T, "right")
	var there []string
	for _, name := range slices.Sorted(maps.Keys(h.model.sessions)) {
		if s := h.model.sessions[name]; s.exam == c.exam && s.status() != "" {
			there = append(there, name)
		}
	}
	if len(there) > 0 && rapid.Bool().Draw(h.T, "chosen") {
		c.chosen = rapid.SliceOfNDistinct(rapid.SampledFrom(there), 1, min(2, len(there)), rapid.ID[string]).Draw(h.T, "submissions")
	}
	return c
}
