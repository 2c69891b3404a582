package job

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"

	"assess/pkg/kernel/db"
)

// Running is the state of a job that a process works on.
const Running = string(rivertype.JobStateRunning)

// States are the states of jobs that have not ended. An available job could run.
var States = []string{string(rivertype.JobStateAvailable), string(rivertype.JobStatePending),
	string(rivertype.JobStateRetryable), Running, string(rivertype.JobStateScheduled)}

// Depth is how many jobs of a kind are in a state, and for how long the first of them could have run;
// 0 for jobs that run, or still have to wait.
type Depth struct {
	Kind, State string
	N           int64
	Due         time.Duration
}

// mostCounted bounds what Depths reads.
const mostCounted = 100_000

const depthsSQL = `
select kind, state, count(*), extract(epoch from greatest(clock_timestamp() - min(scheduled_at) filter (where state = 'available'), interval '0'))::float8
from (select kind, state::text as state, scheduled_at from river.river_job
	where state = any($1::river.river_job_state[]) limit $2) j
group by kind, state`

// Depths counts the jobs that have not ended, up to 100,000, by kind and state; nothing for a pair that has
// none.
func Depths(ctx context.Context, in interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}) ([]Depth, error) {
	rows, err := in.Query(ctx, depthsSQL, States, mostCounted)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Depth, error) {
		var d Depth
		var seconds float64
		err := row.Scan(&d.Kind, &d.State, &d.N, &seconds)
		d.Due = time.Duration(seconds * float64(time.Second))
		return d, err
	})
	return all, db.Translate(err)
}
