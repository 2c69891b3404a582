package capacity

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Machine has the measurements of a machine.
type Machine struct {
	// Processors is how many this program may use.
	Processors int `json:"processors" doc:"Processors of the machine that measures"`
	// Pace compares a processor of PostgreSQL's machine with the one whose costs the model has: 2 is twice as fast.
	Pace float64 `json:"pace" doc:"How fast a processor of PostgreSQL's machine is, beside the one of docs/cost.md"`
	// Commit is the median wait for the disk at a commit, in ms.
	Commit float64 `json:"commit" doc:"Median of how long a commit waits for the disk, in milliseconds"`
}

// Querier runs statements outside a transaction.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

const (
	looks = 15
	// workSQL takes PostgreSQL a while and reads no table. usualWork is how long in ms on the processor of docs/cost.md: it took 97 on
	// one where an attempt costs 1.22 times as much.
	workSQL   = "select count(md5(g::text)) from generate_series(1, 100000) g"
	usualWork = 80.0
	// commitSQL writes a few bytes to the write-ahead log, which nobody reads, and waits for the disk.
	commitSQL = "select pg_logical_emit_message(true, 'assess', 'capacity')::text"
	readSQL   = "select 'capacity'"
)

// Measure looks how fast this machine, its PostgreSQL and its disk are, for about a second. It changes no row.
func Measure(ctx context.Context, q Querier) (Machine, error) {
	var took [3][]float64
	for range looks {
		for i, sql := range []string{workSQL, commitSQL, readSQL} {
			var answer any
			begin := time.Now()
			err := q.QueryRow(ctx, sql).Scan(&answer)
			if err != nil {
				return Machine{}, fmt.Errorf("measure the database: %w", err)
			}
			took[i] = append(took[i], time.Since(begin).Seconds()*1000)
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	work, commit, way := took[0][0], took[1][looks/2], took[2][looks/2]
	return Machine{Processors: runtime.GOMAXPROCS(0), Pace: usualWork / max(work-way, 0.1), Commit: max(commit-way, 0)}, nil
}
