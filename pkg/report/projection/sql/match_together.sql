matches as materialized (
	select m.* from (select distinct evaluation_version_id from {{versions}} s) v
	cross join lateral (select evaluation_version_id, question_version_id, rule_id, skill_id, weight, term_id from report_skill_matches m
		where m.tenant_id = $1 and m.evaluation_version_id = v.evaluation_version_id offset 0) m
), matched as (
	-- For many attempts, whose rules are read once. A full join is hashed; any other might be done by
	-- comparing each attempt with each rule, where PostgreSQL expects a handful of them.
	select a.*, m.rule_id, m.skill_id, m.weight, m.term_id
	from attempts a full join matches m using (evaluation_version_id, question_version_id) offset 0
)
