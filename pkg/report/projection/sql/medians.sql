-- Exact percentiles, those of percentile_cont: between the two nearest ranks in proportion. Adding up
-- steps finds the step that holds a rank, or the two that hold one each, and the index of times the
-- attempts that have them; so the cost is that of the steps and of the few attempts in one of them.
--
-- A tenant that is too young for the statistics has no rows, as far as the planner knows. The lateral
-- queries hold it to go question by question all the same. What the attempts are compared with is
-- computed before: behind a policy a condition with step_end(...) in it is no index condition.
{{attempts}}, newest as materialized (
	select unit, question_version_id, max(day) as newest from day group by 1, 2
), timed as (
	select w.*, t.run_label, t.day, t.step_ms, t.n::int from newest w,
		lateral (select * from times t where t.unit = w.unit and t.question_version_id = w.question_version_id offset 0) t
	union all
	select w.*, t.run_label, t.day, t.step_ms, t.n from newest w join edges t using (unit, question_version_id)
), stepped as (
	select unit, question_version_id, case when 'run' = any({{figures}}::text[]) then run_label end as run_label, step_ms,
		min(newest) as newest, sum(n) as n, sum(n) filter (where day > newest - 7) as n7, sum(n) filter (where day > newest - 30) as n30
	from timed group by 1, 2, 3, 4
), counted as (
	select unit, question_version_id, figure, p, run, since, step_ms, sum(w.n)::bigint as n
	from stepped s, lateral (values
		('median', 0.5::float8, null::text, null::timestamptz, s.n),
		('p90', 0.9, null, null, s.n),
		('7d', 0.5, null, (s.newest - 6)::timestamp at time zone 'UTC', s.n7),
		('30d', 0.5, null, (s.newest - 29)::timestamp at time zone 'UTC', s.n30),
		('run', 0.5, s.run_label, null, case when s.run_label <> '' then s.n end)) w (figure, p, run, since, n)
	where w.figure = any({{figures}}::text[]) and w.n > 0 group by 1, 2, 3, 4, 5, 6, 7
), running as (
	select c.*, step_end(step_ms, {{time bits}}) as ends, p * (sum(n) over whole - 1)::float8 as rank,
		(sum(n) over (whole order by step_ms))::bigint as upto
	from counted c window whole as (partition by unit, question_version_id, figure, run)
), held as (
	select *, greatest(floor(rank)::bigint - upto + n, 0) as first, least(ceil(rank)::bigint - upto + n, n - 1) as last,
		max(ends) filter (where figure = '7d') over question as slow, min(step_ms) filter (where figure = '30d') over question as usual
	from running where floor(rank) < upto and ceil(rank) >= upto - n
	window question as (partition by unit, question_version_id)
)
select m.unit, m.question_version_id, m.figure, coalesce(m.run, ''), min(ms) + (min(rank) - floor(min(rank))) * (max(ms) - min(ms))
from held m, lateral (
	select f.time_on_item_ms::float8 as ms from report_item_attempts_flat f
	where {{item attempts}} and f.question_version_id = m.question_version_id and not f.is_omitted
		and f.time_on_item_ms >= m.step_ms and f.time_on_item_ms < m.ends
		and (m.run is null or f.run_label = m.run)
		and (m.since is null or f.completed_at >= m.since)
	order by f.time_on_item_ms offset m.first limit m.last - m.first + 1) f
where m.figure not in ('7d', '30d') or {{least slower}}::float8 is null or m.slow >= {{least slower}}::float8 * m.usual
group by 1, 2, 3, 4
