with targets as (
	select g.id, g.org_unit_id, g.external_id, 'engagement' as counted, g.id as counted_id
	from engagements g where $3 = 'engagement' and g.tenant_id = $1 and ($2::uuid is null or g.org_unit_id = $2) and ($4::uuid is null or g.id = $4)
	union all
	select r.id, r.org_unit_id, r.external_id, 'evaluation', r.evaluation_id
	from programme_requirements r where $3 = 'programme_requirement' and r.tenant_id = $1 and ($2::uuid is null or r.org_unit_id = $2) and ($4::uuid is null or r.id = $4)
), standing as (
	-- A cleared rollup is resolved; a resolved one in which something stands opens again with the next look.
	select t.id, coalesce(t.external_id, '') as external_id, t.org_unit_id,
		case when c.blocked_n + c.needs_review_n = 0 then 'resolved' when w.state = 'resolved' and c.last_computed_at > w.updated_at then 'open'
			else coalesce(w.state, 'open') end as state,
		w.owner_user_id, w.suppressed_until,
		case when c.blocked_n > 0 then 'not_met' when c.needs_review_n > 0 then 'pending' else 'met' end as readiness_state,
		c.active_n, c.blocked_n, c.needs_review_n, c.first_seen_at, c.last_computed_at, w.updated_at
	from targets t
	cross join lateral (
		select * from defensibility_exception_counts c
		where c.tenant_id = $1 and c.org_unit_id = t.org_unit_id and c.kind = t.counted and c.target_id = t.counted_id offset 0) c
	left join lateral (
		select * from defensibility_rollup_triage w
		where w.tenant_id = $1 and w.org_unit_id = t.org_unit_id and w.kind = $3 and w.target_id = t.id offset 0) w on true
)
select s.*, count(*) over () from standing s
where case $5 when 'any' then true when '' then s.state <> 'resolved' else s.state = $5 end
	and ($6 = '' or s.readiness_state = $6) and ($7::uuid is null or s.owner_user_id = $7)
	and ($8 or s.suppressed_until is null or s.suppressed_until <= $9)
order by case when not $10 then s.first_seen_at end, case when $10 then s.first_seen_at end desc, s.id
limit $11 offset $12
