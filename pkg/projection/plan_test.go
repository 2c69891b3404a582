package projection

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/ids"
)

// Among a quarter of a million item attempts every filter finds its own by an index.
func TestFiltersUseIndexes(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := newStore(t, urls)
	w := newWorld(t, store)
	for range 5 {
		w.flatRows(t, w.bigVersion(t), 50_000)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into report_question_tags (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
			values ($1, $2, 'topic:rare', $3, $4)`, w.tenant, w.orgs[0], w.versions[4].questions[0].id, w.versions[4].id)
		return err
	})
	analyze(t, urls)
	from, to, run := epoch.AddDate(0, 0, 10), epoch.AddDate(0, 0, 11), "run 7"
	for _, c := range []struct {
		name   string
		filter Filter
		index  string
	}{
		{"time", Filter{From: &from, To: &to}, "report_flat_by_time"},
		{"run", Filter{RunLabel: &run}, "report_flat_by_run"},
		{"version and time", Filter{EvaluationVersionID: w.versions[4].id, From: &from, To: &to}, "report_flat_by_"},
		{"question", Filter{Questions: []ids.ID{w.versions[4].questions[3].id}}, "report_flat_by_question"},
		{"tag", Filter{Tags: []string{"topic:rare"}}, "report_flat_by_"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scope := db.Scope{Tenant: w.tenant, OrgUnit: w.orgs[0], Actor: db.Actor{Kind: db.SystemActor, Name: "test"}}
			err := store.Report(t.Context(), scope, func(tx *db.Tx) error {
				where, args := c.filter.condition(tx, []ids.ID{w.orgs[0]})
				plan := explain(t, tx, "with "+flatDays(where, args).day+totalsSQL, args)
				if strings.Contains(plan, "Seq Scan on report_item_attempts_flat") || !strings.Contains(plan, c.index) {
					t.Errorf("the plan does not use %s:\n%s", c.index, plan)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func explain(t *testing.T, tx *db.Tx, sql string, args []any) string {
	t.Helper()
	var plan strings.Builder
	var line string
	err := each(t.Context(), tx, "explain "+sql, args, []any{&line}, func() { plan.WriteString(line + "\n") })
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
