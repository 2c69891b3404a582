package projection

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// slowSQL finds the questions of $n and their newest days whose median of 7 days may be twice that
// of 30, as far as steps say. All the others are spared the look at attempts.
// since stands beside the days because behind a policy a sum is no index condition.
const slowSQL = `, asked as materialized (
	select *, newest - 30 as since from unnest(%[1]s::uuid[], %[2]s::date[]) a (question_version_id, newest)
), timed as (
	select a.*, t.step_ms, t.day, t.n::int from asked a,
		lateral (select * from times t where t.question_version_id = a.question_version_id and t.day > a.since offset 0) t
	union all
	select a.*, t.step_ms, t.day, t.n from asked a join edges t using (question_version_id) where t.day > a.since
), stepped as (
	select question_version_id, step_ms, sum(n)::int as n, coalesce(sum(n) filter (where day > newest - 7), 0)::int as n7
	from timed group by 1, 2
), running as (
	select *, sum(n) over below as upto, sum(n) over whole as all_n, sum(n7) over below as upto7, sum(n7) over whole as all7
	from stepped window whole as (partition by question_version_id), below as (partition by question_version_id order by step_ms)
)
select question_version_id from running group by 1
having max(step_end(step_ms, ` + timeBits + `)) filter (where upto7 - n7 <= ceil((all7 - 1) / 2.0) and n7 > 0)
	>= %[3]d * min(step_ms) filter (where upto > floor((all_n - 1) / 2.0))`

func (s source) slow(questions []ids.ID, newest []time.Time) (string, []any) {
	n := len(s.args)
	return "with " + s.cells + fmt.Sprintf(slowSQL, fmt.Sprintf("$%d", n+1), fmt.Sprintf("$%d", n+2), spikeRatio), append(s.args, questions, newest)
}

// spikes gives the medians of 7 and 30 days of the questions that TIME_SPIKE may be true of.
func (f Filter) spikes(ctx context.Context, tx *db.Tx, orgs []ids.ID, timed keyed) (map[key]medianTimes, error) {
	if len(timed) == 0 {
		return nil, nil
	}
	f.Questions = timed.questions()
	var newest []time.Time
	for _, question := range f.Questions {
		newest = append(newest, timed[key{ids.None, question}].newest)
	}
	sql, args := f.source(tx, orgs).slow(f.Questions, newest)
	slow := []ids.ID{}
	var question ids.ID
	err := each(ctx, tx, sql, args, []any{&question}, func() { slow = append(slow, question) })
	if err != nil {
		return nil, fmt.Errorf("look for slow questions: %w", err)
	}
	if len(slow) == 0 {
		return nil, nil
	}
	f.Questions = slow
	medians, _, err := Percentiles{figures: []string{windows}}.find(ctx, tx, f.source(tx, orgs))
	return medians, err
}
