package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/projection"
	"assess/pkg/reporting"
)

// flat is how much longer a report may take with a hundred times the attempts.
const flat = 1.5

// reportedDays is the time that the attempts of a report are spread over.
const reportedDays = 90

// reading is a report that is read again and again, in the library and over HTTP.
type reading struct {
	name string
	call func(ctx context.Context, tx *db.Tx, e *exam) error
	path func(e *exam) string
}

var readings = []reading{
	{"question health list",
		func(ctx context.Context, tx *db.Tx, _ *exam) error {
			_, err := reporting.ListHealth(ctx, tx, reporting.HealthFilter{})
			return err
		},
		func(*exam) string { return "/reporting/question-health" }},
	{"evaluation summary",
		func(ctx context.Context, tx *db.Tx, e *exam) error {
			_, err := reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: e.version})
			return err
		},
		func(e *exam) string {
			return "/reporting/evaluation-summary?evaluationVersionId=" + e.version.String()
		}},
}

// measureReports reads the same reports of two tenants in turns, one with few attempts and
// one with many.
func measureReports(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeAttempts(ctx, "few", h.size.few)
	if err != nil {
		return nil, err
	}
	many, err := h.writeAttempts(ctx, "many", h.size.many)
	if err != nil {
		return nil, err
	}
	err = h.calm(ctx, projection.Tables...)
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
		inLibrary, err := h.alternate(&few, &many, func(e *exam) error { return r.read(ctx, h, e) })
		if err != nil {
			return nil, err
		}
		overHTTP, err := h.alternate(&few, &many, func(e *exam) error {
			_, err := server.wires[0].call(http.MethodGet, r.path(e), e.analyst, "", nil)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, h.flatness(r.name+", library", inLibrary)...)
		all = append(all, h.flatness(r.name+", HTTP", overHTTP)...)
	}
	return all, nil
}

func (r reading) read(ctx context.Context, h *house, e *exam) error {
	scope := e.operator
	scope.All = false
	scope.Actor, scope.Capabilities = db.Actor{Kind: db.UserActor, ID: e.user(0)}, capability.NewSet(capability.ReportingView)
	return h.store.Report(ctx, scope, func(tx *db.Tx) error { return r.call(ctx, tx, e) })
}

func (h *house) writeAttempts(ctx context.Context, name string, n int) (exam, error) {
	e, err := writeExam(ctx, h.store, h.authority, name)
	if err != nil {
		return exam{}, err
	}
	err = e.load(ctx, h.super, n, reportedDays)
	if err != nil {
		return exam{}, err
	}
	err = h.calm(ctx, "sessions", "submissions", "submission_items")
	if err != nil {
		return exam{}, err
	}
	return e, projection.Rebuild(ctx, h.store, e.operator.Tenant, nil)
}

// times are how long a report took, in ms.
type times struct{ few, many []float64 }

func (h *house) alternate(few, many *exam, read func(*exam) error) (times, error) {
	var t times
	for i := range h.size.reads + 20 {
		for _, one := range []struct {
			e    *exam
			into *[]float64
		}{{few, &t.few}, {many, &t.many}} {
			start := time.Now()
			err := read(one.e)
			if err != nil {
				return t, err
			}
			// The first ones fill caches.
			if i >= 20 {
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
		all = append(all, result{Name: fmt.Sprintf("%s, %d and %d attempts, %s", name, h.size.many, h.size.few, q.name), Unit: "ms",
			Value: many, Beside: few, Ratio: many / few, AtMost: flat})
	}
	return all
}
