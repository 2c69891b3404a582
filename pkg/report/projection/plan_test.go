package projection

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Among a hundred thousand item attempts and as many cells every filter finds its own by
// an index, and medians look single attempts up.
func TestFiltersUseIndexes(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := newStore(t, urls)
	w := newWorld(t, store)
	for range 5 {
		w.flatRows(t, w.bigVersion(t), 20_000)
	}
	w.cellRows(t, 100_000)
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into report_question_tags (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
			values ($1, $2, 'topic:rare', $3, $4)`, w.tenant, w.orgs[0], w.versions[4].questions[0].id, w.versions[4].id)
		return err
	})
	analyze(t, urls)
	from, to, run := epoch.AddDate(0, 0, 10), epoch.AddDate(0, 0, 12).Add(time.Hour), "run 7"
	question := []ids.ID{w.versions[4].questions[3].id}
	for _, c := range []struct {
		name    string
		filter  Filter
		indexes []string
	}{
		{"time", Filter{From: &from, To: &to}, []string{"report_question_day_by_day", "report_submissions_by_day", "report_item_attempts_flat_pkey"}},
		{"run", Filter{RunLabel: &run}, []string{"report_question_day_by_run"}},
		{"version", Filter{EvaluationVersionID: w.versions[4].id}, []string{"report_question_day_by_version"}},
		{"question", Filter{Questions: question}, []string{"report_question_day_pkey"}},
		{"tag", Filter{Tags: []string{"topic:rare"}}, []string{"report_question_tags_pkey", "report_question_day_"}},
		{"tag and time", Filter{Tags: []string{"topic:rare"}, From: &from, To: &to},
			[]string{"report_question_tags_pkey", "report_question_day_", "report_submissions_by_", "report_item_attempts_flat_pkey"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.plan(t, func(tx *db.Tx) {
				a := c.filter.attempts(tx, []ids.ID{w.orgs[0]})
				for _, sql := range []string{totalsSQL, runSumsSQL} {
					w.expect(t, explain(t, tx, fill(sql, "attempts", a.cells), a.Args), c.indexes...)
				}
				w.expect(t, explain(t, tx, a.recentSQL(question, []time.Time{epoch}, epoch), a.Args), c.indexes...)
				c.filter.Questions = question
				a = c.filter.attempts(tx, []ids.ID{w.orgs[0]})
				for _, sql := range []string{optionsSQL, chosenSQL} {
					w.expect(t, explain(t, tx, fill(sql, "attempts", a.cells), a.Args), "report_question_choice_day_pkey")
				}
				for _, p := range []Percentiles{ForDetail, ForList} {
					a = c.filter.attempts(tx, []ids.ID{w.orgs[0]})
					w.expect(t, explain(t, tx, p.mediansSQL(a), a.Args), "report_question_times_pkey", "report_flat_by_time")
				}
				a = c.filter.attempts(tx, []ids.ID{w.orgs[0]})
				w.expect(t, explain(t, tx, a.slowerSQL(question, []time.Time{epoch}), a.Args), "report_question_times_pkey")
			})
		})
	}
	t.Run("job", func(t *testing.T) {
		w.plan(t, func(tx *db.Tx) {
			a := storedAttempts(tx, []rollupKey{{w.orgs[0], question[0]}})
			w.expect(t, explain(t, tx, ForDetail.mediansSQL(a), a.Args), "report_question_times_pkey", "report_flat_by_time")
		})
	})
}

func (w *world) plan(t *testing.T, look func(tx *db.Tx)) {
	t.Helper()
	scope := db.Scope{Tenant: w.tenant, OrgUnit: w.orgs[0], Actor: db.Actor{Kind: db.SystemActor, Name: "test"}}
	err := w.store.Report(t.Context(), scope, func(tx *db.Tx) error {
		look(tx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) expect(t *testing.T, plan string, indexes ...string) {
	t.Helper()
	for _, index := range indexes {
		if !strings.Contains(plan, index) {
			t.Errorf("the plan does not use %s:\n%s", index, plan)
		}
	}
	if strings.Contains(plan, "Seq Scan on report_") {
		t.Errorf("the plan reads a whole table:\n%s", plan)
	}
}

func explain(t *testing.T, tx *db.Tx, sql string, args []any) string {
	t.Helper()
	var plan strings.Builder
	var line string
	err := eachRow(t.Context(), tx, "explain "+sql, args, []any{&line}, func() { plan.WriteString(line + "\n") })
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// flatRows writes n flat rows of a version over 100 days and 50 runs.
func (w *world) flatRows(t *testing.T, v version, n int) {
	t.Helper()
	var questions []ids.ID
	for _, q := range v.questions {
		questions = append(questions, q.id)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into report_item_attempts_flat (tenant_id, org_unit_id, submission_id, submission_item_id, user_id,
				completed_at, evaluation_id, evaluation_version_id, run_label, question_version_id, qtype, is_correct,
				score_awarded, max_score, score_status, score_method, is_omitted, focus_lost, structured_tags)
			select $1, $2, gen_random_uuid(), gen_random_uuid(), $3, $4::timestamptz + random() * interval '100 days', $5, $6,
				'run ' || g % 50, ($7::uuid[])[1 + g % 20], 'mcq', true, 1, 1, 'SCORED', 'key', false, false, '{}'
			from generate_series(1, $8::int) g`,
			w.tenant, v.org, w.users[0], epoch, v.evaluation, v.id, questions, n)
		return err
	})
}

// analyze gathers statistics, which only the owner of the tables may.
func analyze(t *testing.T, urls dbtest.URLs) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	_, err = owner.Exec(t.Context(), "analyze")
	if err != nil {
		t.Fatal(err)
	}
}

// cellRows writes n cells of each kind and as many submissions, over the questions of the
// versions and many others, 100 days and 50 runs.
func (w *world) cellRows(t *testing.T, n int) {
	t.Helper()
	v := w.versions[4]
	var questions []ids.ID
	for _, q := range v.questions {
		questions = append(questions, q.id)
	}
	const cells = `
		with questions as (select array_agg(gen_random_uuid()) || $4::uuid[] as all from generate_series(1, 2000)),
		cells as (select ("all")[1 + g % cardinality("all")] as question, case when g % cardinality("all") >= 2000 then $5::uuid else $6::uuid end as version,
			'run ' || floor(random() * 50) as run, ($7::timestamptz + random() * interval '100 days')::date as day, g
			from questions, generate_series(1, $3::int) g)`
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, into := range []string{`
			insert into report_question_tags select distinct $1::uuid, $2::uuid, 'topic:' || g % 1000, question, version from cells`, `
			insert into report_question_day select $1, $2, question, version, run, day, version, 'mcq', 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 1000, 0
				from cells`, `
			insert into report_question_choice_day select $1, $2, question, version, run, day, 'option', 'A', 1 from cells`, `
			insert into report_question_times select $1, $2, question, version, run, day, 1024, 1 from cells`, `
			insert into report_submissions (tenant_id, org_unit_id, submission_id, evaluation_id, evaluation_version_id, user_id, run_label,
				started_at, completed_at, completion_method, outcome_code, is_scored, score, max_score, score_pct, score_tenth, telemetry_known,
				focus_lost_n, fullscreen_exit_n)
			select $1, $2, gen_random_uuid(), version, version, version, run, day, day + interval '90 minutes', 'submitted', 'pass', true, 1, 1, 1, 9,
				false, 0, 0 from cells`} {
			_, err := tx.Exec(ctx, cells+into+" on conflict do nothing", w.tenant, v.org, n, questions, v.id, ids.New(), epoch)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
