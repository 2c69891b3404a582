-- What the facts f come to, by person and skill: first what each submission says, then these put
-- together as the strategy of the skill has it. Ages count from the newest submission, so no figure
-- depends on when it was computed; beyond a hundred half-lives nothing is left to lose. Sums are
-- numeric, so their order does not matter.
select tenant_id, org_unit_id, user_id, skill_id,
	round(case strategy
		when 'latest' then sum(earned) filter (where back = 1) / sum(weight) filter (where back = 1)
		when 'best' then max(earned / weight)
		when 'mean' then sum(earned) / sum(weight)
		else sum(earned * fading) / sum(weight * fading) end, 10) as value,
	sum(facts_n)::int as facts_n, count(*)::int as submissions_n,
	round(sum(earned) filter (where back = 1) / sum(weight) filter (where back = 1)
		- sum(earned) filter (where back > 1) / sum(weight) filter (where back > 1), 10) as trend,
	min(completed_at) as first_at, max(completed_at) as last_at
from (
	select a.*, t.strategy,
		row_number() over (partition by a.org_unit_id, a.user_id, a.skill_id order by a.completed_at desc, a.submission_id desc) as back,
		case when t.strategy = 'weighted_recent' then power(2::float8, -least(extract(epoch from
			max(a.completed_at) over (partition by a.org_unit_id, a.user_id, a.skill_id) - a.completed_at) / 86400 / t.half_life_days, 100)::float8)::numeric end as fading
	from (
		select f.tenant_id, f.org_unit_id, f.user_id, f.skill_id, f.submission_id, f.completed_at, count(*) as facts_n,
			sum(f.value * f.weight) as earned, sum(f.weight) as weight
		from {{facts}} f group by 1, 2, 3, 4, 5, 6
	) a
	join report_skill_targets t on t.tenant_id = $1 and t.skill_id = a.skill_id
) m
group by tenant_id, org_unit_id, user_id, skill_id, strategy
