-- A page of the facts about the person $3 and each of the skills $4 in the org units $2, the newest first:
-- $5 rows of each skill behind $6. $7 says that whoever reads may see what each item earned; else they do where the
-- evaluation gives feedback on items.
select f.submission_id, f.submission_item_id, f.org_unit_id, f.completed_at, case when s.open then f.value::float8 end, f.weight::float8,
	case when s.open then a.score_awarded::float8 end, case when s.open then a.max_score::float8 end,
	f.question_version_id, a.evaluation_id, a.evaluation_version_id, e.title, a.run_label,
	r.id, r.rule_type, v.set_id, v.id, v.number, f.term_id, t.label, f.skill_id
from unnest($4::uuid[]) k (skill_id)
cross join lateral (
	select f.* from unnest($2::uuid[]) o (id)
	cross join lateral (select * from report_skill_facts f
		where f.tenant_id = $1 and f.org_unit_id = o.id and f.user_id = $3 and f.skill_id = k.skill_id
		order by f.completed_at desc, f.submission_id desc, f.submission_item_id, f.rule_id limit ($5::bigint + $6::bigint)) f
	order by f.completed_at desc, f.submission_id desc, f.submission_item_id, f.rule_id limit $5::bigint offset $6::bigint
) f
cross join lateral (select a.evaluation_id, a.evaluation_version_id, a.run_label, a.score_awarded, a.max_score from report_item_attempts_flat a
	where a.tenant_id = $1 and a.submission_id = f.submission_id and a.submission_item_id = f.submission_item_id offset 0) a
cross join lateral (select e.title, e.snapshot_hash from evaluation_versions e where e.tenant_id = $1 and e.id = a.evaluation_version_id offset 0) e
cross join lateral (select $7::bool or coalesce(v.settings ->> 'feedback_mode' = 'items', false) as open from version_snapshots v
	where v.tenant_id = $1 and v.hash = e.snapshot_hash offset 0) s
join skill_mapping_rules r on r.tenant_id = $1 and r.id = f.rule_id
join skill_mapping_versions v on v.tenant_id = $1 and v.id = r.version_id
left join terms t on t.tenant_id = $1 and t.id = f.term_id
order by f.completed_at desc, f.submission_id desc, f.submission_item_id, f.rule_id
