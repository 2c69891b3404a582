attempts as (
	-- The share of the maximum that was earned. An item that was left out, that waits for a person, that is
	-- invalid or exempt, or that has nothing to earn, says nothing; one that lost points says 0.
	select f.tenant_id, f.org_unit_id, f.submission_id, f.submission_item_id, f.user_id, f.evaluation_version_id,
		f.question_version_id, f.completed_at, (case when f.score_awarded <= 0 then 0 when f.score_awarded >= f.max_score then 1
			else f.score_awarded / f.max_score end)::numeric(11, 10) as value
	from {{chosen}} f
	where f.score_status = 'SCORED' and f.max_score > 0
), {{matching}}, facts as materialized (
	-- What the attempts say about skills, by the rules that match their questions.
	select tenant_id, org_unit_id, submission_id, submission_item_id, rule_id, skill_id, user_id, question_version_id, completed_at,
		value, weight, term_id
	from matched where submission_item_id is not null and rule_id is not null
)
