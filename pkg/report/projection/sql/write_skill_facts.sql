-- Writes what the submissions $2, of which nothing is written, say about skills, and adds them to the figures. It gives
-- the figures that this touches, and of each whether it has to be derived anew: where older evidence fades, as
-- much as is added changes all there was, and so it is with the figures of the org units $3, people $4 and
-- skills $5 (side by side), which lost something. All of these are locked, in one order.
with {{skill_facts}}, written as (
	insert into report_skill_facts
	select u.tenant_id, org_unit_id, submission_id, submission_item_id, rule_id, skill_id, user_id, question_version_id, completed_at,
		value, weight, term_id
	from facts r {{of its unit}} returning true
), sums as (
	insert into report_skill_submissions as made {{skill_sums}} returning made.*
), touched as materialized (
	select org_unit_id, user_id, skill_id, k.lost is not null or coalesce(f.strategy = 'weighted_recent', false) as derive,
		f.value, f.facts_n, f.submissions_n, f.trend, f.first_at, f.last_at, f.strategy, f.earned, f.weight, f.best,
		f.newest_submission_id, f.newest_earned, f.newest_weight
	from (
{{skill_values}}
	) f full join (select *, true as lost from unnest($3::uuid[], $4::uuid[], $5::uuid[]) k (org_unit_id, user_id, skill_id)) k
		using (org_unit_id, user_id, skill_id)
), added as (
	insert into report_skill_rollups as r
	select u.tenant_id, org_unit_id, user_id, skill_id, coalesce(value, 0), coalesce(facts_n, 0), coalesce(submissions_n, 0), trend,
		coalesce(first_at, 'infinity'), coalesce(last_at, '-infinity'), coalesce(strategy, ''), coalesce(earned, 0), coalesce(weight, 0), best,
		coalesce(newest_submission_id, {{no group}}), coalesce(newest_earned, 0), coalesce(newest_weight, 0)
	from touched r {{of its unit}} order by 2, 3, 4
	on conflict (tenant_id, org_unit_id, user_id, skill_id) do update set
		facts_n = r.facts_n + excluded.facts_n, submissions_n = r.submissions_n + excluded.submissions_n,
		value = {{value}}, trend = {{trend}},
		first_at = least(r.first_at, excluded.first_at), last_at = greatest(r.last_at, excluded.last_at), strategy = excluded.strategy,
		earned = {{earned}}, weight = {{weight}}, best = {{best}},
		newest_submission_id = {{newest submission}}, newest_earned = {{newest earned}}, newest_weight = {{newest weight}}
)
select org_unit_id, user_id, skill_id, derive from touched order by 1, 2, 3
