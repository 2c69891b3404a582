{{/* The keys of a page, and how many there are: of attempts, and of assignments. */}}
with keys as materialized (
	select {{.Key "d"}}::text as key from report_evaluation_rollup d where {{.OfCut}}
	union select {{.Key "a"}}::text from report_access_points a where {{.OfAssignments}}
)
select (select count(*) from keys), array(select key from keys order by key = '', key limit {{.Limit}} offset {{.Offset}})
