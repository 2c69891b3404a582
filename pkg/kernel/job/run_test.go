package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/riverqueue/river"

	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/metric"
)

type ending struct {
	How string `json:"how"`
}

func (ending) Kind() string { return "ending" }

func (ending) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 2} }

type ender struct{ river.WorkerDefaults[ending] }

func (ender) NextRetry(*river.Job[ending]) time.Time { return time.Now() }

func (ender) Work(_ context.Context, j *river.Job[ending]) error {
	switch {
	case j.Args.How == "fail", j.Args.How == "fail once" && j.Attempt == 1:
		return errors.New("on purpose")
	case j.Args.How == "panic":
		panic("on purpose")
	case j.Args.How == "put off" && j.Attempt == 1:
		return river.JobSnooze(time.Hour)
	case j.Args.How == "cancel":
		return river.JobCancel(errors.New("on purpose"))
	}
	return nil
}

// Each way in which a run ends is counted as what it is.
func TestRunsAreCountedByTheirEnd(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App})
	workers := job.NewWorkers()
	job.Add(workers, &ender{})
	queue, err := job.NewQueue(store, slog.New(slog.DiscardHandler), workers, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	sample.Write(t, store, sample.Tenant(t, store), func(tx *db.Tx) error {
		return job.Insert(t.Context(), tx, ending{"fail"}, ending{"fail once"}, ending{"panic"}, ending{"put off"}, ending{"cancel"}, ending{"well"})
	})
	err = queue.Start(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{metric.JobCompleted: 2, metric.JobFailed: 3, metric.JobGivenUp: 2, metric.JobPutOff: 1, metric.JobCancelled: 1}
	for result, n := range want {
		await.Until(t, fmt.Sprintf("%v runs: %s", n, result), func() bool {
			return testutil.ToFloat64(metric.JobRuns.WithLabelValues("ending", result)) == n
		})
	}
	err = queue.Stop(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Error(err)
	}
}
