{{/* The measures of attempts by key: those of whole days, and at the edges of the period those of
     the attempts in it, or of the day less those of the attempts outside. */}}
select key::text, array[{{columns integers "sum(%[1]s)"}}]::bigint[], sum(graded_score_pct_sum)::float8, sum(scored_score_pct_sum)::float8,
	count(distinct day) filter (where completed_n > 0), min(day) filter (where completed_n > 0), max(day) filter (where completed_n > 0)
from (
	{{- range $i, $stretch := .Stretches}}{{if $i}}
	union all{{end}}
	{{- if .Sign}}
	select key, day, {{columns integers "sum(%[1]s)::bigint"}}, {{columns sums "sum(%[1]s)"}}
	from ({{template "days" .OfDay}}
		union all {{template "attempts" .}}) e (key, day, {{columns measures "%[1]s"}}) group by 1, 2
	{{- else if .Counted}}{{template "days" .}}{{else}}{{template "attempts" .}}{{end}}{{end}}
) p (key, day, {{columns measures "%[1]s"}}) group by key

{{define "days"}}
	select {{.Key "d"}}, d.day, {{columns measures "d.%[1]s"}}
	from report_evaluation_day d where {{.OfCut}}{{.In "d.day"}}{{end}}

{{define "attempts"}}
	select {{.Key "r"}}, (r.attempt_at at time zone 'UTC')::date, {{columns starts (print .Sign "%[2]s")}}, {{columns completions "0"}}
	from {{.Rows "report_session_starts" "attempt_at"}} group by 1, 2
	union all
	select {{.Key "r"}}, (r.completed_at at time zone 'UTC')::date, {{columns starts "0"}}, {{columns completions (print .Sign "%[2]s")}}
	from {{.Rows "report_submissions" "completed_at"}} group by 1, 2{{end}}
