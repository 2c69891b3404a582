-- Deletes the days of evaluations that the session starts and the submissions $2 belong to and that count nothing.
with keys as (
	select r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, (r.completed_at at time zone 'UTC')::date
	from report_submissions r, {{cuts}} where r.tenant_id = $1 and r.submission_id = any($2)
	union
	select r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, (r.attempt_at at time zone 'UTC')::date
	from report_session_starts r, {{cuts}} where r.tenant_id = $1 and r.session_id = any($2)
)
delete from report_evaluation_day d where d.tenant_id = $1 and d.ctid = any(array(
	select c.ctid from keys k (org_unit_id, evaluation_version_id, cut, run_label, group_id, day), lateral (
		select ctid from report_evaluation_day d
		where d.tenant_id = $1 and (d.org_unit_id, d.evaluation_version_id, d.cut, d.run_label, d.group_id, d.day)
			= (k.org_unit_id, k.evaluation_version_id, k.cut, k.run_label, k.group_id, k.day)
			and d.started_n = 0 and d.completed_n = 0 offset 0) c))
