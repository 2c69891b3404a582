-- The people of the org units $2 and skills $3 (side by side) who are in the same groups and at the same
-- level: how many there are, and the sum of their figures in units of 10^-10. Level 0 is below the
-- first, and nobody is above it where a skill has no levels.
with keys as materialized (
	select k.org_unit_id, k.skill_id, array(
		select (l ->> 'threshold')::numeric from jsonb_array_elements(v.levels) l order by 1) as thresholds
	from unnest($2::uuid[], $3::uuid[]) k (org_unit_id, skill_id)
	left join skills s on s.tenant_id = $1 and s.id = k.skill_id
	left join skill_versions v on v.tenant_id = $1 and v.id = s.current_version_id
), memberships as materialized (
	select org_unit_id, user_id, array_agg(group_id order by group_id) as groups
	from group_members where tenant_id = $1 and org_unit_id = any($2) group by 1, 2
)
select k.org_unit_id, k.skill_id, cardinality(k.thresholds), coalesce(m.groups, '{}'),
	width_bucket(r.value, k.thresholds) as level, count(*), sum(r.value * 10000000000)::bigint
from keys k
cross join lateral (select user_id, value from report_skill_rollups r
	where r.tenant_id = $1 and r.org_unit_id = k.org_unit_id and r.skill_id = k.skill_id offset 0) r
left join memberships m on m.org_unit_id = k.org_unit_id and m.user_id = r.user_id
group by 1, 2, 3, 4, 5
