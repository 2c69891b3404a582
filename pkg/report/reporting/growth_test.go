package reporting

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// crowdSQL gives half of the attempts to assignments of two groups, $2 and $3, and every
// attempt a duration, from 35 to 65 minutes, in eight of the steps that durations are counted
// in.
var crowdSQL = []string{
	`insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at)
		select $1, g, o.id, 'Group ' || g, o.created_at, o.created_at from org_units o, unnest(array[$2::uuid, $3::uuid]) g where o.tenant_id = $1`,
	`insert into assignments (tenant_id, id, org_unit_id, evaluation_id, target_type, target_ref, status, created_by, created_at, updated_at)
		select $1, g, e.org_unit_id, e.id, 'group_id', g::text, 'active', 'test', e.created_at, e.created_at
		from evaluations e, unnest(array[$2::uuid, $3::uuid]) g where e.tenant_id = $1`,
	`insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'assignment', g, now() from unnest(array[$2::uuid, $3::uuid]) g`,
	`update sessions set assignment_id = case when right(id::text, 4)::int % 4 = 0 then $2::uuid when right(id::text, 4)::int % 4 = 1 then $3::uuid end where tenant_id = $1`,
	`update submissions set assignment_id = case when right(id::text, 4)::int % 4 = 0 then $2::uuid when right(id::text, 4)::int % 4 = 1 then $3::uuid end,
		started_at = later_by(completed_at,
			(2097152 + right(id::text, 4)::int % 8 * 262144 + right(id::text, 4)::int * 7919 % 4000) / -1000.0) where tenant_id = $1`,
}

// reviseSQL makes another version, $2, of the evaluation, and gives it half of the attempts.
var reviseSQL = []string{
	`insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings, snapshot_hash, created_at, updated_at)
		select tenant_id, $2, org_unit_id, evaluation_id, 2, status, title, sections, settings, snapshot_hash, created_at, updated_at
		from evaluation_versions where tenant_id = $1`,
	`update sessions set evaluation_version_id = $2 where tenant_id = $1 and right(id::text, 4)::int / 8 % 2 = 1`,
	`update submissions set evaluation_version_id = $2 where tenant_id = $1 and right(id::text, 4)::int / 8 % 2 = 1`,
}

// assign gives half of the attempts to the group and to another one.
func (c *cohort) assign(ctx context.Context, tx *db.Tx, group ids.ID) error {
	other := ids.New()
	for _, sql := range crowdSQL {
		_, err := tx.Exec(ctx, sql+" returning true", c.tenant, group, other)
		if err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
	}
	return nil
}

// newCrowd is a cohort of n attempts at two versions, in a database of its own.
func newCrowd(t *testing.T, n int) (*cohort, ids.ID, dbtest.URLs) {
	t.Helper()
	urls := dbtest.Fresh(t)
	c := found(t, urls, n)
	group := ids.New()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := c.assign(ctx, tx, group)
		if err != nil {
			return err
		}
		version := ids.New()
		for _, sql := range reviseSQL {
			_, err := tx.Exec(ctx, sql, c.tenant, version)
			if err != nil {
				return fmt.Errorf("%w in %s", err, sql)
			}
		}
		return nil
	})
	c.project(t)
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	// Projecting in many steps leaves dead versions behind, in as many blocks as there were steps; we
	// measure the blocks that the rows themselves fill. Writing the tables anew forgets what every row
	// can be seen by, so a plain vacuum follows.
	for _, sql := range []string{"vacuum full", "vacuum"} {
		_, err = owner.Exec(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
	}
	return c, group, urls
}

// pages are the pages whose figures are added up already, for any run or group, of one version and
// of all.
func pages(c *cohort, group ids.ID) map[string]func(*testing.T, *db.Tx) error {
	found := map[string]func(*testing.T, *db.Tx) error{
		"question": func(t *testing.T, tx *db.Tx) error {
			_, err := QuestionHealth(t.Context(), tx, c.questions[1], HealthFilter{})
			return err
		},
	}
	for sort := range orders {
		found["questions, "+sort] = func(t *testing.T, tx *db.Tx) error {
			_, err := ListHealth(t.Context(), tx, HealthFilter{Sort: sort})
			return err
		}
	}
	run := "run 1"
	for of, all := range map[string]bool{"": false, " of all versions": true} {
		for name, in := range map[string]SummaryInput{"": {}, ", a run": {RunLabel: &run}, ", a group": {GroupID: &group},
			", a group in a run": {GroupID: &group, RunLabel: &run}} {
			in.EvaluationVersionID, in.AllVersions = c.versions[0], all
			found["summary"+of+name] = func(t *testing.T, tx *db.Tx) error {
				s, err := Summary(t.Context(), tx, in)
				if err == nil && (s.Attempts.Completed == 0 || s.Attempts.UniqueUsers == 0 || s.Timing.MedianDurationMs == nil) {
					t.Errorf("the summary is empty: %+v", s.Attempts)
				}
				return err
			}
		}
		for name, include := range map[string][]string{"": nil,
			", everything": {IncludeScores, IncludeTiming, IncludeDistributions, IncludeTags, IncludeSections}} {
			in := SummaryListInput{SummaryInput: SummaryInput{EvaluationVersionID: c.versions[0], AllVersions: all, Include: include}}
			found["cohorts"+of+name] = func(t *testing.T, tx *db.Tx) error {
				_, err := SummaryCohorts(t.Context(), tx, in)
				return err
			}
			found["groups"+of+name] = func(t *testing.T, tx *db.Tx) error {
				list, err := SummaryGroups(t.Context(), tx, in)
				if err == nil && len(list.Items) != 2 {
					t.Errorf("%d groups, want 2", len(list.Items))
				}
				return err
			}
		}
	}
	return found
}

// readsOf gives what each page reads. The first run of a page is not counted, since a connection
// reads the roots of indexes once.
func readsOf(t *testing.T, c *cohort, group ids.ID, plans dbtest.Plans) map[string]map[string]dbtest.Reads {
	t.Helper()
	all := map[string]map[string]dbtest.Reads{}
	for name, page := range pages(c, group) {
		all[name] = report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (map[string]dbtest.Reads, error) {
			plans.Force(t, tx)
			err := page(t, tx)
			return dbtest.ReadsOf(t, tx, func() error { return page(t, tx) }), err
		})
	}
	return all
}

// Ten times the attempts, in the same days, runs and groups, cost an unfiltered page no more rows
// and hardly more blocks. Only the median looks at attempts: without their rows, and only at
// attempts whose duration is in a step of a middle, here an eighth of the attempts, twice where the
// two in the middle are in two steps; without statistics it may look for the middle of a run among
// the attempts of all runs.
func TestUnfilteredPagesReadNoMoreOfMoreAttempts(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	const attempts = 240
	few, group, fewURLs := newCrowd(t, attempts)
	many, bigGroup, manyURLs := newCrowd(t, 10*attempts)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		small := readsOf(t, few, group, plans)
		for name, reads := range readsOf(t, many, bigGroup, plans) {
			middle := reads["report_submissions"]
			if middle.Rows > 0 || middle.ReadThrough || middle.Entries > 10*attempts*3/4 {
				t.Errorf("%s: the median reads %+v of %d attempts", name, middle, 10*attempts)
			}
			rows, blocks := readsBut(reads, "report_submissions")
			before, blocksBefore := readsBut(small[name], "report_submissions")
			if before == 0 || 10*rows > 13*before {
				t.Errorf("%s reads %d rows of %d attempts, and %d of %d: %+v", name, before, attempts, rows, 10*attempts, reads)
			}
			// A table of few blocks is read through, a larger one by its index, where each row and each
			// entry may be in a block of its own.
			if blocks > max(blocksBefore*3/2+10, rows) {
				t.Errorf("%s reads %d blocks of %d attempts, and %d of %d: %+v", name, blocksBefore, attempts, blocks, 10*attempts, reads)
			}
		}
	}, fewURLs, manyURLs)
}

// readsBut adds up rows with index entries, and blocks, of all tables but one.
func readsBut(reads map[string]dbtest.Reads, but string) (rows, blocks int64) {
	for table, r := range reads {
		if table != but {
			rows, blocks = rows+r.Rows+r.Entries, blocks+r.Blocks
		}
	}
	return rows, blocks
}
