-- Finds those of the session starts $2 that the table shows otherwise than they would be written now.
select session_id from (
	select * from report_session_starts where tenant_id = $1 and session_id = any($2)
	except all ({{session_start_rows}})) r
