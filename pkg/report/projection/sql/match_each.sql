matched as (
	-- For a few attempts: each looks up its rules.
	select a.*, m.rule_id, m.skill_id, m.weight, m.term_id
	from attempts a cross join lateral (select rule_id, skill_id, weight, term_id from report_skill_matches m
		where m.tenant_id = $1 and m.evaluation_version_id = a.evaluation_version_id and m.question_version_id = a.question_version_id offset 0) m
)
