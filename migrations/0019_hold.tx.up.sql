-- Holds, restrictions of processing, and retention (specification, sections 2.1 and 2.11;
-- decisions, sections 6 and 10).

-- What stands against a person, for statements that ask no more: restricted while a processing
-- restriction stands, held while any hold of the whole person does. erasing says that a job takes the
-- person's data away, in more than one transaction: from then on nobody holds them any more.
alter table users
    add column restricted boolean not null default false,
    add column held       boolean not null default false,
    add column erasing    boolean not null default false;

-- A lifted hold stays. A legal hold may name one submission; the row outlives it.
create table holds (
    tenant_id     uuid not null,
    id            uuid not null,
    subject_id    uuid not null,
    submission_id uuid,
    kind          text not null check (kind in ('processing', 'legal')),
    reason_code   text not null,
    placed_by     text not null,
    placed_at     timestamptz not null,
    lifted_by     text,
    lifted_at     timestamptz,
    foreign key (tenant_id, subject_id) references users (tenant_id, id),
    check (submission_id is null or kind = 'legal'),
    check ((lifted_at is null) = (lifted_by is null))
);
create index holds_listed on holds (tenant_id, placed_at desc, id desc);
create index holds_by_subject on holds (tenant_id, subject_id, placed_at desc, id desc);
create unique index holds_standing on holds (tenant_id, subject_id, kind, reason_code, submission_id)
    nulls not distinct where lifted_at is null;
alter table holds add primary key (tenant_id, id); -- last, as for sessions
call protect('holds', 'tenant', 'select, insert, update (lifted_by, lifted_at)');

-- Retention. A submission carries its term (retain_until) and the policy that gave it (retention_basis);
-- erased_at says that its term is over and its texts are gone.
alter table submissions add column erased_at timestamptz;
create index submissions_expiring on submissions (tenant_id, retention_basis, retain_until, id)
    where retain_until is not null and erased_at is null;
-- swept_at says that answers and reasons of an ended session are gone.
alter table sessions add column swept_at timestamptz;
create index sessions_ended on sessions (tenant_id, ended_at, id) where ended_at is not null and swept_at is null;
create index evidence_by_age on evidence (tenant_id, created_at, id) where erased_at is null;
create index submission_telemetry_by_age on submission_telemetry_summary (tenant_id, last_activity_at, submission_id);

-- A submission that is deleted takes along everything that refers to it, whatever is added later: a
-- test finds the reference that keeps it.
do $$
declare
    reference record;
begin
    for reference in
        select conrelid::regclass as tbl, conname, pg_get_constraintdef(oid) as definition from pg_constraint
        where contype = 'f' and confdeltype = 'a' and confrelid = any (array['submissions', 'submission_items', 'evidence',
            'findings', 'submission_cases']::regclass[])
    loop
        execute format('alter table %s drop constraint %I, add constraint %I %s on delete cascade',
            reference.tbl, reference.conname, reference.conname, reference.definition);
    end loop;
end $$;
grant delete on submissions, evidence, verifications to assess_app;

-- Versions of scores go with their submission, which is gone already when a cascade comes here.
create function refuse_delete_alone() returns trigger language plpgsql as $$
begin
    if exists (select from public.submissions where tenant_id = old.tenant_id and id = old.submission_id) then
        raise exception '% goes with its submission alone', tg_table_name using errcode = 'restrict_violation';
    end if;
    return old;
end $$;
drop trigger append_only on score_versions;
drop trigger append_only on item_scores;
create trigger append_only before update on score_versions for each row execute function refuse_change();
create trigger append_only before update on item_scores for each row execute function refuse_change();
create trigger goes_with_submission before delete on score_versions for each row execute function refuse_delete_alone();
create trigger goes_with_submission before delete on item_scores for each row execute function refuse_delete_alone();

-- What a sweep could not erase: nobody's name, no message of an error.
create table retention_incidents (
    tenant_id       uuid not null references tenants (id),
    id              uuid not null,
    event_type      text not null check (event_type in ('retention.blocked', 'retention.failed')),
    domain          text not null,
    policy_id       uuid not null,
    cutoff          timestamptz not null,
    blocked_reason  text not null check (blocked_reason ~ '^[a-z_]{1,64}$'),
    candidate_count bigint not null check (candidate_count >= 0),
    job_id          uuid not null,
    created_at      timestamptz not null,
    foreign key (tenant_id, policy_id) references retention_policies (tenant_id, id)
);
create index retention_incidents_listed on retention_incidents (tenant_id, created_at desc, id desc);
create index retention_incidents_policy on retention_incidents (tenant_id, policy_id);
create unique index retention_incidents_once on retention_incidents (tenant_id, job_id, event_type, domain, policy_id);
alter table retention_incidents add primary key (tenant_id, id); -- last, as for sessions
call protect('retention_incidents', 'tenant', 'select, insert');
call append_only('retention_incidents');
create index compliance_artifacts_by_age on compliance_artifacts (tenant_id, created_at, job_id) where expires_at is not null and erased_at is null;
