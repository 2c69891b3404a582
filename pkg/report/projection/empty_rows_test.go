package projection

import (
	"context"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// crowded is how many cells a version has in the test below, of each kind.
const crowded = 4000

// crowdSQL makes a version that many took before: $1 to $4 are tenant, org unit, version and
// question, $5 the number of cells.
var crowdSQL = []string{
	`insert into report_evaluation_takers select $1, $2, v.evaluation_id, gen_random_uuid(), v.id, '', ` + noGroup + `, date '2025-01-01' + g % 300, 1, 0, 0
		from generate_series(1, $5::int) g, evaluation_versions v where v.tenant_id = $1 and v.id = $3 and $4::uuid is not null`,
	`insert into report_evaluation_day (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day, evaluation_id, started_n)
		select $1, $2, $3, 'run', 'run ' || g % 40, ` + noGroup + `, date '2025-01-01' + g / 40, $4, 1 from generate_series(1, $5::int) g`,
	`insert into report_evaluation_durations select $1, $2, $3, 'run', 'run ' || g % 40, ` + noGroup + `, g, 1
		from generate_series(1, $5::int) g where $4::uuid is not null`,
	`insert into report_evaluation_bands select $1, $2, $3, 'run', 'run ' || g % 40, ` + noGroup + `, 1, date '2025-01-01' + g % 300, g, 1
		from generate_series(1, $5::int) g where $4::uuid is not null`,
	`insert into report_evaluation_items select $1, $2, $3, 'run', 6, 'run ' || g % 40, ` + noGroup + `, timestamptz '2025-01-01Z' + g * interval '6 hours', $4,
		1, 1, 1, 0, 1, 0, 0 from generate_series(1, $5::int) g`,
	`insert into report_question_times select $1, $2, $4, $3, 'run ' || g % 40, date '2025-01-01' + g % 300, g, 1 from generate_series(1, $5::int) g`,
	`insert into report_question_choice_day select $1, $2, $4, $3, 'run ' || g % 40, date '2025-01-01' + g % 300, 'pattern', g::text, 1
		from generate_series(1, $5::int) g`,
}

// The cost of one more attempt does not grow with the attempts that are counted already: neither
// when it ends nor when it is scored anew does the projector look through all cells of its version
// or its questions for empty ones.
func TestAChangeReadsItsOwnCellsAlone(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	w := newWorld(t, newStore(t, urls))
	w.assign(t)
	s := attempt{id: ids.New(), version: w.versions[0], user: w.users[0], outcome: "pass",
		by: &w.versions[0].assigned[0].id, startedAt: epoch, completedAt: epoch.Add(30 * time.Hour)}
	for _, q := range s.version.questions {
		s.answers = append(s.answers, answer{question: q, options: []string{"A"}, status: "SCORED", score: 1, ms: new(int64)})
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, sql := range crowdSQL {
			_, err := tx.Exec(ctx, sql, w.tenant, s.version.org, s.version.id, s.version.questions[0].id, crowded)
			if err != nil {
				return err
			}
		}
		return w.start(ctx, tx, s)
	})
	w.drain(t, 10)
	for what, change := range []func(context.Context, *db.Tx) error{
		func(ctx context.Context, tx *db.Tx) error { return w.submit(ctx, tx, s) },
		func(ctx context.Context, tx *db.Tx) error { return w.correct(ctx, tx, s, s.answers[:1]) },
		func(ctx context.Context, tx *db.Tx) error { return w.void(ctx, tx, s.id) },
	} {
		w.write(t, change)
		analyze(t, urls)
		var all map[string]dbtest.Reads
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			all = dbtest.ReadsOf(t, tx, func() error {
				_, err := ProjectBatch(ctx, tx, 10)
				return err
			})
			return nil
		})
		for _, table := range []string{"report_evaluation_takers", "report_evaluation_day", "report_evaluation_durations",
			"report_evaluation_bands", "report_evaluation_items", "report_question_times", "report_question_choice_day"} {
			if reads := all[table]; reads.ReadThrough || reads.Entries > 100 || reads.Rows > 100 {
				t.Errorf("change %d: %s: %+v of %d rows", what, table, reads, crowded)
			}
		}
	}
}
