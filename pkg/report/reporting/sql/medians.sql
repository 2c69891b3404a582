{{/* The median duration by key. It adds up how many durations are in which band, up to the one that
     holds the middle, and reads the durations of each key in that band alone, in their order along an
     index, up to the middle. At all times the band is narrowed to one of its steps before. Where a band
     or step ends is computed before the rows are looked for: behind a policy step_end(...) is no index
     condition. "is true" keeps the indexes of times out. */}}
with running as materialized (
	select key, low, n, sum(n) over (partition by key order by low)::bigint as upto, sum(n) over (partition by key)::bigint as total
	from (select key, low, sum(n)::bigint as n from (
		{{- range $i, $stretch := .Stretches}}{{if $i}}
		union all{{end}}{{if .Counted}}
		select {{.Key "d"}}, d.band_ms, {{.Sign}}d.n
		from report_evaluation_bands d where {{.OfCut}} and d.days = {{.Days}}{{.In "d.day"}}
		{{- else}}
		select {{.Key "r"}}, duration_step(r.duration_ms, {{bandBits}}), {{.Sign}}count(*)
		from {{.Rows "report_submissions" "completed_at"}} where r.duration_ms is not null group by 1, 2
		{{- end}}{{end}}
	) r (key, low, n) group by 1, 2) s
), banded as materialized (
	select r.key, r.low, m.rank - (r.upto - r.n) as place
	from running r, lateral (values ((r.total - 1) / 2), (case when r.total % 2 = 0 then r.total / 2 end)) m (rank)
	where m.rank >= r.upto - r.n and m.rank < r.upto
){{if .AtAllTimes}}, steps as (
	select b.key, b.low as band, d.step_ms as low, sum(d.n)::bigint as n,
		sum(sum(d.n)) over (partition by b.key, b.low order by d.step_ms)::bigint as upto
	from (select distinct key, low, step_end(low, {{bandBits}}) as ends from banded) b, lateral (
		select * from report_evaluation_durations d
		where {{.OfCut}}{{.Same "d" "b.key"}} and d.step_ms >= b.low and d.step_ms < b.ends offset 0) d
	group by 1, 2, 3
), stepped as materialized (
	select t.key, t.low, b.place - (t.upto - t.n) as place
	from banded b join steps t on t.key = b.key and t.band = b.low and b.place >= t.upto - t.n and b.place < t.upto
){{end}}
select m.key::text, avg(d.duration_ms)::float8
from (
	select key, low, step_end(low, {{if .AtAllTimes}}{{durationBits}}{{else}}{{bandBits}}{{end}}) as ends, min(place) as first, count(*) as n
	from {{if .AtAllTimes}}stepped{{else}}banded{{end}} group by 1, 2
) m, lateral (
	select r.duration_ms from unnest({{.Versions}}) v (version), lateral (
		select r.duration_ms from report_submissions r
		where {{.OfOneKey.OfRows}} and (true{{.In "r.completed_at"}}) is true{{.Same "r" "m.key"}}
			and r.evaluation_version_id = v.version and r.duration_ms >= m.low and r.duration_ms < m.ends
		order by r.duration_ms limit m.first + m.n) r
	order by r.duration_ms offset m.first limit m.n) d
group by 1
