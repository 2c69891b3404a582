package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

// flat is how many times as long an unfiltered page may take with ten times the attempts.
const flat = 1.3

// reportedDays is the time that the attempts of a report are spread over.
const reportedDays = 90

// reading is a report that is read again and again, in the library and over HTTP. within is
// the goal for the 95th percentile over HTTP with many attempts, in ms.
type reading struct {
	name   string
	within float64
	// filtered ones may grow with the attempts.
	filtered bool
	call     func(ctx context.Context, tx *db.Tx, e *exam) error
	path     func(e *exam) string
}

var readings = []reading{
	{"question health list", 50, false,
		func(ctx context.Context, tx *db.Tx, _ *exam) error {
			_, err := reporting.ListHealth(ctx, tx, reporting.HealthFilter{})
			return err
		},
		func(*exam) string { return "/reporting/question-health" }},
	{"question health detail", 20, false,
		func(ctx context.Context, tx *db.Tx, e *exam) error {
			_, err := reporting.QuestionHealth(ctx, tx, e.places[0].question, reporting.HealthFilter{})
			return err
		},
		func(e *exam) string {
			return "/reporting/question-versions/" + e.places[0].question.String() + "/health"
		}},
	{"evaluation summary", 50, false,
		func(ctx context.Context, tx *db.Tx, e *exam) error {
			_, err := reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: e.version})
			return err
		},
		func(e *exam) string { return summaryPath(e, "") }},
	{"cohorts", 300, false, nil, func(e *exam) string { return listPath(e, "cohorts", "") }},
	{"groups", 300, false, nil, func(e *exam) string { return listPath(e, "groups", "") }},
	{"cohorts with all blocks", 300, false, nil, func(e *exam) string { return listPath(e, "cohorts", allBlocks) }},
	{"groups with all blocks", 300, false, nil, func(e *exam) string { return listPath(e, "groups", allBlocks) }},
	{"groups of a run", 300, true, nil, func(e *exam) string { return listPath(e, "groups", ofRun) }},
	{"cohorts of some weeks, all blocks", 300, true, nil, func(e *exam) string { return listPath(e, "cohorts", ofWeeks+allBlocks) }},
	{"groups of some weeks, all blocks", 300, true, nil, func(e *exam) string { return listPath(e, "groups", ofWeeks+allBlocks) }},
	{"evaluation summary of a run", 300, true, nil, func(e *exam) string { return summaryPath(e, ofRun) }},
	{"evaluation summary of a group", 300, true, nil, func(e *exam) string { return summaryPath(e, ofGroup(e)) }},
	{"evaluation summary of a group in a run", 300, true, nil, func(e *exam) string { return summaryPath(e, ofGroup(e)+ofRun) }},
	{"evaluation summary of a month", 300, true, nil, func(e *exam) string { return summaryPath(e, ofMonth) }},
	{"evaluation summary of some weeks", 300, true, nil, func(e *exam) string { return summaryPath(e, ofWeeks) }},
	{"evaluation summary of a run and some weeks", 300, true, nil, func(e *exam) string { return summaryPath(e, ofWeeks+ofRun) }},
	{"evaluation summary of a group and some weeks", 300, true, nil, func(e *exam) string { return summaryPath(e, ofWeeks+ofGroup(e)) }},
	{"question health list of a version", 0, true, nil, func(e *exam) string {
		return "/reporting/question-health?evaluationVersionId=" + e.version.String()
	}},
	{"question health list of a run", 0, true, nil, func(*exam) string { return "/reporting/question-health?run_label=run%201" }},
	{"question health list of a month", 0, true, nil, func(*exam) string { return "/reporting/question-health?" + ofMonth[1:] }},
}

// The filters of the readings. Some weeks begin and end within a day, so that days cannot answer them.
const (
	ofRun     = "&run_label=run%201"
	ofMonth   = "&from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z"
	ofWeeks   = "&from=2026-01-10T09:30:00Z&to=2026-03-20T15:45:00Z"
	allBlocks = "&include=scores,timing,distributions,tags,sections"
)

func ofGroup(e *exam) string { return "&groupId=" + e.groups[7].String() }

func listPath(e *exam, list, filters string) string {
	return "/reporting/evaluation-summary/" + list + "?evaluationVersionId=" + e.version.String() + filters
}

func summaryPath(e *exam, filters string) string {
	return "/reporting/evaluation-summary?evaluationVersionId=" + e.version.String() + filters
}

// measureReports reads the same reports of two tenants in turns, one with few attempts and one with
// ten times as many, and says how long a rebuild of them took, compared with a statement by hand
// that only writes the rows of the items.
func measureReports(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeAttempts(ctx, "few", h.size.many/10)
	if err != nil {
		return nil, err
	}
	many, err := h.writeAttempts(ctx, "many", h.size.many)
	if err != nil {
		return nil, err
	}
	byHand, err := took(func() error { return hand{h.super, false}.project(ctx, &many) })
	if err != nil {
		return nil, err
	}
	err = h.emptyReports(ctx)
	if err != nil {
		return nil, err
	}
	rebuilt, err := h.rebuild(ctx, &few, &many)
	if err != nil {
		return nil, err
	}
	perSecond := func(t time.Duration) []float64 { return []float64{float64(h.size.many*items) / t.Seconds()} }
	found, err := h.read(ctx, readings, &few, &many)
	return append([]result{compared(fmt.Sprintf("full rebuild of %d submissions, beside the rows of items alone", h.size.many), "items/s",
		perSecond(rebuilt), perSecond(byHand), 0.7)}, found...), err
}

func took(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}

// read measures each of the readings.
func (h *house) read(ctx context.Context, readings []reading, few, many *exam) ([]result, error) {
	err := h.calm(ctx, projection.Tables...)
	if err != nil {
		return nil, err
	}
	server, err := h.startServer(ctx, false)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	var all []result
	for _, r := range readings {
		found, err := r.measure(ctx, h, server, few, many)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (r reading) measure(ctx context.Context, h *house, server *server, few, many *exam) ([]result, error) {
	var all []result
	if r.call != nil {
		inLibrary, err := h.alternate(few, many, func(e *exam) error { return r.read(ctx, h, e) })
		if err != nil {
			return nil, err
		}
		all = append(all, h.flatness(r.name+", library", inLibrary)...)
	}
	overHTTP, err := h.alternate(few, many, func(e *exam) error {
		_, err := server.wires[0].call(http.MethodGet, r.path(e), e.analyst, "", nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !r.filtered {
		all = append(all, h.flatness(r.name+", HTTP", overHTTP)...)
	}
	return append(all, result{Name: fmt.Sprintf("%s, HTTP, %d attempts, p95", r.name, h.size.many), Unit: "ms",
		Value: quantile(overHTTP.many, 0.95), AtMost: r.within}), nil
}

func (r reading) read(ctx context.Context, h *house, e *exam) error {
	return h.store.Report(ctx, readerOf(e.operator), func(tx *db.Tx) error { return r.call(ctx, tx, e) })
}

// readerOf makes an analyst of the operator's org unit.
func readerOf(operator db.Scope) db.Scope {
	operator.All = false
	operator.Actor, operator.Capabilities = db.Actor{Kind: db.UserActor, ID: operator.OrgUnit}, capability.NewSet(capability.ReportingView)
	return operator
}

func (h *house) writeAttempts(ctx context.Context, name string, n int) (exam, error) {
	e, err := writeExam(ctx, h.store, h.authority, name, 1)
	if err != nil {
		return exam{}, err
	}
	return e, h.fill(ctx, &e, n, n/attemptsOfOne)
}

// fill loads attempts that no report shows yet.
func (h *house) fill(ctx context.Context, e *exam, n, people int) error {
	err := e.assignGroups(ctx, h.store, h.size.groups)
	if err != nil {
		return err
	}
	err = e.load(ctx, h.super, n, people, reportedDays)
	if err != nil {
		return err
	}
	return h.calm(ctx, "sessions", "submissions", "submission_items")
}

// rebuild makes the reports of both and gives how long that took for many.
func (h *house) rebuild(ctx context.Context, few, many *exam) (time.Duration, error) {
	err := projection.Rebuild(ctx, h.store, few.operator.Tenant, nil)
	if err != nil {
		return 0, err
	}
	return took(func() error { return projection.Rebuild(ctx, h.store, many.operator.Tenant, nil) })
}

// times are how long a report took, in ms.
type times struct{ few, many []float64 }

// patience bounds how long a report is read again and again; a slow one is read less often.
const patience = 20 * time.Second

func (h *house) alternate(few, many *exam, read func(*exam) error) (times, error) {
	var t times
	begin := time.Now()
	for i := 0; i < h.size.reads+20 && (time.Since(begin) < patience || len(t.many) < 5); i++ {
		// The first ones fill caches.
		warm := i < 20 && time.Since(begin) < patience/8
		for _, one := range []struct {
			e    *exam
			into *[]float64
		}{{few, &t.few}, {many, &t.many}} {
			start := time.Now()
			err := read(one.e)
			if err != nil {
				return t, err
			}
			if !warm {
				*one.into = append(*one.into, float64(time.Since(start).Microseconds())/1000)
			}
		}
	}
	return t, nil
}

func (h *house) flatness(name string, t times) []result {
	var all []result
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.5}, {"p95", 0.95}} {
		few, many := quantile(t.few, q.at), quantile(t.many, q.at)
		all = append(all, result{Name: fmt.Sprintf("%s, %d and %d attempts, %s", name, h.size.many, h.size.many/10, q.name), Unit: "ms",
			Value: many, Beside: few, Ratio: many / few, AtMost: flat})
	}
	return all
}
