-- Deletes the bands of durations that the submissions $2 belong to and that count nothing.
with keys as (
	select distinct r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, t.days, t.day, duration_step(r.duration_ms, {{band bits}})
	from report_submissions r, {{cuts}}, lateral (select (r.completed_at at time zone 'UTC')::date as day) u,
		lateral (values (0, '-infinity'::date), (7, date_trunc('week', u.day)::date), (1, u.day)) t (days, day)
	where r.tenant_id = $1 and r.submission_id = any($2)
)
delete from report_evaluation_bands d where d.tenant_id = $1 and d.ctid = any(array(
	select c.ctid from keys k (org_unit_id, evaluation_version_id, cut, run_label, group_id, days, day, band_ms), lateral (
		select ctid from report_evaluation_bands d
		where d.tenant_id = $1 and (d.org_unit_id, d.evaluation_version_id, d.cut, d.run_label, d.group_id, d.days, d.day, d.band_ms)
			= (k.org_unit_id, k.evaluation_version_id, k.cut, k.run_label, k.group_id, k.days, k.day, k.band_ms) and d.n = 0 offset 0) c))
