-- What the people $2, with their submissions $3, can do by the rules that stand in the tables now, beside
-- what their figures say, in the org unit $4 or in all for null. Levels are counted from 1; 0 is below
-- the first, and null that there is no figure.
with {{skill_facts}}, fresh as materialized (
{{skill_values}}
), stored as materialized (
	select r.org_unit_id, r.user_id, r.skill_id, r.value
	from unnest($2::uuid[]) u (id) cross join (select id from org_units where tenant_id = $1 offset 0) o
	cross join lateral (select * from report_skill_rollups r where r.tenant_id = $1 and r.org_unit_id = o.id and r.user_id = u.id offset 0) r
), levels as materialized (
	select s.id, array(select (l ->> 'threshold')::numeric from jsonb_array_elements(v.levels) l order by 1) as thresholds
	from skills s left join skill_versions v on v.tenant_id = $1 and v.id = s.current_version_id where s.tenant_id = $1
)
select org_unit_id, user_id, skill_id, s.value::float8, f.value::float8, width_bucket(s.value, l.thresholds), width_bucket(f.value, l.thresholds)
from stored s full join fresh f using (org_unit_id, user_id, skill_id)
left join levels l on l.id = skill_id
where $4::uuid is null or org_unit_id = $4
order by 1, 2, 3
