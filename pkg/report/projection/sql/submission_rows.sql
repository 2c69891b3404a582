-- report_submissions as the submissions $2 make it. A submission without anything to earn has no share
-- of it. Nothing is pending once there is an outcome, and survey items hold up none. An import without
-- times gives the same instant twice. No total is below 0, and the last tenth is closed at 100 %; least() would
-- take no share for the last tenth.
with surveys as materialized (
	select v.hash, array_agg((i ->> 'itemId')::uuid) as items
	from version_snapshots v, jsonb_array_elements(v.content -> 'sections') t, jsonb_array_elements(t -> 'items') i
	where v.tenant_id = $1 and v.hash in (select distinct snapshot_hash from {{submissions}} s)
		and not (i #>> '{key,contributesToScore}')::boolean
	group by v.hash
)
select s.tenant_id, s.org_unit_id, s.id as submission_id, s.evaluation_id, s.evaluation_version_id, s.user_id,
	coalesce(s.run_label, '') as run_label, s.started_at, s.completed_at, s.completion_method, s.outcome_code,
	s.outcome_code <> 'incomplete' or not exists (select from {{newest items}} i
		where i.score_status = 'PENDING' and i.item_id <> all(coalesce(y.items, '{}'))) as is_scored,
	s.score, s.max_score,
	p.pct as score_pct, case when p.pct is not null then least(floor(p.pct * 10), 9) end::smallint as score_tenth,
	case when s.completed_at >= s.started_at + case when s.completion_method = 'imported' then interval '1 millisecond' else '0' end
		then floor(extract(epoch from s.completed_at - s.started_at) * 1000)::bigint end
		as duration_ms,
	s.assignment_id, case when a.target_type = 'group_id' then a.target_ref::uuid end as group_id,
	t.submission_id is not null as telemetry_known,
	coalesce(t.focus_lost_n, 0) as focus_lost_n, coalesce(t.fullscreen_exit_n, 0) as fullscreen_exit_n
from {{submissions}} s
left join submission_telemetry_summary t on t.tenant_id = $1 and t.submission_id = s.id
left join assignments a on a.tenant_id = $1 and a.id = s.assignment_id
left join surveys y on y.hash = s.snapshot_hash
cross join lateral (select round(s.score / nullif(s.max_score, 0), 10) as pct) p
