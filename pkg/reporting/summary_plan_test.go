package reporting

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/ids"
)

// Among attempts at a dozen evaluations those of one are found by indexes, whatever is asked
// of them.
func TestSummaryUsesIndexes(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store, err := db.Open(t.Context(), db.Options{URL: urls.App})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	scope := db.Scope{Tenant: ids.New(), OrgUnit: ids.New()}
	var evaluation, version ids.ID
	err = store.Write(t.Context(), db.System(scope.Tenant, "test"), func(tx *db.Tx) error {
		for range 12 {
			evaluation, version = ids.New(), ids.New()
			_, err := tx.Exec(t.Context(), `insert into report_session_starts
				select $1, $2, gen_random_uuid(), $3, $4, gen_random_uuid(), 'run ' || g % 5, at, 'submitted', null, null, false, true, at
				from generate_series(1, 3000) g, lateral (select $5::timestamptz + g * interval '1 minute' as at) a`,
				scope.Tenant, scope.OrgUnit, evaluation, version, epoch)
			if err != nil {
				return err
			}
			_, err = tx.Exec(t.Context(), `insert into report_submissions
				select $1, $2, gen_random_uuid(), $3, $4, gen_random_uuid(), 'run ' || g % 5, at, at, 'submitted', 'pass', true, 1, 1, 1, 9,
					(random() * 100000)::bigint, null, null, false, 0, 0
				from generate_series(1, 3000) g, lateral (select $5::timestamptz + g * interval '1 minute' as at) a`,
				scope.Tenant, scope.OrgUnit, evaluation, version, epoch)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tidy(t, urls)
	from, hour, run := epoch, epoch.Add(time.Hour), "run 3"
	wide := summaryQuery{orgs: []ids.ID{scope.OrgUnit}, evaluation: evaluation, versions: []ids.ID{version}, from: &from, runs: []string{run}}
	narrow := wide
	narrow.to = &hour
	for name, c := range map[string]struct {
		sql  func(*statement, *db.Tx) string
		want string
	}{
		"people of a long period": {func(s *statement, tx *db.Tx) string { return wide.peopleSQL(s, tx, tallied{}) },
			"report_starts_by_"},
		"median of a long period": {func(s *statement, tx *db.Tx) string { return wide.walkedSQL(s, tx, 500) },
			"report_submissions_by_"},
		"edges of a period": {narrow.sumSQL, "report_starts_by_version"},
	} {
		t.Run(name, func(t *testing.T) {
			err := store.Report(t.Context(), scope, func(tx *db.Tx) error {
				var s statement
				rows, err := tx.Query(t.Context(), "explain "+c.sql(&s, tx), s.args...)
				if err != nil {
					return err
				}
				lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
				plan := strings.Join(lines, "\n")
				if strings.Contains(plan, "Seq Scan on report_s") || !strings.Contains(plan, c.want) {
					t.Errorf("the plan has no %q:\n%s", c.want, plan)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// tidy gathers statistics and marks pages as all visible, which only the owner may.
func tidy(t *testing.T, urls dbtest.URLs) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	_, err = owner.Exec(t.Context(), "vacuum analyze report_session_starts, report_submissions")
	if err != nil {
		t.Fatal(err)
	}
}
