package reporting

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// unlike is a number of questions: many of them differ in the figures that they are ordered by, and
// many do not.
const unlike = 90

// unlikeSQL makes attempts at them: question q is answered rightly by q % 11 tenths, with a wrong
// option for all others or with each in turn; some are left out, some are slow in the last week,
// and some are multiple choice. $1 tenant, $2 org unit, $3 version, $4 start, $5 questions.
var unlikeSQL = []string{
	`insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
	select $1, 'unlike', $2, jsonb_build_object('questions', v.content -> 'questions' || (select jsonb_object_agg(q, jsonb_build_object(
		'structuredTags', case when n % 2 = 0 then '{"topic":["even"]}'::jsonb else '{}' end,
		'options', '[{"id":"A","isCorrect":true},{"id":"B"},{"id":"C"},{"id":"D"}]'::jsonb))
		from unnest($5::uuid[]) with ordinality q (q, n))), $4
	from version_snapshots v where tenant_id = $1 and hash = $3::uuid::text`,
	`update submissions set snapshot_hash = 'unlike', completed_at = later_by($4, least(right(id::text, 4)::int % 60, 49) * 86400)
	where tenant_id = $1 and org_unit_id = $2 and evaluation_version_id = $3 and $5::uuid[] is not null`,
	`insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id, question_version_id, position, qtype, response,
		score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct, time_spent_ms)
	select $1, s.id, gen_random_uuid(), $2, q, q, n + 10, case when n % 3 = 0 then 'mrq' else 'mcq' end,
		jsonb_build_object('optionIds', jsonb_build_array(chosen)), 'SCORED', 'key', (chosen = 'A')::int, 1, chosen = 'A', (g + n) % 9 = 0 and n % 7 = 0,
		(chosen = 'A')::int, (chosen <> 'A')::int, 1, case when n % 5 = 0 and s.completed_at > $4::timestamptz + interval '42 days' then 4000 else 1000 end + g
	from (select *, row_number() over (order by id) as g from submissions where tenant_id = $1 and evaluation_version_id = $3) s,
		unnest($5::uuid[]) with ordinality u (q, n),
		lateral (select case when g % 10 < n % 11 then 'A' when n % 4 = 0 then 'B' else (array['B','C','D'])[1 + g % (1 + n % 3)] end as chosen) c
	where g % 4 < 1 + n % 4`,
}

// The pages of every order and filter are the same as when all questions are measured, also when
// only as many questions are looked at as a page needs.
func TestPagesAreThoseOfAllQuestionsMeasured(t *testing.T) {
	t.Parallel()
	c := found(t, dbtest.Clone(t), 240)
	var questions []ids.ID
	for range unlike {
		questions = append(questions, ids.New())
	}
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		for _, sql := range unlikeSQL {
			_, err := tx.Exec(ctx, sql+" returning true", c.tenant, c.orgs[0], c.versions[0], epoch, questions)
			if err != nil {
				return fmt.Errorf("%w in %s", err, sql)
			}
		}
		return nil
	})
	c.project(t)
	run, from, to := "run 1", epoch.AddDate(0, 0, 5).Add(3*time.Hour), epoch.AddDate(0, 0, 48)
	for name, f := range map[string]HealthFilter{"run": {RunLabel: &run}, "since": {From: &from}, "period": {From: &from, To: &to}, "days": {To: &to}, "tag": {Tags: []string{"topic:even"}},
		"version": {EvaluationVersionID: c.versions[0]}, "run and period": {RunLabel: &run, From: &from}} {
		for sort := range orders {
			f.Sort = sort
			report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (any, error) { return nil, comparePages(t, tx, name, f) })
		}
	}
}

func comparePages(t *testing.T, tx *db.Tx, name string, f HealthFilter) error {
	t.Helper()
	measured, err := projection.Measure(t.Context(), tx, f.projected(), projection.ForDetail)
	if err != nil {
		return err
	}
	var want []models.QuestionHealth
	ranks, flags := map[int]bool{}, map[string]bool{}
	for _, m := range measured {
		want = append(want, m.Health)
		ranks[m.Health.AttentionRank] = true
		for _, flag := range m.Health.Flags {
			flags[flag.Code] = true
		}
	}
	if len(ranks) < 8 || (name == "version" || name == "since") && (len(flags) < 7 || !flags["TIME_SPIKE"]) {
		t.Errorf("%s: only %d different ranks, flags %v", name, len(ranks), flags)
	}
	slices.SortFunc(want, func(a, b models.QuestionHealth) int {
		return cmp.Or(orders[f.Sort].compare(projection.RankedBy(a), projection.RankedBy(b)), bytes.Compare(a.QuestionVersionID[:], b.QuestionVersionID[:]))
	})
	const limit = 14
	for page := 1; (page-1)*limit <= len(want); page++ {
		f.Page = db.Page{Page: page, Limit: limit}
		got, err := ListHealth(t.Context(), tx, f)
		if err != nil {
			return err
		}
		rows := []HealthRow{}
		for _, h := range want[(page-1)*limit : min(page*limit, len(want))] {
			rows = append(rows, rowOf(h, spoken{}))
		}
		if diff := gocmp.Diff(rows, got.Items); diff != "" || got.Total != len(want) {
			t.Errorf("%s, %s, page %d, total %d of %d (-want +got):\n%s", name, f.Sort, page, got.Total, len(want), diff)
		}
		if f.Sort == NeedsAttentionFirst && page < 3 && name != "days" {
			err = compareRanks(t, tx, f, want, page*limit)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// compareRanks looks at one question at a time, and not at all of them.
func compareRanks(t *testing.T, tx *db.Tx, f HealthFilter, want []models.QuestionHealth, n int) error {
	t.Helper()
	ranking, err := projection.Rank(t.Context(), tx, f.projected())
	if err != nil {
		return err
	}
	of := map[ids.ID]int{}
	for _, h := range want {
		of[h.QuestionVersionID] = h.AttentionRank
	}
	for _, h := range ranking.Rows {
		if h.AttentionRank < of[h.QuestionVersionID] {
			t.Errorf("rank %d is called the worst that it can be, and is %d", h.AttentionRank, of[h.QuestionVersionID])
		}
	}
	err = sharpen(t.Context(), tx, ranking, n, 1)
	if err != nil {
		return err
	}
	rank, exact, looked := map[ids.ID]int{}, map[ids.ID]bool{}, 0
	for _, h := range ranking.Rows {
		rank[h.QuestionVersionID] = h.AttentionRank
		exact[h.QuestionVersionID] = h.Exact
		if h.Exact {
			looked++
		}
	}
	for i, h := range want[:min(n, len(want))] {
		if rank[h.QuestionVersionID] != h.AttentionRank || !exact[h.QuestionVersionID] {
			t.Errorf("question %d has rank %d, want %d", i, rank[h.QuestionVersionID], h.AttentionRank)
		}
	}
	if n < len(want)/3 && looked == len(want) {
		t.Errorf("all %d questions were looked at for the first %d", looked, n)
	}
	return nil
}
