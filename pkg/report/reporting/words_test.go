package reporting

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// librarySQL gives a tenant, $1, $3 versions with attempts, their titles, and a question each. Versions with
// even numbers belong to the org unit $4, the others to $2.
var librarySQL = func() []string {
	const arguments = "with a as (select $1::uuid as tenant, $2::uuid as own, $3::int as n, $4::uuid as other) "
	var all []string
	for _, sql := range []string{
		`insert into org_units (tenant_id, id, slug, name, created_at) select tenant, o, 'w-' || o, 'W', now() from a, unnest(array[own, other]) o`,
		`insert into report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, started_n, completed_n)
			select tenant, case when g % 2 = 0 then other else own end, lpad(to_hex(g), 32, '0')::uuid, cut, run, '00000000-0000-0000-0000-000000000000',
				md5(g::text)::uuid, g, g - 1
			from a, generate_series(1, n) g, (values ('all', ''), ('run', 'spring'), ('run', 'autumn')) c (cut, run)`,
		`insert into report_evaluation_day (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day, evaluation_id, started_n)
			select tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, d::date, evaluation_id, 1
			from a, report_evaluation_rollup, (values ('2026-03-01'), ('2026-03-04')) d (d) where tenant_id = $1 and cut = 'all'`,
		`insert into snapshot_titles (tenant_id, evaluation_version_id, org_unit_id, evaluation_id, number, title, sections, tags)
			select tenant_id, evaluation_version_id, org_unit_id, evaluation_id, 1, 'Geography 100 % ' || started_n, '{}', '{}'
			from a, report_evaluation_rollup where tenant_id = $1 and cut = 'all'`,
		`insert into snapshot_questions (tenant_id, org_unit_id, question_version_id, question_id, external_id, stem, options)
			select tenant_id, org_unit_id, evaluation_version_id, evaluation_id, 'q-' || started_n, 'Which?', '{"A":"This"}'
			from a, report_evaluation_rollup where tenant_id = $1 and cut = 'all'`,
	} {
		all = append(all, arguments+sql+" returning true")
	}
	return all
}()

// The list of evaluations shows the evaluations of the org unit, the newest first, searches titles
// as they are written, and neither it nor the words of a page read rows of others.
func TestEvaluationsAndWordsAreFoundByIndexes(t *testing.T) {
	t.Parallel()
	const n = 3000
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	tenant, own, other := ids.New(), ids.New(), ids.New()
	c := &cohort{store: store, tenant: tenant}
	err := store.Write(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "insert into tenants (id, slug, name, created_at) values ($1, 'words', 'T', now())", tenant)
		for _, sql := range librarySQL {
			if err == nil {
				_, err = tx.Exec(t.Context(), sql, tenant, own, n, other)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list := func(org ids.ID, f EvaluationFilter) ReportedEvaluations {
		return report(t, c, c.analyst(org), func(tx *db.Tx) (ReportedEvaluations, error) { return ListEvaluations(t.Context(), tx, f) })
	}
	got := list(own, EvaluationFilter{Page: db.Page{Page: 2, Limit: 2}})
	want := []ReportedEvaluation{}
	for _, g := range []int{n - 5, n - 7} {
		want = append(want, ReportedEvaluation{EvaluationVersionID: ids.ID{14: byte(g >> 8), 15: byte(g)}, Title: new(fmt.Sprintf("Geography 100 %% %d", g)),
			VersionNumber: new(1), Started: int64(g), Completed: int64(g - 1), LastDay: new("2026-03-04")})
	}
	for i := range got.Items {
		got.Items[i].EvaluationID = ids.None
	}
	if diff := cmp.Diff(want, got.Items); diff != "" || got.Total != n/2 {
		t.Errorf("%d in all, the second page (-want +got):\n%s", got.Total, diff)
	}
	for search, total := range map[string]int{"gEO": n / 2, "% 2999": 1, "% 2998": 0, "100_%": 0} {
		if got := list(own, EvaluationFilter{Search: search}).Total; got != total {
			t.Errorf("%q finds %d, want %d", search, got, total)
		}
	}
	err = store.Report(t.Context(), db.Scope{Tenant: tenant, OrgUnit: own, Actor: db.Actor{Kind: db.UserActor, ID: ids.New()}}, func(tx *db.Tx) error {
		_, err := ListEvaluations(t.Context(), tx, EvaluationFilter{})
		return err
	})
	if errs.Of(err).Code != errs.Forbidden {
		t.Errorf("without %s: %v", capability.ReportingView, err)
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Report(t.Context(), c.analyst(own), func(tx *db.Tx) error {
			plans.Force(t, tx)
			reads := dbtest.ReadsOf(t, tx, func() error {
				_, err := ListEvaluations(t.Context(), tx, EvaluationFilter{Page: db.Page{Page: 3}})
				return err
			})
			for table, most := range map[string]int64{"report_evaluation_rollup": n/2 + 100, "snapshot_titles": 2 * n, "report_evaluation_day": 100} {
				if r := reads[table]; r.ReadThrough || r.Rows > most {
					t.Errorf("%s: %+v, want at most %d", table, r, most)
				}
			}
			var asked []ids.ID
			for g := 1; g < 50; g += 2 {
				asked = append(asked, ids.ID{15: byte(g)})
			}
			reads = dbtest.ReadsOf(t, tx, func() error {
				said, err := readWords(t.Context(), tx, []ids.ID{own}, asked)
				if len(said) != len(asked) || said[asked[0]].options["A"] != "This" || said[asked[0]].Name() != "q-1: Which?" {
					t.Errorf("%d questions of %d have words, the first %+v", len(said), len(asked), said[asked[0]])
				}
				return err
			})
			if r := reads["snapshot_questions"]; r.ReadThrough || r.Entries == 0 || r.Rows > int64(len(asked)) {
				t.Errorf("words: %+v, want at most %d", r, len(asked))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
