select s.id, s.org_unit_id, s.evaluation_id, s.user_id, a.engagement_id, s.completed_at, s.snapshot_hash,
	s.status = 'voided',
	-- An answer that was erased waits for nobody.
	s.pending and not s.texts_erased,
	-- Looked up by the submission, and only where there is something to find: "exists" would be hashed over all of the tenant.
	case when s.texts_erased then coalesce((select true from submission_items i
		where i.tenant_id = $1 and i.submission_id = s.id and i.response ->> 'text' = '[erased]' limit 1), false) else false end, {{gone}},
	s.max_score > 0, s.outcome_code, s.approval_status,
	(select array_agg(i.item_id) from {{newest items}} i where i.score_status = 'INVALID'),
	-- A remediation changed the scores after the approval.
	coalesce(s.score_version > 1 and s.approval_status = 'approved' and exists (
		select from score_versions v where v.tenant_id = $1 and v.submission_id = s.id and v.created_at > approval.decided_at
			and v.reason in ('remediation_applied', 'remediation_reverted')), false),
	-- Whoever approved had a hand in it.
	coalesce(s.approval_status = 'approved' and (approval.actor = 'user:' || s.user_id or approval.actor = any(s.acted_by) or exists (
		select from score_versions v where v.tenant_id = $1 and v.submission_id = s.id and v.actor = approval.actor
			and v.reason <> 'submitted')), false),
	coalesce(verified.step_up, false), verified.fields,
	exists (
		select from findings f where f.tenant_id = $1 and f.submission_id = s.id and f.severity in ('major', 'critical')
			and not exists (
				select from case_findings c
				join submission_cases k on k.tenant_id = $1 and k.submission_id = c.submission_id and k.id = c.case_id
				where c.tenant_id = $1 and c.submission_id = f.submission_id and c.finding_id = f.id
					and k.kind = 'claim' and k.state = 'rejected')),
	coalesce(cases.open_claim, false), coalesce(cases.upheld_claim, false), coalesce(cases.open_dispute, false),
	files.kinds, files.integrities, files.voided, files.erased,
	e.reasons
from unnest($2::uuid[]) with ordinality wanted (id, n)
cross join lateral (select * from submissions s where s.tenant_id = $1 and s.id = wanted.id offset 0) s
left join lateral (select engagement_id from assignments a where a.tenant_id = $1 and a.id = s.assignment_id offset 0) a on true
left join lateral (
	select d.actor, d.decided_at from submission_decisions d
	where d.tenant_id = $1 and d.submission_id = s.id and d.decision = 'approve' and s.approval_status = 'approved'
	order by d.id desc limit 1) approval on true
left join lateral (
	select v.kind = 'auth.step_up' as step_up,
		coalesce((select array_agg(f.key order by f.key) from jsonb_each_text(v.fields) f where btrim(f.value) <> ''), '{}') as fields
	from verifications v where v.tenant_id = $1 and v.subject_id = s.id and v.applies_to = 'submissions'
	order by v.id desc limit 1) verified on true
left join lateral (
	select bool_or(k.kind = 'claim' and k.state = 'open') as open_claim, bool_or(k.kind = 'claim' and k.state = 'upheld') as upheld_claim,
		bool_or(k.kind = 'dispute' and k.state = 'open') as open_dispute
	from submission_cases k where k.tenant_id = $1 and k.submission_id = s.id) cases on true
left join lateral (
	select array_agg(kind order by n) as kinds, array_agg(integrity order by n) as integrities, array_agg(is_voided order by n) as voided,
		array_agg(is_erased order by n) as erased
	from (
		select row_number() over (order by kind, integrity, is_voided, is_erased) as n, *
		from (
			select distinct f.kind, f.integrity, f.voided_at is not null as is_voided, f.erased_at is not null as is_erased
			from evidence f where f.tenant_id = $1 and f.submission_id = s.id) f) f) files on true
left join lateral (select reasons from submission_executions e where e.tenant_id = $1 and e.submission_id = s.id offset 0) e on true
order by wanted.n
