package projection

import (
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// How many submissions of 20 items the benchmark of skills begins with, projects in batches, and projects one by one.
const skillsLoaded, skillsMeasured, skillsAlone = 8_000, 2_000, 100

// BenchmarkSkills projects submissions of 1,000 people with and without 500 rules (one rule matches each question),
// and recalculates all of them, compared with one statement that writes the same facts.
//
//	growth        time of a batch of submissions with the rules, relative to the time without
//	growth-alone  the same for batches of one submission, as they come where few submit at once
//	ratio         time of the statement by hand, relative to the time of the recalculation
func BenchmarkSkills(b *testing.B) {
	w := newSkilled(b, newStore(b, dbtest.Fresh(b)))
	w.do(b, `insert into users (tenant_id, id, email, email_key, created_at, updated_at)
		select $1, gen_random_uuid(), g || '@example.com', g || '@example.com', $2, $2 from generate_series(1, 1000) g`, epoch)
	v := w.bigVersion(b)
	project := func(n, batch int) time.Duration {
		w.many(b, v, n)
		w.do(b, `update submissions s set user_id = u.id from (select id, row_number() over (order by id) as n from users where tenant_id = $1 and email like '%.com') u
			where s.tenant_id = $1 and s.id in (select subject_id from projection_outbox where tenant_id = $1) and u.n = 1 + (hashtext(s.id::text) & 1023) % 1000`)
		start := time.Now()
		w.drain(b, batch)
		return time.Since(start)
	}
	project(skillsLoaded, BatchSize)
	plain, plainAlone := project(skillsMeasured, BatchSize), project(skillsAlone, 1)
	var rules []mapRule
	for i := range 500 {
		r := mapRule{skill: w.skills[i%2].id, kind: "question_version", target: ids.New(), weight: 1, strategy: "mean"}
		if i < 20 {
			r.target = v.questions[i].id
		}
		rules = append(rules, r)
	}
	w.publishRules(b, 0, rules)
	start := time.Now()
	w.recalculate(b)
	for _, id := range w.jobs(b) {
		for state := ""; state != models.ReportJobCompleted; {
			done, err := RunPiece(b.Context(), w.store, w.tenant, id)
			if err != nil {
				b.Fatal(err)
			}
			state = done.State
		}
	}
	recalculated := time.Since(start)
	byHand, facts := w.factsByHand(b)
	with, withAlone := project(skillsMeasured, BatchSize), project(skillsAlone, 1)
	b.ReportMetric(with.Seconds()/plain.Seconds(), "growth")
	b.ReportMetric(withAlone.Seconds()/plainAlone.Seconds(), "growth-alone")
	b.ReportMetric(byHand.Seconds()/recalculated.Seconds(), "ratio")
	b.Logf("%d submissions: %v without skills, %v with; %d one by one: %v and %v; %d facts: recalculated in %v, by hand in %v",
		skillsMeasured, plain, with, skillsAlone, plainAlone, withAlone, facts, recalculated, byHand)
	for b.Loop() {
	}
}

// factsByHand writes all facts with one statement, and rolls it back.
func (w *skilled) factsByHand(b *testing.B) (took time.Duration, facts int64) {
	b.Helper()
	err := w.store.DryRun(b.Context(), db.System(w.tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(b.Context(), "delete from report_skill_facts where tenant_id = $1", w.tenant)
		if err != nil {
			return err
		}
		start := time.Now()
		done, err := tx.Exec(b.Context(), `
			insert into report_skill_facts (tenant_id, org_unit_id, submission_id, submission_item_id, rule_id, skill_id, user_id, question_version_id,
				completed_at, value, weight, term_id)
			select f.tenant_id, f.org_unit_id, f.submission_id, f.submission_item_id, m.rule_id, m.skill_id, f.user_id, f.question_version_id,
				f.completed_at, round(least(greatest(f.score_awarded / f.max_score, 0), 1), 10), m.weight, m.term_id
			from report_item_attempts_flat f
			join report_skill_matches m on m.tenant_id = f.tenant_id and m.evaluation_version_id = f.evaluation_version_id and m.question_version_id = f.question_version_id
			where f.tenant_id = $1 and f.score_status = 'SCORED' and f.max_score > 0`, w.tenant)
		took, facts = time.Since(start), done
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return took, facts
}
