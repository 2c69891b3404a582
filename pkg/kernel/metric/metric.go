// Package metric counts what this process does, for Prometheus.
//
// Names, units and kinds follow the conventions of Prometheus (prometheus.io/docs/practices/naming): base
// units, _total for what only grows. A label has few values, all of them known to the code: never an id,
// the name of a tenant, or anything that somebody typed. docs/monitoring.md says what each is for.
//
// What a transaction does is counted by db.Tx.Count once it has committed.
package metric

import (
	"github.com/prometheus/client_golang/prometheus"

	"assess/pkg/kernel/build"
)

// Registry holds the counts of this process.
var Registry = prometheus.NewRegistry()

// Sessions of candidates, by the state that ended them, and what their saves brought.
var (
	SessionsStarted = counter("assessd_sessions_started_total", "Sessions that candidates began.")
	SessionsEnded   = counters("assessd_sessions_ended_total", "Sessions that ended, by their state since.",
		"state", "submitted", "expired", "closed", "abandoned")
	Receipts = counter("assessd_receipts_issued_total", "Receipts given for saved answers: one for each save.")
	Answers  = counter("assessd_answers_saved_total", "Answers that a save stored.")
)

// The results of handing over a mail.
const (
	MailSent      = "sent"
	MailFailed    = "failed"
	MailUncertain = "uncertain"
)

// Mail as it was handed to the mail server or put into the folder.
var (
	Mails = counters("assessd_mail_messages_total", "Mails handed over; uncertain: the connection broke before the server confirmed.",
		"result", MailSent, MailFailed, MailUncertain)
	MailSeconds = histogram("assessd_mail_send_seconds", "Time to hand over a mail.", .005, .025, .1, .25, .5, 1, 2.5, 5, 10, 20)
)

// The results of a run of a job.
const (
	JobCompleted = "completed"
	// JobFailed has tries left; JobGivenUp has none.
	JobFailed    = "failed"
	JobGivenUp   = "given_up"
	JobPutOff    = "put_off"
	JobCancelled = "cancelled"
)

var jobResults = []string{JobCompleted, JobFailed, JobGivenUp, JobPutOff, JobCancelled}

// Runs of background jobs.
var (
	JobRuns    = vector("assessd_job_runs_total", "Runs of jobs that ended; failed is tried again, given_up is not.", "kind", "result")
	JobSeconds = registered(prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "assessd_job_run_seconds", Help: "Time that a run of a job took.",
		Buckets: []float64{.005, .025, .1, .5, 1, 5, 30, 60, 300, 600}}, []string{"kind"}))
)

// Job makes the series of a kind of job, so that they are there before its first run.
func Job(kind string) {
	for _, result := range jobResults {
		JobRuns.WithLabelValues(kind, result)
	}
	JobSeconds.WithLabelValues(kind)
}

// The projector.
var (
	ProjectedRows = counter("assessd_projection_rows_total", "Outbox rows that were projected.")
	BatchRows     = histogram("assessd_projection_batch_rows", "Outbox rows of a batch.", 1, 5, 10, 50, 100, 250, 500, 1000, 5000)
	BatchSeconds  = histogram("assessd_projection_batch_seconds", "Time that a batch took.", .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30)
	PutOff        = counter("assessd_projection_deferred_total", "Subjects that could not be projected and got a later turn.")
)

func init() {
	b := build.This()
	registered(prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assessd_build_info", Help: "Always 1; the labels say which build runs."},
		[]string{"version", "commit", "goversion"})).WithLabelValues(b.Version, b.Commit, b.Go).Set(1)
}

func registered[C prometheus.Collector](c C) C {
	Registry.MustRegister(c)
	return c
}

func counter(name, help string) prometheus.Counter {
	return registered(prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
}

func vector(name, help string, labels ...string) *prometheus.CounterVec {
	return registered(prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels))
}

// counters makes a counter for each value of a label, all of them at 0 from the start.
func counters(name, help, label string, values ...string) *prometheus.CounterVec {
	v := vector(name, help, label)
	for _, value := range values {
		v.WithLabelValues(value)
	}
	return v
}

func histogram(name, help string, buckets ...float64) prometheus.Histogram {
	return registered(prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}))
}
