-- Marks cells to be derived anew: those of the org units $2 and skills $3 (side by side), those of the
-- skills of the people $4, who joined or left a group, and those of the skills $5, whose levels changed.
insert into report_skill_stale as s (tenant_id, org_unit_id, skill_id, revision, marked_at)
select $1::uuid, k.org_unit_id, k.skill_id, 1, $6::timestamptz
from (
	select * from unnest($2::uuid[], $3::uuid[]) k (org_unit_id, skill_id)
	union
	select r.org_unit_id, r.skill_id from unnest($4::uuid[]) u (id) cross join (select id from org_units where tenant_id = $1 offset 0) o
	cross join lateral (select org_unit_id, skill_id from report_skill_rollups r
		where r.tenant_id = $1 and r.org_unit_id = o.id and r.user_id = u.id offset 0) r
	union
	select c.org_unit_id, c.skill_id from unnest($5::uuid[]) v (id) cross join (select id from org_units where tenant_id = $1 offset 0) o
	cross join lateral (select org_unit_id, skill_id from report_skill_rollups r
		where r.tenant_id = $1 and r.org_unit_id = o.id and r.skill_id = v.id limit 1) c
) k order by 2, 3
on conflict (tenant_id, org_unit_id, skill_id) do update set revision = s.revision + 1
