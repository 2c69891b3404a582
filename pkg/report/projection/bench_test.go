package projection

import (
	"context"
	"strings"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// many inserts n attempts of 20 items at a version, set-based, spread over days and runs, and
// queues them.
func (w *world) many(t testing.TB, v version, n int) {
	t.Helper()
	var questions []ids.ID
	var qtypes []string
	for _, q := range v.questions {
		questions, qtypes = append(questions, q.id), append(qtypes, q.qtype)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			with s as (
				insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id,
					submitted_by, status, completion_method, started_at, completed_at, score, max_score, outcome_code,
					outcome_label, run_label, snapshot_hash, approval_status)
				select $1, gen_random_uuid(), $2, $3, $4, $5, 'test', 'completed', 'submitted', $6::timestamptz,
					$6::timestamptz + g * interval '2 minutes', g % 21, 20, case when g % 3 = 0 then 'fail' else 'pass' end, '',
					case when g % 4 > 0 then 'run ' || (g % 4) end, $7, 'not_required'
				from generate_series(1, $8::int) g
				returning tenant_id, id, org_unit_id
			), i as (
				insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id,
					position, qtype, response, score_status, score_method, score, max_score, is_correct, is_omitted,
					correct_selected, incorrect_selected, total_correct, time_spent_ms)
				select tenant_id, s.id, gen_random_uuid(), org_unit_id, q.id, q.id, n, q.qtype,
					case when q.qtype = 'mrq' then '{"optionIds":["B","A"]}'::jsonb
						else jsonb_build_object('optionIds', jsonb_build_array(chr(65 + (random() * 3)::int))) end,
					'SCORED', 'key', n % 2, 1, n % 2 = 1, random() < 0.05, n % 2, 1 - n % 2, 1, (random() * 60000)::bigint
				from s, unnest($9::uuid[], $10::text[]) with ordinality q (id, qtype, n)
			)
			insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select tenant_id, 'submission', id, now() from s`,
			w.tenant, v.org, v.evaluation, v.id, w.users[0], epoch, v.hash, n, questions, qtypes)
		return err
	})
}

func (w *world) bigVersion(t testing.TB) version {
	t.Helper()
	var questions []question
	for i := range 20 {
		q := question{id: ids.New(), qtype: "mcq", right: 1, tags: map[string][]string{"topic": {"t" + string(rune('a'+i%4))}}}
		if i%5 == 4 {
			q.qtype, q.right = "mrq", 2
		}
		questions = append(questions, q)
	}
	w.addVersion(t, w.orgs[0], questions)
	return w.versions[len(w.versions)-1]
}

// BenchmarkProjection projects batches of BatchSize submissions of 20 items and reports items a
// second, compared with one statement that writes the same flat and choice rows.
func BenchmarkProjection(b *testing.B) {
	store := newStore(b, dbtest.Fresh(b))
	w := newWorld(b, store)
	v := w.bigVersion(b)
	var projector, baseline time.Duration
	items := 0
	for b.Loop() {
		w.many(b, v, BatchSize)
		items += BatchSize * len(v.questions)
		baseline += w.timed(b, true)
		projector += w.timed(b, false)
	}
	b.ReportMetric(float64(items)/projector.Seconds(), "items/s")
	b.ReportMetric(float64(items)/baseline.Seconds(), "baseline-items/s")
	b.ReportMetric(baseline.Seconds()/projector.Seconds(), "ratio")
}

// timed measures a batch, or the baseline over the same submissions, rolled back.
func (w *world) timed(t testing.TB, baseline bool) time.Duration {
	t.Helper()
	run := w.store.Write
	work := func(tx *db.Tx) error {
		_, err := ProjectBatch(t.Context(), tx, BatchSize)
		return err
	}
	if baseline {
		run = w.store.DryRun
		work = func(tx *db.Tx) error {
			plain, _, _ := strings.Cut(writeItemAttemptsSQL, "select distinct org_unit_id, question_version_id")
			_, err := tx.Exec(t.Context(), plain+"select 1", tx.Tenant(), w.waiting(t, tx))
			return err
		}
	}
	start := time.Now()
	err := run(t.Context(), db.System(w.tenant, "test"), work)
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}

func (w *world) waiting(t testing.TB, tx *db.Tx) []ids.ID {
	t.Helper()
	var all []ids.ID
	err := tx.QueryRow(t.Context(), "select array_agg(subject_id) from projection_outbox where tenant_id = $1", w.tenant).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
