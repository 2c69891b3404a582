select tenant_id, org_unit_id, user_id, skill_id, completed_at, submission_id, count(*)::int as facts_n,
	sum(value * weight) as earned, sum(weight) as weight
from {{facts}} f group by 1, 2, 3, 4, 5, 6
