package reporting

import (
	"context"
	"fmt"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// cohort is a tenant with one evaluation version of four questions in each of two org
// units, taken by a few hundred people and projected. The questions are the same.
type cohort struct {
	store     *db.Store
	tenant    ids.ID
	orgs      []ids.ID
	versions  []ids.ID
	questions []ids.ID
}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (c *cohort) analyst(org ids.ID) db.Scope {
	return db.Scope{Tenant: c.tenant, OrgUnit: org, Actor: db.Actor{Kind: db.UserActor, ID: ids.New()},
		Capabilities: capability.NewSet(capability.ReportingView)}
}

func (c *cohort) write(t *testing.T, fn func(context.Context, *db.Tx) error) {
	t.Helper()
	err := c.store.Write(t.Context(), db.System(c.tenant, "test"), func(tx *db.Tx) error { return fn(t.Context(), tx) })
	if err != nil {
		t.Fatal(err)
	}
}

func report[T any](t *testing.T, c *cohort, scope db.Scope, fn func(*db.Tx) (T, error)) T {
	t.Helper()
	var got T
	err := c.store.Report(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		got, err = fn(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// newCohort takes the number of attempts in each org unit.
func newCohort(t *testing.T, attempts ...int) *cohort {
	t.Helper()
	c := found(t, dbtest.Clone(t), attempts...)
	c.project(t)
	return c
}

// found makes a cohort that is not projected yet.
func found(t *testing.T, urls dbtest.URLs, attempts ...int) *cohort {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4})
	c := &cohort{store: store, tenant: ids.New()}
	for range 4 {
		c.questions = append(c.questions, ids.New())
	}
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "insert into tenants (id, slug, name, created_at) values ($1, $2, 'T', $3)", c.tenant, "r-"+c.tenant.String(), epoch)
		return err
	})
	for _, n := range attempts {
		c.addUnit(t, n)
	}
	return c
}

func (c *cohort) project(t *testing.T) {
	t.Helper()
	for n := 1; n > 0; {
		c.write(t, func(ctx context.Context, tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(ctx, tx, projection.BatchSize)
			return err
		})
	}
	_, err := projection.RecomputeAll(t.Context(), c.store, c.tenant)
	if err != nil {
		t.Fatal(err)
	}
}

func (c *cohort) addUnit(t *testing.T, n int) {
	t.Helper()
	org, version, evaluation := ids.New(), ids.New(), ids.New()
	c.orgs, c.versions = append(c.orgs, org), append(c.versions, version)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, sql := range unitSQL {
			_, err := tx.Exec(ctx, sql, c.tenant, org, version, epoch, c.questions, n, version.String(), evaluation)
			if err != nil {
				return fmt.Errorf("%w in %s", err, sql)
			}
		}
		return nil
	})
}

// All attempts lie within ten days. Arguments: $1 tenant, $2 org unit, $3 version, $4 start, $5 questions, $6 attempts, $7
// hash, $8 evaluation. Person g answers question q with option A (right) when their sum is
// even; question 4 takes several options, and question 5, where there is one, an order. Every seventh leaves question 2 out, every tenth
// does not submit.
var unitSQL = func() []string {
	const arguments = `with a as (select $1::uuid as tenant, $2::uuid as org, $3::uuid as version, $4::timestamptz as start,
		$5::uuid[] as questions, $6::int as n, $7::text as hash, $8::uuid as evaluation) `
	const people = `a, generate_series(1, a.n) g`
	const person = `overlay(a.version::text placing lpad(g::text, 12, '0') from 25)::uuid`
	const run = `case g % 3 when 0 then null else 'run ' || g % 3 end`
	var all []string
	for _, sql := range []string{
		`insert into org_units (tenant_id, id, slug, name, created_at) select tenant, org, 'o-' || org, 'O', start from a`,
		`insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
			select tenant, hash, org, jsonb_build_object('questions', (select jsonb_object_agg(q, jsonb_build_object(
				'structuredTags', case when n < 3 then '{"topic":["algebra"]}'::jsonb else '{}' end,
				'options', '[{"id":"A","isCorrect":true},{"id":"B"},{"id":"C"}]'::jsonb, 'order', case n when 5 then '["B","A","C"]'::jsonb end))
				from unnest(questions) with ordinality q (q, n))), start from a`,
		`insert into evaluations (tenant_id, id, org_unit_id, title, status, created_at, updated_at)
			select tenant, evaluation, org, 'E', 'published', start, start from a`,
		`insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections,
			settings, snapshot_hash, created_at, updated_at)
			select tenant, version, org, evaluation, 1, 'published', 'E', '[]', '{}', hash, start, start from a`,
		`insert into users (tenant_id, id, email, email_key, created_at, updated_at)
			select tenant, ` + person + `, version || '-' || g, version || '-' || g, start, start from ` + people,
		`insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state,
			run_label, started_at, last_activity_at, seed)
			select tenant, ` + person + `, org, evaluation, version, ` + person + `, 'test',
				case when g % 10 = 0 then 'open' else 'submitted' end, ` + run + `, start + g % 240 * interval '1 hour', start, 1
			from ` + people,
		`insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by,
			status, completion_method, started_at, completed_at, score, max_score, outcome_code, outcome_label, run_label,
			snapshot_hash, approval_status)
			select tenant, ` + person + `, org, evaluation, version, ` + person + `, 'test', 'completed', 'submitted',
				start + g % 240 * interval '1 hour', start + g % 240 * interval '1 hour', g % 5, 4,
				case when g % 5 > 2 then 'pass' when g % 5 > 0 then 'fail' else 'incomplete' end, '', ` + run + `, hash, 'not_required'
			from ` + people + ` where g % 10 > 0`,
		`insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position,
			qtype, response, score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected,
			incorrect_selected, total_correct, time_spent_ms, invalid_code)
			select tenant, ` + person + `, gen_random_uuid(), org, q.id, q.id, q.n, case q.n when 4 then 'mrq' when 5 then 'order' else 'mcq' end,
				case when q.n = 5 then (array['{"optionIds":["B","A","C"]}', '{"optionIds":["A","B","C"]}', '{"optionIds":["A"]}'])[g % 3 + 1]::jsonb
					when (g + q.n) % 2 = 0 then '{"optionIds":["A"],"text":"` + mark + `"}'::jsonb else '{"optionIds":["B"],"text":"` + mark + `"}' end,
				case when q.n = 5 and g % 3 = 2 then 'INVALID' else 'SCORED' end, 'key', (g + q.n + 1) % 2, 1, (g + q.n) % 2 = 0, q.n = 2 and g % 7 = 0, (g + q.n + 1) % 2,
				(g + q.n) % 2, 1, g * 10, case when q.n = 5 and g % 3 = 2 then 'too_few_selections' end
			from ` + people + `, unnest(a.questions) with ordinality q (id, n) where g % 10 > 0`,
		`insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select tenant, k.kind, ` + person + `, start from ` + people + `, (values ('session'), ('submission')) k (kind)
			where k.kind = 'session' or g % 10 > 0`,
	} {
		all = append(all, arguments+sql+" returning true")
	}
	return all
}()
