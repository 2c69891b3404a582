-- A page of the facts about the person $3 and each of the skills $4 in the org units $2, the newest first:
-- $5 rows of each skill behind $6. $7 says that whoever reads may see what each item earned; else they do where the
-- evaluation gives feedback on items by now, with their scores.
select f.submission_id, f.submission_item_id, f.org_unit_id, f.completed_at, case when may.see then f.value::float8 end, f.weight::float8,
	case when may.see then a.score_awarded::float8 end, case when may.see then a.max_score::float8 end,
	f.question_version_id, a.evaluation_id, a.evaluation_version_id, e.title, a.run_label,
	r.id, r.rule_type, v.set_id, v.id, v.number, f.term_id, t.label, f.skill_id
from unnest($4::uuid[]) k (skill_id)
cross join lateral (
	-- The newest submissions. Each has a fact at least, so these are enough; before is how many facts are newer.
	select s.*, sum(s.facts_n) over (order by s.completed_at desc, s.submission_id desc) - s.facts_n as before
	from (select s.* from unnest($2::uuid[]) o (id)
		cross join lateral (select submission_id, completed_at, facts_n from report_skill_submissions s
			where s.tenant_id = $1 and s.org_unit_id = o.id and s.user_id = $3 and s.skill_id = k.skill_id
			order by s.completed_at desc, s.submission_id desc limit ($5::bigint + $6::bigint)) s
		order by s.completed_at desc, s.submission_id desc limit ($5::bigint + $6::bigint)) s
	offset 0
) s
cross join lateral (
	select f.*, row_number() over (order by f.submission_item_id, f.rule_id) as n from report_skill_facts f
	where f.tenant_id = $1 and f.submission_id = s.submission_id and f.skill_id = k.skill_id
		and s.before < $5::bigint + $6::bigint and s.before + s.facts_n > $6::bigint offset 0
) f
cross join lateral (select a.evaluation_id, a.evaluation_version_id, a.run_label, a.score_awarded, a.max_score from report_item_attempts_flat a
	where a.tenant_id = $1 and a.submission_id = f.submission_id and a.submission_item_id = f.submission_item_id offset 0) a
cross join lateral (select e.title, e.snapshot_hash from evaluation_versions e where e.tenant_id = $1 and e.id = a.evaluation_version_id offset 0) e
cross join lateral (select $7::bool or coalesce(v.settings ->> 'feedback_mode' = 'items', false)
		and coalesce(instant_of(v.settings #>> '{feedbackPolicy,availableAfter}') <= now(), true)
		and coalesce((v.settings #>> '{feedbackPolicy,showScore}')::boolean, true) as see from version_snapshots v
	where v.tenant_id = $1 and v.hash = e.snapshot_hash offset 0) may
join skill_mapping_rules r on r.tenant_id = $1 and r.id = f.rule_id
join skill_mapping_versions v on v.tenant_id = $1 and v.id = r.version_id
left join terms t on t.tenant_id = $1 and t.id = f.term_id
where s.before + f.n > $6::bigint and s.before + f.n <= $5::bigint + $6::bigint
order by f.completed_at desc, f.submission_id desc, f.submission_item_id, f.rule_id
