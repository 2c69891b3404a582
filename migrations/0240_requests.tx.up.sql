-- The register of what people ask about their data (GDPR, articles 12 and 15 to 21): who asked, when the answer is due,
-- what was decided. It holds ids, codes and times; words are sealed notes, which go with the answer.
--
-- clock_from is when the time began: with the receipt, or when the person contested a refusal. While identity_asked_at is
-- set the time stands still, and due_at is moved on when it is taken back. ended_at is when the request was answered or
-- withdrawn.
create table compliance_requests (
    tenant_id         uuid not null references tenants (id),
    id                uuid not null,
    kind              text not null check (kind in ('access', 'erasure', 'restriction', 'objection', 'rectification', 'portability')),
    channel           text not null check (channel in ('letter', 'mail', 'phone', 'in_person', 'other', 'account', 'link')),
    state             text not null check (state in ('received', 'identity_pending', 'verified', 'decided', 'carried_out', 'answered', 'withdrawn')),
    subject_id        uuid,
    received_at       timestamptz not null,
    clock_from        timestamptz not null,
    due_at            timestamptz not null,
    identity_asked_at timestamptz,
    identity          text,
    extended_at       timestamptz,
    extension_reason  text,
    decision          text check (decision in ('granted', 'partly', 'refused')),
    reason_code       text,
    decided_by        text,
    decided_at        timestamptz,
    contested_at      timestamptz,
    refused_by        text,
    carried_out_at    timestamptz,
    ended_at          timestamptz,
    recorded_by       text not null,
    created_at        timestamptz not null,
    changes_n         integer not null default 0,
    check ((state = 'identity_pending') = (identity_asked_at is not null)),
    check ((state in ('answered', 'withdrawn')) = (ended_at is not null)),
    check (subject_id is not null or state in ('received', 'identity_pending', 'withdrawn') or decision = 'refused'),
    foreign key (tenant_id, subject_id) references users (tenant_id, id)
);
create index compliance_requests_by_subject on compliance_requests (tenant_id, subject_id, received_at desc, id);
create index compliance_requests_by_state on compliance_requests (tenant_id, state, received_at desc, id);
create index compliance_requests_by_kind on compliance_requests (tenant_id, kind, received_at desc, id);
create index compliance_requests_by_time on compliance_requests (tenant_id, received_at desc, id);
-- What is open or was answered late is little, and is asked for most.
create index compliance_requests_due on compliance_requests (tenant_id, due_at, id) where ended_at is null or ended_at > due_at;
create index compliance_requests_open on compliance_requests (due_at) where ended_at is null;
alter table compliance_requests add primary key (tenant_id, id);
call protect('compliance_requests', 'tenant', 'select, insert, update');

-- Each change of a request, with its event of the ledger.
create table compliance_request_changes (
    tenant_id  uuid not null,
    request_id uuid not null,
    number     integer not null check (number > 0),
    change     text not null check (change ~ '^[a-z_]+$'),
    state      text not null,
    code       text,
    job_id     uuid,
    actor      text not null,
    event_id   uuid not null,
    at         timestamptz not null,
    primary key (tenant_id, request_id, number),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id)
);
call protect('compliance_request_changes', 'tenant', 'select, insert');
call append_only('compliance_request_changes');

-- What officers have to say to one another about a request, sealed under auth.key_secret. A note goes when the request ends.
create table compliance_request_notes (
    tenant_id  uuid not null,
    request_id uuid not null,
    id         uuid not null,
    author     text not null,
    sealed     bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, request_id, id),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id)
);
call protect('compliance_request_notes', 'tenant', 'select, insert, delete');

-- A job belongs to the request that it carries out, or to none. There is no key: a table refers to those that were made before it.
alter table compliance_jobs add column request_id uuid;
create index compliance_jobs_by_request on compliance_jobs (tenant_id, request_id, created_at, id) where request_id is not null;

create policy lookup on compliance_requests for select to current_user using (true);

-- How many open requests of all tenants are in time, for the metrics.
create function open_requests(present timestamptz, out sla_state text, out n bigint) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select case when due_at < coalesce(identity_asked_at, present) then 'breached' when identity_asked_at is not null then 'paused'
        when due_at - present < (due_at - clock_from) / 5 then 'at_risk' else 'on_track' end, count(*)
    from public.compliance_requests where ended_at is null group by 1
$$;
revoke execute on function open_requests from public;
grant execute on function open_requests to assess_app;
