-- Derives the figures of the persons and skills $2 (org units), $3 and $4 (side by side), which are
-- locked. Those without submissions go.
with keys as materialized (
	select k.org_unit_id, k.user_id, k.skill_id from unnest($2::uuid[], $3::uuid[], $4::uuid[]) k (org_unit_id, user_id, skill_id)
), sums as materialized (
	select s.* from keys k cross join lateral (
		select * from report_skill_submissions s where s.tenant_id = $1 and s.org_unit_id = k.org_unit_id and s.user_id = k.user_id
			and s.skill_id = k.skill_id offset 0) s
), fresh as materialized (
{{skill_values}}
), emptied as (
	delete from report_skill_rollups r where r.tenant_id = $1 and r.ctid = any(array(
		select c.ctid from (select org_unit_id, user_id, skill_id from keys except select org_unit_id, user_id, skill_id from fresh) k
		cross join lateral (select ctid from report_skill_rollups r where r.tenant_id = $1 and r.org_unit_id = k.org_unit_id
			and r.user_id = k.user_id and r.skill_id = k.skill_id offset 0) c))
)
insert into report_skill_rollups as r
select * from fresh
on conflict (tenant_id, org_unit_id, user_id, skill_id) do update set value = excluded.value, facts_n = excluded.facts_n,
	submissions_n = excluded.submissions_n, trend = excluded.trend, first_at = excluded.first_at, last_at = excluded.last_at,
	strategy = excluded.strategy, earned = excluded.earned, weight = excluded.weight, best = excluded.best,
	newest_submission_id = excluded.newest_submission_id, newest_earned = excluded.newest_earned, newest_weight = excluded.newest_weight
