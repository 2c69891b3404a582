-- Finds those of the session starts $2 that the table shows otherwise than they would be written now.
select session_id from (
	select * from {{starts}} r
	except all ({{session_start_rows}})) r
