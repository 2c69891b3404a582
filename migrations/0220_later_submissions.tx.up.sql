-- A remediation of an evaluation version covers the submissions that come after it, while it is applied. open_n is how many
-- sessions of the version were open when somebody last applied or reverted it.
alter table remediations add column also_later boolean not null default true, add column open_n integer not null default 0;
update remediations set also_later = false where evaluation_version_id is null;

-- Submissions that came later wait here to be scored anew.
alter table remediation_submissions add column waiting boolean not null default false;
create index remediation_submissions_waiting on remediation_submissions (tenant_id, remediation_id, submission_id) where waiting;

create policy lookup on remediation_submissions for select to current_user using (true);

-- Remediations that nobody works on any more, in the middle or with submissions that wait.
create or replace function stalled_remediations(before timestamptz, out tenant uuid, out remediation uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    (select tenant_id, id from public.remediations where state in ('applying', 'reverting') and stepped_at < before order by stepped_at limit 100)
    union (select tenant_id, remediation_id from public.remediation_submissions where waiting limit 100)
$$;
