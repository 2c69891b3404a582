package job

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/pkg/kernel/metric"
	"assess/pkg/kernel/trace"
)

// observer counts, traces and logs the runs of jobs.
type observer struct{ log *slog.Logger }

// work runs a job. A panic goes on to River, which takes it for a failure.
func (o observer) work(ctx context.Context, row *rivertype.JobRow, run func(context.Context) error) error {
	start, result := time.Now(), resultOf(row, errPanic)
	defer func() {
		metric.JobRuns.WithLabelValues(row.Kind, result).Inc()
		metric.JobSeconds.WithLabelValues(row.Kind).Observe(time.Since(start).Seconds())
	}()
	ctx, span := trace.Job(ctx, parentOf(row), row.Kind, row.Attempt)
	err := errPanic
	defer func() { span.End(err) }()
	err = run(ctx)
	result = resultOf(row, err)
	o.tell(ctx, row, result, err)
	return err
}

// tell logs a run that failed, in the trace of the request that queued the job.
func (o observer) tell(ctx context.Context, row *rivertype.JobRow, result string, err error) {
	level := slog.LevelWarn
	switch result {
	case metric.JobGivenUp:
		level = slog.LevelError
	case metric.JobFailed:
	default:
		return
	}
	o.log.LogAttrs(ctx, level, "job failed", slog.String("kind", row.Kind), slog.Int64("job", row.ID), slog.Int("attempt", row.Attempt),
		slog.String("result", result), slog.Any("error", err))
}

// origin is what a job keeps of the request that queued it: nothing but random ids.
type origin struct {
	Parent string `json:"traceparent,omitempty"`
}

func originOf(ctx context.Context) ([]byte, error) { return json.Marshal(origin{trace.Parent(ctx)}) }

// parentOf gives the traceparent under which a job was queued; empty where there was none.
func parentOf(row *rivertype.JobRow) string {
	var o origin
	err := json.Unmarshal(row.Metadata, &o)
	if err != nil {
		return ""
	}
	return o.Parent
}

var errPanic = errors.New("the job panicked")

func resultOf(row *rivertype.JobRow, err error) string {
	var putOff *river.JobSnoozeError
	var cancelled *river.JobCancelError
	switch {
	case err == nil:
		return metric.JobCompleted
	case errors.As(err, &putOff):
		return metric.JobPutOff
	case errors.As(err, &cancelled):
		return metric.JobCancelled
	case row.Attempt >= row.MaxAttempts:
		return metric.JobGivenUp
	}
	return metric.JobFailed
}
