package httpapi

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/job"
	"assess/pkg/report/projection"
	"assess/pkg/trust/requests"
)

// JobKinds are the kinds of jobs that a process works on, and those among them that send a mail each.
type JobKinds struct{ All, Mailing []string }

var (
	databaseUp     = prometheus.NewDesc("assessd_database_up", "1 when the database answered, 0 otherwise; then the figures that are read from it are missing.", nil, nil)
	jobsWaiting    = prometheus.NewDesc("assessd_jobs", "Jobs that have not ended; counted up to 100,000.", []string{"kind", "state"}, nil)
	jobLag         = prometheus.NewDesc("assessd_job_lag_seconds", "For how long the first job of a kind that could run has not been taken up.", []string{"kind"}, nil)
	mailWaiting    = prometheus.NewDesc("assessd_mail_waiting", "Mails that wait to be handed over, those to be tried again among them.", nil, nil)
	sessionsOpen   = prometheus.NewDesc("assessd_sessions_open", "Open sessions of all tenants; with a time limit and without one counted up to 100,000 each.", nil, nil)
	requestsOpen   = prometheus.NewDesc("assessd_privacy_requests", "Requests of people about their data that wait for an answer, over all tenants, by what is left of the time.", []string{"sla_state"}, nil)
	projectionRows = prometheus.NewDesc("assessd_projection_waiting", "Outbox rows that wait for the projector, over all tenants; counted up to 100,000.", nil, nil)
	projectionLag  = prometheus.NewDesc("assessd_projection_lag_seconds", "Age of the oldest outbox row; 0 when none waits.", nil, nil)
)

// figures are read from the database: every process of an installation tells the same. They are
// kept for a while, so that nobody keeps the database busy by asking.
type figures struct {
	server *Server
	mu     sync.Mutex
	readAt time.Time
	read   []prometheus.Metric
}

const (
	figuresKept  = 5 * time.Second
	figuresLimit = 5 * time.Second
)

func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{databaseUp, jobsWaiting, jobLag, mailWaiting, sessionsOpen, requestsOpen, projectionRows, projectionLag} {
		to <- d
	}
}

func (f *figures) Collect(to chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.readAt) > figuresKept {
		ctx, cancel := context.WithTimeout(context.Background(), figuresLimit)
		defer cancel()
		f.read, f.readAt = f.server.figures(ctx), time.Now()
	}
	for _, m := range f.read {
		to <- m
	}
}

func (s *Server) figures(ctx context.Context) []prometheus.Metric {
	depths, err := job.Depths(ctx, s.store.Unscoped())
	if err != nil {
		return []prometheus.Metric{gauge(databaseUp, 0)}
	}
	open, err := session.CountOpen(ctx, s.store.Unscoped())
	if err != nil {
		return []prometheus.Metric{gauge(databaseUp, 0)}
	}
	backlog, err := projection.GetBacklog(ctx, s.store)
	if err != nil {
		return []prometheus.Metric{gauge(databaseUp, 0)}
	}
	waiting, err := requests.CountOpen(ctx, s.store.Unscoped())
	if err != nil {
		return []prometheus.Metric{gauge(databaseUp, 0)}
	}
	return append(append(s.jobFigures(depths), requestFigures(waiting)...), gauge(databaseUp, 1), gauge(sessionsOpen, float64(open)),
		gauge(projectionRows, float64(backlog.Waiting)), gauge(projectionLag, backlog.Lag.Seconds()))
}

// jobFigures has a series for each kind that this process knows, and for each kind that another process, of
// another version, has queued.
func (s *Server) jobFigures(depths []job.Depth) []prometheus.Metric {
	type pair struct{ kind, state string }
	count, lag, mails := map[pair]int64{}, map[string]time.Duration{}, int64(0)
	for _, kind := range s.jobs.All {
		lag[kind] = 0
		for _, state := range job.States {
			count[pair{kind, state}] = 0
		}
	}
	for _, d := range depths {
		count[pair{d.Kind, d.State}] = d.N
		lag[d.Kind] = max(lag[d.Kind], d.Due)
		if slices.Contains(s.jobs.Mailing, d.Kind) && d.State != job.Running {
			mails += d.N
		}
	}
	all := []prometheus.Metric{gauge(mailWaiting, float64(mails))}
	for p, n := range count {
		all = append(all, gauge(jobsWaiting, float64(n), p.kind, p.state))
	}
	for kind, age := range lag {
		all = append(all, gauge(jobLag, age.Seconds(), kind))
	}
	return all
}

// requestFigures has a series for each state of the time.
func requestFigures(open []requests.Open) []prometheus.Metric {
	count := map[string]int64{}
	for _, o := range open {
		count[o.SLAState] = o.N
	}
	var all []prometheus.Metric
	for _, state := range requests.SLAStates {
		all = append(all, gauge(requestsOpen, float64(count[state]), state))
	}
	return all
}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}
