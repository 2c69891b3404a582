// Package job queues work that a request leaves for later, in River's own schema. A job
// is inserted in the transaction of its cause: it exists exactly when the cause does.
//
// Arguments hold only ids, never personal data or secrets. Workers open scoped
// transactions like everybody else, and each can run twice without harm: River delivers
// at least once.
package job

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/metric"
)

const schema = "river"

var inserter = func() *river.Client[pgx.Tx] {
	c, err := river.NewClient(riverpgxv5.New(nil), &river.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic("job: an insert-only client must build: " + err.Error())
	}
	return c
}()

// Insert queues jobs within the transaction. They go on in the trace that the context is in.
func Insert(ctx context.Context, tx *db.Tx, args ...river.JobArgs) error {
	origin, err := originOf(ctx)
	if err != nil {
		return fmt.Errorf("queue job: %w", err)
	}
	params := make([]river.InsertManyParams, len(args))
	for i, a := range args {
		params[i] = river.InsertManyParams{Args: a, InsertOpts: &river.InsertOpts{Metadata: origin}}
	}
	_, err = inserter.InsertManyFastTx(ctx, tx.Pgx(), params)
	if err != nil {
		return fmt.Errorf("queue job: %w", err)
	}
	return nil
}

// Workers are the workers of a process, and the kinds of their jobs.
type Workers struct {
	river *river.Workers
	kinds []string
}

// NewWorkers gives a set that is empty.
func NewWorkers() *Workers { return &Workers{river: river.NewWorkers()} }

// Add adds the worker of a kind of job.
func Add[T river.JobArgs](w *Workers, worker river.Worker[T]) {
	river.AddWorker(w.river, worker)
	var args T
	w.kinds = append(w.kinds, args.Kind())
	metric.Job(args.Kind())
}

// Queue works on jobs until it is stopped.
type Queue struct {
	client *river.Client[pgx.Tx]
	// Kinds are the kinds of the jobs that it works on.
	Kinds []string
}

// Periodic is work at a steady pace, done by one process at a time.
type Periodic struct {
	Every time.Duration
	Args  river.JobArgs
}

// NewQueue prepares a queue of the given number of workers.
func NewQueue(store *db.Store, log *slog.Logger, workers *Workers, parallel int, periodic []Periodic) (*Queue, error) {
	var plan []*river.PeriodicJob
	for _, p := range periodic {
		plan = append(plan, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
			func() (river.JobArgs, *river.InsertOpts) { return p.Args, nil }, &river.PeriodicJobOpts{RunOnStart: true}))
	}
	client, err := river.NewClient(riverpgxv5.New(store.Pool()), &river.Config{
		Schema:            schema,
		Logger:            slog.New(warnings{log.Handler()}),
		Workers:           workers.river,
		Middleware:        []rivertype.Middleware{river.WorkerMiddlewareFunc(observer{log}.work)},
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: parallel}},
		PeriodicJobs:      plan,
		FetchCooldown:     time.Millisecond,
		FetchPollInterval: 250 * time.Millisecond,
		JobTimeout:        10 * time.Minute,
		// A job that still seems to run then has lost its process, and may keep others like it out.
		RescueStuckJobsAfter: 15 * time.Minute,
		// Only the owner of an index may rebuild it, and the programs own nothing.
		ReindexerSchedule: river.NeverSchedule(),
	})
	if err != nil {
		return nil, fmt.Errorf("prepare job queue: %w", err)
	}
	return &Queue{client, workers.kinds}, nil
}

// Start begins to work.
func (q *Queue) Start(ctx context.Context) error { return q.client.Start(ctx) }

// Stop lets running jobs end.
func (q *Queue) Stop(ctx context.Context) error { return q.client.Stop(ctx) }

// warnings lets through what matters: River counts its jobs every few seconds.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}
