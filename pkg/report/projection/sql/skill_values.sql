-- What the sums s of submissions come to, by person and skill, put together as the strategy of the skill has
-- it. Ages count from the newest submission, so no figure depends on when it was computed; beyond a
-- hundred half-lives nothing is left to lose. Sums are numeric, so their order does not matter.
select $1::uuid as tenant_id, org_unit_id, user_id, skill_id, {{value}} as value, facts_n, submissions_n, {{trend}} as trend,
	first_at, last_at, strategy, earned, weight, best, newest_submission_id, newest_earned, newest_weight
from (
	-- A skill has one strategy. Grouped as the windows are, so that one sort does for both.
	select org_unit_id, user_id, skill_id, min(strategy) as strategy, sum(facts_n)::int as facts_n, count(*)::int as submissions_n,
		min(completed_at) as first_at, max(completed_at) as last_at, sum(earned) as earned, sum(weight) as weight,
		max(earned / weight) filter (where strategy = 'best') as best,
		(array_agg(submission_id) filter (where is_newest))[1] as newest_submission_id,
		sum(earned) filter (where is_newest) as newest_earned, sum(weight) filter (where is_newest) as newest_weight,
		sum(earned * fading) / sum(weight * fading) as faded
	from (
		select s.*, t.strategy, row_number() over newest = 1 as is_newest,
			case when t.strategy = 'weighted_recent' then power(2::float8, -least(extract(epoch from
				first_value(s.completed_at) over newest - s.completed_at) / 86400 / t.half_life_days, 100)::float8)::numeric end as fading
		from {{sums}} s
		join report_skill_targets t on t.tenant_id = $1 and t.skill_id = s.skill_id
		window newest as (partition by s.org_unit_id, s.user_id, s.skill_id order by s.completed_at desc, s.submission_id desc)
	) s
	group by org_unit_id, user_id, skill_id
) s
