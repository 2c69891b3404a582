{{/* Items by key and by tag or section. Those of long spans are added up already. What these have too
     little or too much is in short ones, and what those have too little or too much is counted from the
     item attempts. What questions have in common is looked up once each question is counted. */}}
with items as materialized (
	select key, org_unit_id, evaluation_version_id, question_version_id, {{columns items "sum(%[1]s) as %[1]s"}}
	from (
		{{- range $i, $stretch := .Stretches}}{{if $i}}
		union all{{end}}{{if and .Counted (not .Span)}}
		select {{.Key "d"}} as key, d.org_unit_id, d.evaluation_version_id, d.question_version_id, {{columns items (print .Sign "d.%[1]s as %[1]s")}}
		from report_question_day d where {{.OfDays}}{{.In "d.day"}}
		{{- else if .Counted}}
		select {{.Key "d"}} as key, d.org_unit_id, d.evaluation_version_id, d.question_version_id, {{columns items (print .Sign "d.%[1]s as %[1]s")}}
		from report_evaluation_items d where {{.OfCut}} and d.hours = {{.Hours}}{{.In "d.since"}}
		{{- else}}
		select {{.Key "r"}} as key, r.org_unit_id, r.evaluation_version_id, f.question_version_id, {{columns items (print .Sign "%[2]s as %[1]s")}}
		from {{.Rows "report_submissions" "completed_at"}}, lateral (select * from report_item_attempts_flat
			where tenant_id = {{$.Tenant}} and submission_id = r.submission_id offset 0) f group by 1, 2, 3, 4
		{{- end}}{{end}}
	) i group by 1, 2, 3, 4 having sum(attempts_n) > 0
)
select i.key::text, f.tag, null::uuid, 0, {{template "counts"}}
from items i join report_question_tags f on {{template "same question" .}}
group by 1, 2, 3, 4
union all
select i.key::text, '', f.section_id, f.position, {{template "counts"}}
from items i join report_question_sections f on {{template "same question" .}}
group by 1, 2, 3, 4
order by 1, 2, 4, 3

{{define "counts"}}sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint, sum(omitted_n)::bigint,
	sum(score_pct_sum)::float8, sum(time_n)::bigint, sum(time_sum_ms)::float8{{end}}

{{define "same question"}}f.tenant_id = {{.Tenant}} and f.org_unit_id = i.org_unit_id
	and f.evaluation_version_id = i.evaluation_version_id and f.question_version_id = i.question_version_id{{end}}
