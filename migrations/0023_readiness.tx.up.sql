-- Readiness: whether a result can be defended (specification, section 2.9; decisions, section 11).

-- What a submit had to prove, and which items count for nothing, stand beside the content of a
-- snapshot, as its settings do, so that nobody unpacks megabytes for it.
alter table version_snapshots
    add column verification_policy jsonb generated always as (content -> 'verificationPolicy') stored,
    add column survey_items jsonb generated always as (jsonb_path_query_array(content,
        '$.sections[*].items[*] ? (@.key.contributesToScore == false).itemId')) stored;

-- What was to be said of a submission when it was handed in, for ever. Only submissions of which
-- something was asked have a row; of others there is nothing to say. It names no table, so that it
-- outlives the submission.
create table submission_executions (
    tenant_id     uuid not null,
    submission_id uuid not null,
    org_unit_id   uuid not null,
    logic_version text not null,
    reasons       text[] not null,
    written_at    timestamptz not null,
    primary key (tenant_id, submission_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('submission_executions', 'org', 'select, insert');
call append_only('submission_executions');

-- The exceptions queue (specification, sections 2.10 and 3). The projector writes what is known of a
-- submission, people write state, owner and suppression. Every submission has a row, so that the
-- counts below can be kept by differences; those that were always ready have no first_seen_at, and
-- are in no list. is_active says that the submission is not voided.
create table defensibility_exception_triage (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    submission_id    uuid not null,
    evaluation_id    uuid not null,
    user_id          uuid not null,
    engagement_id    uuid,
    completed_at     timestamptz not null,
    is_active        boolean not null,
    readiness_state  text not null check (readiness_state in ('met', 'pending', 'not_met')),
    reasons          text[] not null,
    state            text not null check (state in ('open', 'acknowledged', 'resolved')),
    owner_user_id    uuid,
    suppressed_until timestamptz,
    first_seen_at    timestamptz,
    last_seen_at     timestamptz,
    updated_at       timestamptz not null,
    check ((readiness_state = 'met') = (cardinality(reasons) = 0)),
    check (readiness_state <> 'met' or state = 'resolved'),
    check (readiness_state = 'met' or first_seen_at is not null)
);
-- What lists filter by is in the index, so that a filter which few pass is answered from it alone.
create index exceptions_queue on defensibility_exception_triage (tenant_id, org_unit_id, first_seen_at, submission_id)
    include (state, readiness_state, owner_user_id, suppressed_until, evaluation_id, reasons) where state <> 'resolved';
create index exceptions_resolved on defensibility_exception_triage (tenant_id, org_unit_id, first_seen_at, submission_id)
    include (readiness_state, owner_user_id, suppressed_until, evaluation_id, reasons) where state = 'resolved' and first_seen_at is not null;
alter table defensibility_exception_triage add primary key (tenant_id, submission_id); -- last, as for sessions
call protect('defensibility_exception_triage', 'org', 'select, insert, update, delete');

-- How many submissions of an engagement or of an evaluation are active, and how many of these are
-- not ready: blocked by what is not met, or waiting for somebody.
create table defensibility_exception_counts (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    kind             text not null check (kind in ('engagement', 'evaluation')),
    target_id        uuid not null,
    active_n         bigint not null,
    blocked_n        bigint not null,
    needs_review_n   bigint not null,
    first_seen_at    timestamptz,
    last_computed_at timestamptz not null,
    primary key (tenant_id, org_unit_id, kind, target_id)
);
call protect('defensibility_exception_counts', 'org', 'select, insert, update, delete');

-- The triage of a rollup: there is a row once somebody has written one.
create table defensibility_rollup_triage (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    kind             text not null check (kind in ('engagement', 'programme_requirement')),
    target_id        uuid not null,
    state            text not null check (state in ('open', 'acknowledged', 'resolved')),
    owner_user_id    uuid,
    suppressed_until timestamptz,
    updated_at       timestamptz not null,
    primary key (tenant_id, org_unit_id, kind, target_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('defensibility_rollup_triage', 'org', 'select, insert, update');

-- 'readiness' asks for the standing of a submission alone, 'policy' for that of all submissions of a
-- verification level, which the last digit of the subject names.
alter table projection_outbox
    drop constraint projection_outbox_kind_check,
    add constraint projection_outbox_kind_check
        check (kind in ('session', 'submission', 'finding', 'assignment', 'key', 'readiness', 'policy'));
alter table report_jobs
    drop constraint report_jobs_kind_check,
    add constraint report_jobs_kind_check
        check (kind in ('submission', 'range', 'remediation', 'telemetry', 'percentiles', 'exceptions'));

-- Whatever a submission's readiness hangs on asks for a fresh look when it changes, whoever changes
-- it: so nothing that is built later can forget to.
create function ask_for_readiness() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct tenant_id, 'readiness', submission_id, now() from changed;
    return null;
end $$;
create function ask_for_readiness_of_subject() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct c.tenant_id, 'readiness', c.subject_id, now() from changed c
    where c.applies_to = 'submissions';
    return null;
end $$;
create function ask_for_readiness_of_level() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct tenant_id, 'policy', ('00000000-0000-0000-0000-00000000000' || right(level, 1))::uuid, now() from changed
    where applies_to = 'submissions';
    return null;
end $$;
create trigger readiness_added after insert on evidence referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_changed after update on evidence referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_gone after delete on evidence referencing old table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on findings referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on submission_cases referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_changed after update on submission_cases referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on case_findings referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on submission_decisions referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_changed after update on verifications referencing new table as changed for each statement execute function ask_for_readiness_of_subject();
create trigger readiness_added after insert on verification_policies referencing new table as changed for each statement execute function ask_for_readiness_of_level();
create trigger readiness_changed after update on verification_policies referencing new table as changed for each statement execute function ask_for_readiness_of_level();

-- What was submitted before there was a queue.
create policy begin on submissions for select to current_user using (true);
create policy begin on projection_outbox for insert to current_user with check (true);
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select tenant_id, 'readiness', id, now() from submissions order by tenant_id, completed_at, id;
drop policy begin on submissions;
drop policy begin on projection_outbox;
