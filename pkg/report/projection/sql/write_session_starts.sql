-- Writes the missing rows and locks the others, in the order of their ids and in one pass. It gives those
-- that it wrote. The sessions themselves are not locked: their candidates are saving answers.
insert into report_session_starts as r {{session_start_rows}} order by s.id
on conflict (tenant_id, session_id) do update set state = excluded.state where false
returning session_id
