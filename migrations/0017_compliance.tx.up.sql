-- Compliance: jobs about a person's data, their ledger, and what erasing needs of earlier tables
-- (specification, sections 2.11 and 4.9; decisions, sections 6 and 10).

-- steps counts the steps that ended. stepped_at says when somebody last worked on the job, so that others take
-- over what stands still. arguments are ids and codes. sealed holds the identifiers that the search for
-- residue looks for, under auth.key_secret; it goes with the end of the job.
create table compliance_jobs (
    tenant_id      uuid not null references tenants (id),
    id             uuid not null,
    job_type       text not null check (job_type in ('forget', 'restrict', 'dsar_export', 'privacy_pack', 'unlink', 'retention_sweep')),
    status         text not null check (status in ('queued', 'running', 'completed', 'failed', 'blocked')),
    subject_id     uuid,
    requested_by   text not null,
    arguments      jsonb not null default '{}',
    steps          integer not null default 0,
    done_n         bigint not null default 0,
    total_n        bigint,
    counts         jsonb not null default '{}',
    result         jsonb not null default '{}',
    partial        boolean not null default false,
    blocked_reason text,
    error_code     text,
    sealed         bytea,
    sla_due_at     timestamptz not null,
    created_at     timestamptz not null,
    started_at     timestamptz,
    stepped_at     timestamptz not null,
    completed_at   timestamptz,
    check ((status = 'blocked') = (blocked_reason is not null)),
    check ((status in ('completed', 'failed', 'blocked')) = (completed_at is not null)),
    check (sealed is null or status in ('queued', 'running')),
    foreign key (tenant_id, subject_id) references users (tenant_id, id)
);
create index compliance_jobs_by_subject on compliance_jobs (tenant_id, subject_id, created_at desc, id);
create index compliance_jobs_by_type on compliance_jobs (tenant_id, job_type, created_at desc, id);
create index compliance_jobs_by_time on compliance_jobs (tenant_id, created_at desc, id);
-- What is not done is little, and lists by status or by time left ask for it most.
create index compliance_jobs_open on compliance_jobs (tenant_id, sla_due_at, id) where status in ('queued', 'running');
create index compliance_jobs_standing on compliance_jobs (stepped_at) where status in ('queued', 'running');
alter table compliance_jobs add primary key (tenant_id, id);
call protect('compliance_jobs', 'tenant', 'select, insert, update');

-- The steps of a job that ended, and what each did: rows by table.
create table compliance_steps (
    tenant_id uuid not null,
    job_id    uuid not null,
    number    integer not null check (number > 0),
    name      text not null,
    counts    jsonb not null,
    ended_at  timestamptz not null,
    primary key (tenant_id, job_id, number),
    foreign key (tenant_id, job_id) references compliance_jobs (tenant_id, id)
);
call protect('compliance_steps', 'tenant', 'select, insert');
call append_only('compliance_steps');

-- One row a job, subject and event; a sweep has no subject and one row a domain. The row says what the
-- specification lists and nothing else; job_id makes it unique. Each is an event of the event ledger too.
create table compliance_ledger (
    tenant_id     uuid not null,
    id            uuid not null,
    event_type    text not null check (event_type ~ '^[a-z_]+\.(requested|completed|failed|blocked)$'),
    subject_id    uuid,
    job_id        uuid not null,
    domain        text,
    policy_id     uuid,
    cutoff        timestamptz,
    counts        jsonb not null default '{}',
    artifact_hash text,
    created_at    timestamptz not null,
    unique nulls not distinct (tenant_id, job_id, event_type, subject_id, domain, policy_id),
    foreign key (tenant_id, job_id) references compliance_jobs (tenant_id, id)
);
create index compliance_ledger_by_subject on compliance_ledger (tenant_id, subject_id, created_at desc, id);
create index compliance_ledger_by_type on compliance_ledger (tenant_id, event_type, created_at desc, id);
create index compliance_ledger_by_time on compliance_ledger (tenant_id, created_at desc, id);
alter table compliance_ledger add primary key (tenant_id, id);
call protect('compliance_ledger', 'tenant', 'select, insert');
call append_only('compliance_ledger');

-- What the blob store holds for compliance, as evidence_blobs for evidence.
create table compliance_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index compliance_blobs_touched on compliance_blobs (tenant_id, touched_at);
call protect('compliance_blobs', 'tenant', 'select, insert, update, delete');

-- What a job made: an export, a receipt. Receipts name nobody and stay; what has an end is gone after it. held_sha256 is
-- the hash while the file is kept, which is what the blob store's sweep asks for.
create table compliance_artifacts (
    tenant_id   uuid not null,
    job_id      uuid not null,
    name        text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
    media_type  text not null,
    size_bytes  bigint not null,
    sha256      text not null,
    created_at  timestamptz not null,
    expires_at  timestamptz,
    erased_at   timestamptz,
    held_sha256 text generated always as (case when erased_at is null then sha256 end) stored,
    primary key (tenant_id, job_id, name),
    foreign key (tenant_id, job_id) references compliance_jobs (tenant_id, id),
    constraint compliance_blob foreign key (tenant_id, held_sha256) references compliance_blobs (tenant_id, sha256)
);
create index compliance_artifacts_by_content on compliance_artifacts (tenant_id, held_sha256);
create index compliance_artifacts_ending on compliance_artifacts (tenant_id, expires_at) where erased_at is null;
call protect('compliance_artifacts', 'tenant', 'select, insert, update (erased_at)');

create policy lookup on compliance_jobs for select to current_user using (true);

-- Jobs that stand still: whoever worked on them is gone, or never came.
create function standing_compliance_jobs(before timestamptz, out tenant uuid, out job uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select tenant_id, id from public.compliance_jobs where status in ('queued', 'running') and stepped_at < before order by stepped_at limit 100
$$;
revoke execute on function standing_compliance_jobs from public;
grant execute on function standing_compliance_jobs to assess_app;

-- An address that is still to be told of a change belongs to somebody.
alter table former_addresses add user_id uuid;
create index former_addresses_by_user on former_addresses (tenant_id, user_id);

-- An answer never changes, except that its text gives way to the mark of what was erased.
grant update (response) on submission_items to assess_app;
create function refuse_rewritten_answer() returns trigger language plpgsql as $$
begin
    if old.response ? 'text' then
        old.response := jsonb_set(old.response, '{text}', '"[erased]"');
    end if;
    if new is distinct from old then
        raise exception 'the answers of a submission never change' using errcode = 'restrict_violation';
    end if;
    return new;
end $$;
create trigger erased_alone before update on submission_items for each row execute function refuse_rewritten_answer();

-- A file that was erased is no longer held, and its hash stays: what was there can still be named.
alter table evidence add erased_at timestamptz;
alter table evidence add held_sha256 text generated always as (case when erased_at is null then sha256 end) stored;
alter table evidence drop constraint evidence_blob,
    add constraint evidence_blob foreign key (tenant_id, held_sha256) references evidence_blobs (tenant_id, sha256);
drop index evidence_by_content;
create index evidence_by_content on evidence (tenant_id, held_sha256);

-- What somebody wrote about others is theirs too: a data export finds it by its author.
create index assignment_overrides_by_author on assignment_overrides (tenant_id, created_by);
create index session_actions_by_author on session_actions (tenant_id, actor);
create index submission_decisions_by_author on submission_decisions (tenant_id, actor);
create index item_marks_by_author on item_marks (tenant_id, actor);
create index remediations_by_author on remediations (tenant_id, created_by);
create index evidence_by_author on evidence (tenant_id, added_by);
create index findings_by_author on findings (tenant_id, detected_by);
create index submission_cases_by_author on submission_cases (tenant_id, raised_by);
