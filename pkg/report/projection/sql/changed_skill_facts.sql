-- Finds those of the submissions $2 whose facts are not those that are written.
with {{skill_facts}}, stored as materialized (
	select f.* from unnest($2::uuid[]) s (id) cross join lateral (
		select submission_id, submission_item_id, rule_id, value, weight, term_id
		from report_skill_facts where tenant_id = $1 and submission_id = s.id offset 0) f
)
select distinct submission_id from facts f full join stored s using (submission_id, submission_item_id, rule_id)
where (f.value, f.weight, f.term_id) is distinct from (s.value, s.weight, s.term_id) order by 1
