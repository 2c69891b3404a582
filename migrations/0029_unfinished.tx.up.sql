-- A job of forgetting that failed keeps what it is to search for, sealed: the record of the person may be erased by
-- then, so the next job about them has it from there. It goes with the end of that one.
do $$
declare
    rule text;
begin
    select conname into strict rule from pg_constraint
    where conrelid = 'compliance_jobs'::regclass and contype = 'c' and pg_get_constraintdef(oid) ~ 'sealed';
    execute format('alter table compliance_jobs drop constraint %I', rule);
end
$$;
alter table compliance_jobs add check (sealed is null or status in ('queued', 'running', 'failed'));
-- Which are few, and are looked for by the person.
create index compliance_jobs_sealed on compliance_jobs (tenant_id, subject_id) where sealed is not null;
