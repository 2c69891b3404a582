-- Deletes the steps of durations that the submissions $2 belong to and that count nothing.
with keys as (
	select distinct r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, duration_step(r.duration_ms, {{duration bits}})
	from report_submissions r, {{cuts}} where r.tenant_id = $1 and r.submission_id = any($2)
)
delete from report_evaluation_durations d where d.tenant_id = $1 and d.ctid = any(array(
	select c.ctid from keys k (org_unit_id, evaluation_version_id, cut, run_label, group_id, step_ms), lateral (
		select ctid from report_evaluation_durations d
		where d.tenant_id = $1 and (d.org_unit_id, d.evaluation_version_id, d.cut, d.run_label, d.group_id, d.step_ms)
			= (k.org_unit_id, k.evaluation_version_id, k.cut, k.run_label, k.group_id, k.step_ms) and d.n = 0 offset 0) c))
