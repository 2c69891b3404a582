package reporting

import (
	"context"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// planned is how many attempts each version has in the test of plans.
const planned = 3000

// Among attempts at a dozen versions of four evaluations, the attempts at one version or at one
// evaluation are found by indexes, whatever the query: no row and no index entry of another one is
// looked at, and none outside a short period.
func TestSummaryReadsTheAttemptsOfOneEvaluation(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := db.Scope{Tenant: ids.New(), OrgUnit: ids.New()}
	var evaluation ids.ID
	var versions []ids.ID
	err := store.Write(t.Context(), db.System(scope.Tenant, "test"), func(tx *db.Tx) error {
		for i := range 12 {
			if i%3 == 0 {
				evaluation, versions = ids.New(), nil
			}
			versions = append(versions, ids.New())
			for _, sql := range attemptsSQL {
				_, err := tx.Exec(t.Context(), sql+" returning true", scope.Tenant, scope.OrgUnit, evaluation, versions[i%3], epoch.Add(time.Duration(i%3)*90*time.Minute), planned)
				if err != nil {
					return err
				}
			}
		}
		for _, sql := range countedSQL {
			_, err := tx.Exec(t.Context(), sql, scope.Tenant)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	midnight := epoch.Truncate(24*time.Hour).AddDate(0, 0, 1)
	from, to, run := midnight.Add(-time.Hour), epoch.AddDate(0, 0, 3), "run 3"
	wide := summaryQuery{orgs: []ids.ID{scope.OrgUnit}, evaluation: evaluation, versions: versions[:1], from: &from, to: &to, runs: []string{run}}
	narrow := wide
	narrow.to = &midnight
	wideOfAll, narrowOfAll := wide, narrow
	for _, q := range []*summaryQuery{&wideOfAll, &narrowOfAll} {
		q.versions, q.allVersions = versions, true
	}
	t.Run("people", func(t *testing.T) {
		err := store.Report(t.Context(), scope, func(tx *db.Tx) error {
			// Edges of all lengths, with days between them and without.
			for start := midnight.Add(-11 * time.Hour); start.Before(midnight.Add(26 * time.Hour)); start = start.Add(4 * time.Hour) {
				for end := start.Add(3 * time.Hour); end.Before(midnight.Add(38 * time.Hour)); end = end.Add(4 * time.Hour) {
					for _, q := range []summaryQuery{wide, wideOfAll} {
						q.from, q.to = &start, &end
						err := comparePeople(t, tx, q)
						if err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for name, c := range map[string]struct {
			table string
			most  int64
			read  func(context.Context, *db.Tx, tallied) error
		}{
			"people of a short period":            {"report_session_starts", 60, narrow.countPeople},
			"people at the edge of a long one":    {"report_session_starts", 60, wide.countPeople},
			"days of the people at the edge":      {"report_evaluation_takers", 60, wide.countPeople},
			"people of the days of a long one":    {"report_evaluation_people", 3, wide.countPeople},
			"people of all, a short period":       {"report_session_starts", 180, narrowOfAll.countPeople},
			"people of all, at the edge":          {"report_session_starts", 180, wideOfAll.countPeople},
			"people of all, days of the edge":     {"report_evaluation_takers", 180, wideOfAll.countPeople},
			"people of all, of the days":          {"report_evaluation_people", 5, wideOfAll.countPeople},
			"median of a long period":             {"report_submissions", planned / 3, wide.readMedians},
			"durations in the days of a long one": {"report_evaluation_bands", planned / 5, wide.readMedians},
			"starts of a short period":            {"report_session_starts", 60, narrow.sum},
			"ends of a short period":              {"report_submissions", 60, narrow.sum},
		} {
			t.Run(name, func(t *testing.T) {
				err := store.Report(t.Context(), scope, func(tx *db.Tx) error {
					plans.Force(t, tx)
					all := tallied{"": {n: map[string]int64{"time_known_n": planned / 5}, targets: map[string]int64{}}}
					reads := dbtest.ReadsOf(t, tx, func() error { return c.read(t.Context(), tx, all) })[c.table]
					if reads.ReadThrough || reads.Entries == 0 || reads.Entries > c.most || reads.Rows > c.most {
						t.Errorf("%s: %+v, want at most %d", c.table, reads, c.most)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}, urls)
}

// comparePeople counts the people of the run anew, one by one.
func comparePeople(t *testing.T, tx *db.Tx, q summaryQuery) error {
	all := tallied{}
	err := q.countPeople(t.Context(), tx, all)
	if err != nil {
		return err
	}
	var want int64
	err = tx.QueryRow(t.Context(), `select count(distinct user_id) from report_session_starts
		where tenant_id = $1 and evaluation_version_id = any($2) and run_label = $3 and attempt_at >= $4 and attempt_at < $5`,
		tx.Tenant(), q.versions, q.runs[0], *q.from, *q.to).Scan(&want)
	if got := all.at("").users; err == nil && (got != want || want == 0) {
		t.Errorf("%d people from %v to %v, want %d", got, q.from, q.to, want)
	}
	return err
}

// attemptsSQL writes $6 attempts at version $4 of evaluation $3, from $5 on. The same people
// take each of the versions.
var attemptsSQL = []string{
	`insert into report_session_starts
		select $1, $2, gen_random_uuid(), $3, $4, md5((g % 1500)::text)::uuid, 'run ' || g % 5, at, 'submitted', null, null, false, true, false, at
		from generate_series(1, $6::int) g, lateral (select $5::timestamptz + g * interval '1 minute' as at) a`,
	`insert into report_submissions
		select $1, $2, gen_random_uuid(), $3, $4, gen_random_uuid(), 'run ' || g % 5, at, at, 'submitted', 'pass', true, 1, 1, 1, 9,
			(random() * 100000)::bigint, null, null, false, 0, 0
		from generate_series(1, $6::int) g, lateral (select $5::timestamptz + g * interval '1 minute' as at) a`,
}

// countedSQL counts the attempts of the tenant $1 for the cut of runs. Each person makes two at a version, 25
// hours apart.
var countedSQL = []string{
	`insert into report_evaluation_takers
		select tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, '00000000-0000-0000-0000-000000000000',
			(attempt_at at time zone 'UTC')::date, 1, 0, 0
		from report_session_starts where tenant_id = $1`,
	`insert into report_evaluation_people
		select tenant_id, org_unit_id, subject, 'run', run_label, group_id, 'user', coalesce(before, '-infinity'), day, count(*)
		from (select *, lag(day) over (partition by subject, run_label, user_id order by day) as before
			from (select distinct tenant_id, org_unit_id, subject, user_id, run_label, group_id, day
				from report_evaluation_takers, lateral (values (evaluation_id), (evaluation_version_id)) s (subject)
				where tenant_id = $1) d) t
		group by 1, 2, 3, 5, 6, 8, 9`,
	`insert into report_evaluation_bands
		select tenant_id, org_unit_id, evaluation_version_id, 'run', run_label, '00000000-0000-0000-0000-000000000000', 1, (completed_at at time zone 'UTC')::date,
			duration_step(duration_ms, 5), count(*)
		from report_submissions where tenant_id = $1 group by 1, 2, 3, 5, 8, 9`,
}
