-- Finds those of the submissions $2 that the tables show otherwise than they would be written now.
with {{item_attempts}}, stored as materialized (
	select f.*, c.correct_selected, c.incorrect_selected, c.total_correct
	from {{item attempts}} f
	left join report_item_attempt_choice c on c.tenant_id = $1 and c.submission_id = f.submission_id and c.submission_item_id = f.submission_item_id
), fresh_rows as materialized ({{submission_rows}}
), stored_rows as materialized (
	select * from {{shown submissions}} r
)
select submission_id from ((table fresh except all table stored) union all (table stored except all table fresh)) d
union
select submission_id from ((table fresh_rows except all table stored_rows) union all (table stored_rows except all table fresh_rows)) d
