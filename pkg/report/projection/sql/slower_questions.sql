-- Finds the questions whose median of 7 days may be that many times that of 30, as far as steps say. All
-- the others are spared the look at attempts. since stands beside the days because behind a policy a
-- sum is no index condition.
{{attempts}}, asked as materialized (
	select *, newest - 30 as since from unnest({{questions}}::uuid[], {{newest}}::date[]) a (question_version_id, newest)
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
having max(step_end(step_ms, {{time bits}})) filter (where upto7 - n7 <= ceil((all7 - 1) / 2.0) and n7 > 0)
	>= {{least slower}}::float8 * min(step_ms) filter (where upto > floor((all_n - 1) / 2.0))
