-- Deletes the cells that the item attempts of the submissions $2 belong to and that count nothing.
with keys as (
	select distinct {{cell of r}}, k.kind
	from report_item_attempts_flat r, (values ('option'), ('part'), ('pattern'), ('credit'), ('error'), ('violation')) k (kind)
	where r.tenant_id = $1 and r.submission_id = any($2)
)
delete from report_question_choice_day d where d.tenant_id = $1 and d.ctid = any(array(
	select c.ctid from keys k (org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind), lateral (
		select ctid from report_question_choice_day d
		where d.tenant_id = $1 and (d.org_unit_id, d.question_version_id, d.evaluation_version_id, d.run_label, d.day, d.kind)
			= (k.org_unit_id, k.question_version_id, k.evaluation_version_id, k.run_label, k.day, k.kind) and d.n = 0 offset 0) c))
