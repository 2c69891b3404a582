package projection

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// slowerSQL finds the questions whose median of 7 days may be that many times that of 30 (see
// leastSlower), as far as steps say. All the others are spared the look at attempts.
// since stands beside the days because behind a policy a sum is no index condition.
const slowerSQL = `, asked as materialized (
	select *, newest - 30 as since from unnest($%[1]d::uuid[], $%[2]d::date[]) a (question_version_id, newest)
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
	>= $%[3]d::float8 * min(step_ms) filter (where upto > floor((all_n - 1) / 2.0))`

func (s source) slower(questions []ids.ID, newest []time.Time) (string, []any) {
	n := len(s.args)
	return "with " + s.cells + fmt.Sprintf(slowerSQL, n+1, n+2, n+3), append(s.args, questions, newest, leastSlower())
}

// slowerMedians gives the medians of 7 and 30 days of the questions that a rule about them may
// raise a flag of.
func (f Filter) slowerMedians(ctx context.Context, tx *db.Tx, orgs []ids.ID, timed keyed) (map[key]medianTimes, error) {
	f.Questions = timed.questions()
	var newest []time.Time
	for _, question := range f.Questions {
		newest = append(newest, timed[key{ids.None, question}].newest)
	}
	sql, args := f.source(tx, orgs).slower(f.Questions, newest)
	slower := []ids.ID{}
	var question ids.ID
	err := each(ctx, tx, sql, args, []any{&question}, func() { slower = append(slower, question) })
	if err != nil {
		return nil, fmt.Errorf("look for slower questions: %w", err)
	}
	if len(slower) == 0 {
		return nil, nil
	}
	f.Questions = slower
	medians, _, err := forRank.find(ctx, tx, f.source(tx, orgs))
	return medians, err
}
