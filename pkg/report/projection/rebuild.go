package projection

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// rebuildSize is how many subjects a rebuild applies at once.
const rebuildSize = 20_000

// Tables lists what a rebuild makes from nothing, in the order of reports about them.
// submission_telemetry_summary is not among them: once the raw events are gone, it is the
// source.
var Tables = []string{
	"report_item_attempts_flat", "report_item_attempt_choice", "report_submissions", "report_session_starts",
	"report_question_day", "report_question_choice_day", "report_question_times", "report_question_health_rollup",
	"report_question_health_by_run", "report_question_tags", "report_question_options", "report_question_parts", "report_question_keys", "report_question_sections",
	"report_evaluation_day", "report_evaluation_durations", "report_evaluation_bands", "report_evaluation_takers", "report_evaluation_people",
	"report_evaluation_rollup",
	"report_evaluation_items", "report_assignments", "report_evaluation_invitees", "report_access_points", "report_findings",
	"defensibility_exception_triage", "defensibility_exception_counts",
	"report_skill_facts", "report_skill_submissions", "report_skill_rollups", "report_skill_cells",
}

// keptInPlace is the table that a rebuild updates row by row, because people also write in it.
const keptInPlace = "defensibility_exception_triage"

// A rebuild is exempt from the time limit of requests, and has enough memory for the items of a piece.
var roomy = map[string]string{"statement_timeout": "0", "work_mem": "64MB"}

// wholesale is for statements over all rows that a rebuild has written. The statistics do not know
// them yet: the planner would take the tables for empty, and sort them or look rows up one by one.
var wholesale = map[string]string{"enable_nestloop": "off", "enable_sort": "off", "enable_indexonlyscan": "off"}

func configure(ctx context.Context, tx *db.Tx, settings map[string]string) error {
	for name, value := range settings {
		_, err := tx.Exec(ctx, "select set_config($1, $2, true)", name, value)
		if err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

func restore(ctx context.Context, tx *db.Tx, settings map[string]string) error {
	for name := range settings {
		_, err := tx.Exec(ctx, "set local "+name+" to default")
		if err != nil {
			return fmt.Errorf("reset %s: %w", name, err)
		}
	}
	return nil
}

// Progress gets the number of subjects that are done, and of all.
type Progress func(done, total int)

// Rebuild empties the reporting tables of a tenant and writes them from submissions,
// sessions and snapshots, in one transaction: readers see the old tables until it commits,
// and a crash leaves them as they were. Batches of the tenant wait in the outbox
// meanwhile. Percentiles are computed at the end. progress may be nil.
func Rebuild(ctx context.Context, store *db.Store, tenant ids.ID, progress Progress) error {
	return store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		err := ownProjection(ctx, tx)
		if err != nil {
			return err
		}
		return rebuild(ctx, tx, progress)
	})
}

func rebuild(ctx context.Context, tx *db.Tx, progress Progress) error {
	err := configure(ctx, tx, roomy)
	if err != nil {
		return err
	}
	for _, table := range Tables {
		if table == keptInPlace {
			continue
		}
		_, err := tx.Exec(ctx, "delete from "+table+" where tenant_id = $1", tx.Tenant())
		if err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	for _, step := range []func() error{
		func() error { return writeAll(ctx, tx, progress) },
		func() error { return countAll(ctx, tx) },
		func() error { return countTakers(ctx, tx) },
		func() error { return executeAll(ctx, tx, nil, slices.Concat(writeQuestions, writeKeys)) },
		func() error { return deriveAll(ctx, tx) },
		func() error { return applyAllAssignments(ctx, tx) },
		func() error { return applyFindings(ctx, tx, nil) },
		func() error { return rebuildExceptions(ctx, tx) },
		func() error { return recomputeWithin(ctx, tx) },
		func() error { return rebuildSkills(ctx, tx) },
	} {
		err = step()
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAll writes the rows of every subject in pieces, sessions together with the submissions of
// the same ids.
func writeAll(ctx context.Context, tx *db.Tx, progress Progress) error {
	all, err := idsOf(ctx, tx, `
		select id from sessions where tenant_id = $1 union select id from submissions where tenant_id = $1 order by 1`)
	if err != nil {
		return fmt.Errorf("list subjects: %w", err)
	}
	for start := 0; start < len(all); start += rebuildSize {
		piece := all[start:min(start+rebuildSize, len(all))]
		err = writePiece(ctx, tx, piece)
		if err != nil {
			return err
		}
		if progress != nil {
			progress(start+len(piece), len(all))
		}
	}
	return nil
}

// writePiece neither locks nor compares, unlike a batch: the tables are empty, and no batch runs. A
// submission that somebody marks meanwhile may get item rows from before the mark and a record from
// after it. The day tables count just these rows, and the change has also put a row into the
// outbox: the next batch sees that they differ, takes them out, and puts them in again.
func writePiece(ctx context.Context, tx *db.Tx, piece []ids.ID) error {
	err := execute(ctx, tx, piece, slices.Concat(rollUpEvents, endedStarts))
	if err != nil {
		return err
	}
	completed, err := idsOf(ctx, tx, "select id from submissions where tenant_id = $1 and id = any($2) and status = 'completed' order by id", piece)
	if err != nil {
		return fmt.Errorf("list submissions: %w", err)
	}
	err = execute(ctx, tx, completed, slices.Concat(writeItemAttempts, writeSubmissions))
	if err != nil {
		return err
	}
	return execute(ctx, tx, piece, []operation{{"write starts", writeStartsSQL}})
}

// countAnew counts into empty tables. Looking for a row that cannot exist takes as long as writing one.
var countAnew = func() []operation {
	var all []operation
	for _, o := range slices.Concat(countDurations, countItemAttempts) {
		all = append(all, operation{o.what, onConflict.ReplaceAllString(o.sql, "returning true")})
	}
	return all
}()

var onConflict = regexp.MustCompile(`on conflict \([^)]*\)\s+do update set [^)]*`)

// countAll makes all cells at once, so that each is written once.
func countAll(ctx context.Context, tx *db.Tx) error {
	err := configure(ctx, tx, wholesale)
	if err != nil {
		return err
	}
	err = executeAll(ctx, tx, nil, added(slices.Concat(countStarts, countCompletions)))
	if err != nil {
		return err
	}
	err = executeAll(ctx, tx, nil, countAnew)
	if err != nil {
		return err
	}
	return restore(ctx, tx, wholesale)
}

func deriveAll(ctx context.Context, tx *db.Tx) error {
	all, err := questionsOf(ctx, tx, "select distinct org_unit_id, question_version_id, qtype from report_question_day where tenant_id = $1", tx.Tenant())
	if err != nil {
		return fmt.Errorf("find questions: %w", err)
	}
	keys, err := lockQuestions(ctx, tx, all)
	if err != nil {
		return err
	}
	return deriveQuestions(ctx, tx, keys)
}

func applyAllAssignments(ctx context.Context, tx *db.Tx) error {
	all, err := idsOf(ctx, tx, "select id from assignments where tenant_id = $1 order by id")
	if err != nil {
		return fmt.Errorf("list assignments: %w", err)
	}
	for piece := range slices.Chunk(all, rebuildSize) {
		err = execute(ctx, tx, piece, countAssignments)
		if err != nil {
			return err
		}
	}
	return nil
}

// idsOf runs a query of ids; $1 is the tenant.
func idsOf(ctx context.Context, tx *db.Tx, sql string, more ...any) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, sql, append([]any{tx.Tenant()}, more...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[ids.ID])
}

// recomputeWithin computes all stale percentiles in the running transaction, which holds
// off whatever could make them stale again.
func recomputeWithin(ctx context.Context, tx *db.Tx) error {
	for {
		n, err := RecomputePercentiles(ctx, tx, percentilesBatch)
		if err != nil || n == 0 {
			return err
		}
	}
}
