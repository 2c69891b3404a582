-- What the item attempts f say about skills, by the rules that match their questions: the share of the
-- maximum that was earned. An item that was left out, that waits for a person, that is invalid or
-- exempt, or that has nothing to earn, says nothing; one that lost points says 0.
select f.tenant_id, f.org_unit_id, f.submission_id, f.submission_item_id, m.rule_id, m.skill_id, f.user_id, f.question_version_id,
	f.completed_at, round(least(greatest(f.score_awarded / f.max_score, 0), 1), 10) as value, m.weight, m.term_id
from report_item_attempts_flat f
{{matching}}
where f.tenant_id = $1 and {{chosen}} and f.score_status = 'SCORED' and f.max_score > 0
