-- Finds those of the submissions $2 that the tables show otherwise than they would be written now.
with {{item_attempts}}, stored as materialized (
	select f.*, c.correct_selected, c.incorrect_selected, c.total_correct
	from report_item_attempts_flat f
	left join report_item_attempt_choice c using (tenant_id, submission_id, submission_item_id)
	where f.tenant_id = $1 and f.submission_id = any($2)
), fresh_rows as materialized ({{submission_rows}}
), stored_rows as materialized (
	select * from report_submissions where tenant_id = $1 and submission_id = any($2)
)
select submission_id from ((table fresh except all table stored) union all (table stored except all table fresh)) d
union
select submission_id from ((table fresh_rows except all table stored_rows) union all (table stored_rows except all table fresh_rows)) d
