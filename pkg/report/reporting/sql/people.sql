{{/* Different people by key. Sum counts each person of whole days on the first day of theirs in them.
     Of those at an edge, only who is in one of period and sum alone is added or taken off, unless
     another of the days counts them: an index alone says that. */}}
select key::text, coalesce(sum(users), 0)::bigint, coalesce(sum(invited), 0)::bigint, coalesce(sum(completed), 0)::bigint
from (
	{{- with .Sum}}
	select {{.Key "d"}}, sum(d.n) filter (where d.kind = 'user'), sum(d.n) filter (where d.kind = 'invited'), sum(d.n) filter (where d.kind = 'completed')
	from report_evaluation_people d
	where {{.OfPeople}}
		and d.before {{with .From}}< {{$.Arg .}}{{else}}= '-infinity'{{end}}{{.In "d.day"}}
	group by 1{{end}}
	{{- if and .Sum .Stretches}}
	union all{{end}}
	{{- if .Stretches}}
	select key{{range peopleKinds}},
		sum(inside_{{.Name}}::int - summed_{{.Name}}::int) filter (where inside_{{.Name}} <> summed_{{.Name}}
		{{- $there := .There}}{{with $.Between}} and (select true from report_evaluation_takers d
			where {{.OfTakers}} and d.user_id = p.user_id{{.Same "d" "p.key"}}{{$there}} limit 1) is null{{end}}){{end}}
	from (
		select key, user_id, bool_or(inside) as inside_user, bool_or(summed) as summed_user,
			bool_or(inside and invited) as inside_invited, bool_or(summed and invited) as summed_invited,
			bool_or(inside and completed) as inside_completed, bool_or(summed and completed) as summed_completed
		from (
			{{- range $i, $stretch := .Stretches}}{{if $i}}
			union all{{end}}{{if .Counted}}
			select {{.Key "d"}}, d.user_id, d.invited_n > 0, d.invited_completed_n > 0, true, false
			from report_evaluation_takers d where {{.OfTakers}}
			{{- else if .Sign}}
			select {{.Key "r"}}, r.user_id, r.is_invited, r.is_invited and r.is_completed, not (true{{.In "r.attempt_at"}}), true
			from {{.OfDay.Rows "report_session_starts" "attempt_at"}}
			{{- else}}
			select {{.Key "r"}}, r.user_id, r.is_invited, r.is_invited and r.is_completed, true, false
			from {{.Rows "report_session_starts" "attempt_at"}}
			{{- end}}{{end}}
		) r (key, user_id, invited, completed, inside, summed) group by 1, 2 offset 0
	) p
	group by 1{{end}}
) c (key, users, invited, completed) group by 1
