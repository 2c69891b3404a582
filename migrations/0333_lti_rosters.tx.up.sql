-- LTI 1.3: Names and Role Provisioning. The group of a course follows the members that the platform tells.

-- members_url is where the platform tells them; null where it does not. They are read when sync_at is over, by the process that has the course until
-- claimed_until; problem says why that failed since synced_at, failures how often.
alter table lti_contexts add column members_url text, add column synced_at timestamptz, add column sync_at timestamptz, add column failures integer not null default 0,
    add column problem text, add column claimed_until timestamptz;
create index lti_contexts_due on lti_contexts (sync_at) where sync_at is not null;

create policy lookup on lti_contexts for select to current_user using (true);

-- Courses whose members are to be read now, and that nobody reads.
create function lti_to_sync(at timestamptz, most integer, out tenant uuid, out course uuid) returns setof record
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.lti_contexts where sync_at <= at and (claimed_until is null or claimed_until <= at) order by sync_at limit most;
end $$;

revoke execute on function lti_to_sync from public;
grant execute on function lti_to_sync to assess_app;
