-- Deletes the cells of lists that the item attempts of the submissions $2 belong to and that count nothing.
with keys as (
	select distinct r.org_unit_id, r.evaluation_version_id, c.cut, s.hours, c.run_label, c.group_id,
		date_bin(make_interval(hours => s.hours), r.completed_at, timestamptz '2001-01-01 00:00Z'), f.question_version_id
	from report_submissions r, lateral (select * from report_item_attempts_flat where tenant_id = $1 and submission_id = r.submission_id offset 0) f,
		{{cuts}}, lateral (
			select hours from (values ('group', 6), ('group', 168), ('run', 6), ('run', 168), ('run_group', 24)) v (cut, hours)
			where v.cut = c.cut) s
	where r.tenant_id = $1 and r.submission_id = any($2)
)
delete from report_evaluation_items d where d.tenant_id = $1 and d.ctid = any(array(
	select c.ctid from keys k (org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since, question_version_id), lateral (
		select ctid from report_evaluation_items d
		where d.tenant_id = $1
			and (d.org_unit_id, d.evaluation_version_id, d.cut, d.hours, d.run_label, d.group_id, d.since, d.question_version_id)
				= (k.org_unit_id, k.evaluation_version_id, k.cut, k.hours, k.run_label, k.group_id, k.since, k.question_version_id)
			and d.attempts_n = 0 offset 0) c))
