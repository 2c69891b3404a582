-- Writes what the submissions $2, of which nothing is written, say about skills, and adds them to the figures. It gives
-- the figures that this touches, and of each whether it has to be derived anew: where older evidence fades, as
-- much as is added changes all there was, and so it is with the figures of the org units $3, people $4 and
-- skills $5 (side by side), which lost something. All of these are locked, in one order.
with {{skill_facts}}, written as (
	insert into report_skill_facts select * from facts
), sums as (
	insert into report_skill_submissions {{skill_sums}} returning *
), fresh as materialized (
{{skill_values}}
), touched as materialized (
	select org_unit_id, user_id, skill_id, bool_or(derive) as derive from (
		select org_unit_id, user_id, skill_id, strategy = 'weighted_recent' as derive from fresh
		union all
		select *, true from unnest($3::uuid[], $4::uuid[], $5::uuid[])) t group by 1, 2, 3
), added as (
	insert into report_skill_rollups as r
	select $1::uuid, t.org_unit_id, t.user_id, t.skill_id, coalesce(f.value, 0), coalesce(f.facts_n, 0), coalesce(f.submissions_n, 0), f.trend,
		coalesce(f.first_at, 'infinity'), coalesce(f.last_at, '-infinity'), coalesce(f.strategy, ''), coalesce(f.earned, 0), coalesce(f.weight, 0), f.best,
		coalesce(f.newest_submission_id, {{no group}}), coalesce(f.newest_earned, 0), coalesce(f.newest_weight, 0)
	from touched t left join fresh f using (org_unit_id, user_id, skill_id) order by 2, 3, 4
	on conflict (tenant_id, org_unit_id, user_id, skill_id) do update set
		facts_n = r.facts_n + excluded.facts_n, submissions_n = r.submissions_n + excluded.submissions_n,
		value = {{value}}, trend = {{trend}},
		first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at), strategy = excluded.strategy,
		earned = {{earned}}, weight = {{weight}}, best = {{best}},
		newest_submission_id = {{newest submission}}, newest_earned = {{newest earned}}, newest_weight = {{newest weight}}
)
select org_unit_id, user_id, skill_id, derive from touched order by 1, 2, 3
