-- Proof: the event ledger and the Merkle log over it, readiness, links to single results, jobs about people's data and
-- the register of their requests, and webhooks (specification, sections 2.9, 2.11, 4.9, 4.10 and 6; decisions, sections
-- 6, 10 and 11; RFC 6962).

-- How far the ledger of a tenant is. Writers of events lock the row, so that the sequence has no gap.
create table ledger_heads (
    tenant_id uuid primary key references tenants (id),
    last_seq  bigint not null
);
call protect('ledger_heads', 'tenant', 'select, insert, update');

-- An event: something that happened in a tenant.
create table ledger_events (
    tenant_id    uuid not null references tenants (id),
    seq          bigint not null check (seq > 0),
    id           uuid not null,
    org_unit_id  uuid,
    event_type   text not null,
    actor        text not null,
    subject_type text not null,
    subject_id   uuid not null,
    request_id   text not null default '',
    payload      jsonb not null default '{}',
    occurred_at  timestamptz not null,
    primary key (tenant_id, seq),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index ledger_events_subject on ledger_events (tenant_id, subject_id, seq);
-- Rows of the compliance ledger have the id of their event.
create index ledger_events_id on ledger_events (tenant_id, id);
call protect('ledger_events', 'tenant', 'select, insert');
call append_only('ledger_events');

-- A key that signs for a tenant. Seeds are sealed with auth.key_secret. A key that signed anything stays, for checks.
-- Keys are a chain: each names the key before it (signed_by), which has signed it. A tenant has one first key, so that
-- nobody makes a second chain.
create table trust_keys (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    public_key  bytea not null check (length(public_key) = 32),
    sealed_seed bytea not null,
    created_at  timestamptz not null,
    retired_at  timestamptz,
    signed_by   uuid,
    signature   bytea,
    primary key (tenant_id, id),
    foreign key (tenant_id, signed_by) references trust_keys (tenant_id, id)
);
create unique index trust_keys_in_use on trust_keys (tenant_id) where retired_at is null;
create unique index trust_keys_first on trust_keys (tenant_id) where signed_by is null;
create index trust_keys_signed_by on trust_keys (tenant_id, signed_by);
call protect('trust_keys', 'tenant', 'select, insert, update (retired_at)');

-- The log of a tenant. size is the number of events in the tree, signed the size of the newest checkpoint, published
-- the size of the newest one that has its copy outside the database, which stays behind while no place for copies is
-- named, and batches the number of batches of submissions. Appending to the log locks the row.
create table ledger_logs (
    tenant_id uuid primary key references tenants (id),
    origin    text not null,
    size      bigint not null default 0,
    signed    bigint not null default 0,
    published bigint not null default 0,
    batches   bigint not null default 0
);
call protect('ledger_logs', 'tenant', 'select, insert, update');

-- A tile of the tree: up to 256 hashes of one level, 32 bytes each. Level 0 holds the leaves; a hash of level n + 1 is
-- the root of a full tile of level n. The last tile of a level grows.
create table ledger_tiles (
    tenant_id uuid not null references tenants (id),
    level     integer not null check (level >= 0),
    place     bigint not null check (place >= 0),
    hashes    bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
    primary key (tenant_id, level, place)
);
alter table ledger_tiles alter column hashes set storage external; -- hashes do not compress
call protect('ledger_tiles', 'tenant', 'select, insert, update');

-- A signed state of the log: the root of its first events.
create table ledger_checkpoints (
    tenant_id  uuid not null references tenants (id),
    size       bigint not null check (size > 0),
    root       bytea not null check (length(root) = 32),
    key_id     uuid not null,
    note       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, size),
    foreign key (tenant_id, key_id) references trust_keys (tenant_id, id)
);
create index ledger_checkpoints_key on ledger_checkpoints (tenant_id, key_id);
call protect('ledger_checkpoints', 'tenant', 'select, insert');
call append_only('ledger_checkpoints');

-- A submission whose state the log has to take up. Like the projection's outbox it has no unique key that writers could
-- wait for.
create table ledger_states_due (
    tenant_id     uuid not null references tenants (id),
    id            bigint generated always as identity,
    submission_id uuid not null,
    primary key (tenant_id, id)
);
call protect('ledger_states_due', 'tenant', 'select, insert, delete');
-- Citus writes out the next number of an identity column, for which PostgreSQL itself requires no right.
grant usage on sequence ledger_states_due_id_seq to assess_app;

-- A batch of states is one event of the ledger, which names the Merkle root over them. leaves are the leaf hashes in
-- order, 32 bytes each.
create table ledger_batches (
    tenant_id uuid not null references tenants (id),
    number    bigint not null check (number > 0),
    event_id  uuid not null,
    leaves    bytea not null check (length(leaves) between 32 and 32000 and length(leaves) % 32 = 0),
    primary key (tenant_id, number)
);
alter table ledger_batches alter column leaves set storage external;
call protect('ledger_batches', 'tenant', 'select, insert');
call append_only('ledger_batches');

-- What a leaf of a batch says of a submission, without which there is no state_hash: then it was deleted. It names no
-- table of the submission, which may go. cause is the sequence number of the event that caused the state; execution the
-- hash of what was said of the submission when it was handed in: rows of submission_executions have no event of their
-- own.
create table ledger_states (
    tenant_id     uuid not null,
    batch         bigint not null,
    position      integer not null check (position >= 0),
    submission_id uuid not null,
    state_hash    text,
    state_scheme  text not null,
    score_version integer,
    status        text,
    erased        boolean not null,
    cause         bigint check (cause > 0),
    execution     text check (execution ~ '^[0-9a-f]{64}$'),
    primary key (tenant_id, batch, position),
    foreign key (tenant_id, batch) references ledger_batches (tenant_id, number)
);
create index ledger_states_submission on ledger_states (tenant_id, submission_id, batch);
call protect('ledger_states', 'tenant', 'select, insert');
call append_only('ledger_states');

-- What could be said of a submission when it was handed in, for ever. Only submissions for which something was required
-- have a row; of others there is nothing to say. It names no table, so that it outlives the submission.
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

-- Anything that readiness depends on requests a fresh look from the projector when it changes, so that no code can
-- forget to. The triggers take their rows one by one: on a node of a cluster, a statement cannot read the changed rows
-- together with a table.
create function ask_for_readiness() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, submission_id from changed loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'readiness', c.submission_id, now());
    end loop;
    return null;
end $$;

create function ask_for_readiness_of_subject() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, subject_id from changed where applies_to = 'submissions' loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'readiness', c.subject_id, now());
    end loop;
    return null;
end $$;

create function ask_for_readiness_of_level() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, level from changed where applies_to = 'submissions' loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'policy', ('00000000-0000-0000-0000-00000000000' || right(c.level, 1))::uuid, now());
    end loop;
    return null;
end $$;

create trigger readiness_added after insert on submission_decisions referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on evidence referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_changed after update on evidence referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_gone after delete on evidence referencing old table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on findings referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on submission_cases referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_changed after update on submission_cases referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on case_findings referencing new table as changed for each statement execute function ask_for_readiness();
create trigger readiness_added after insert on verification_policies referencing new table as changed for each statement execute function ask_for_readiness_of_level();
create trigger readiness_changed after update on verification_policies referencing new table as changed for each statement execute function ask_for_readiness_of_level();
create trigger readiness_changed after update on verifications referencing new table as changed for each statement execute function ask_for_readiness_of_subject();

-- A link whose holder reads one submission, or one report with its filters (report), without an account: the glass box
-- (specification, sections 4.10 and 5.8; decisions, section 11). It shows what its maker may still read. The token is
-- signed and stored nowhere; a call with it still reads this row, so that withdrawing a link ends it at once. The code
-- leads a browser to the page, once: the first browser that brings it keeps it, which browser_hash tells by the secret
-- in its cookie.
create table link_principals (
    tenant_id                  uuid not null,
    id                         uuid not null,
    org_unit_id                uuid not null,
    submission_id              uuid,
    can_view_readiness_reasons boolean not null,
    include_evidence           text not null check (include_evidence in ('none', 'hashes', 'files')),
    created_by                 text not null,
    created_at                 timestamptz not null,
    expires_at                 timestamptz not null,
    revoked_by                 text,
    revoked_at                 timestamptz,
    uses                       bigint not null default 0,
    last_used_at               timestamptz,
    code_hash                  bytea not null,
    browser_hash               bytea,
    opened_at                  timestamptz,
    report                     jsonb,
    primary key (tenant_id, id),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    check ((revoked_at is null) = (revoked_by is null)),
    check ((opened_at is null) = (browser_hash is null)),
    constraint link_principals_code unique (tenant_id, code_hash),
    check ((submission_id is null) <> (report is null))
);
create index link_principals_submission on link_principals (tenant_id, submission_id, id desc);
create index link_principals_by_author on link_principals (tenant_id, created_by);
create index link_principals_browser on link_principals (tenant_id, browser_hash) where browser_hash is not null;
create index link_principals_reports on link_principals (tenant_id, org_unit_id, id desc) where report is not null;
call protect('link_principals', 'org', 'select, insert, update, delete');

-- A job about a person's data. steps counts the steps that ended. stepped_at says when somebody last worked on the job,
-- so that another process resumes one that stopped. arguments are ids and codes. sealed holds the identifiers that the
-- search for residue looks for, under auth.key_secret; it goes with the end of the job. A job of forgetting that failed
-- keeps it: the record of the person may be erased by then, so the next job about them has it from there. request_id is
-- the request that the job carries out, or null; it is no foreign key, because requests come after jobs here.
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
    request_id     uuid,
    check ((status = 'blocked') = (blocked_reason is not null)),
    check ((status in ('completed', 'failed', 'blocked')) = (completed_at is not null)),
    foreign key (tenant_id, subject_id) references users (tenant_id, id),
    check (sealed is null or status in ('queued', 'running', 'failed'))
);
create index compliance_jobs_by_subject on compliance_jobs (tenant_id, subject_id, created_at desc, id);
create index compliance_jobs_by_type on compliance_jobs (tenant_id, job_type, created_at desc, id);
create index compliance_jobs_by_time on compliance_jobs (tenant_id, created_at desc, id);
-- What is not done is little, and lists by status or by time left read it most.
create index compliance_jobs_open on compliance_jobs (tenant_id, sla_due_at, id) where status in ('queued', 'running');
create index compliance_jobs_standing on compliance_jobs (stepped_at) where status in ('queued', 'running');
alter table compliance_jobs add primary key (tenant_id, id);
-- These are few, and are looked for by the person.
create index compliance_jobs_sealed on compliance_jobs (tenant_id, subject_id) where sealed is not null;
-- Lists find few jobs among many: by their state, or because they are open or ended late.
create index compliance_jobs_by_status on compliance_jobs (tenant_id, status, created_at desc, id);
create index compliance_jobs_late on compliance_jobs (tenant_id, (completed_at is null or completed_at > sla_due_at), created_at desc, id);
create index compliance_jobs_by_request on compliance_jobs (tenant_id, request_id, created_at, id) where request_id is not null;
call protect('compliance_jobs', 'tenant', 'select, insert, update');

-- A step of a job that ended, and what it did: rows by table.
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

-- What became of a job: one row a job, subject and event; a sweep has no subject and one row a domain. The row says
-- what the specification lists and nothing else; job_id makes it unique. Each is an event of the event ledger too.
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

-- A file that the blob store holds for compliance, as evidence_blobs for evidence.
create table compliance_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index compliance_blobs_touched on compliance_blobs (tenant_id, touched_at);
call protect('compliance_blobs', 'tenant', 'select, insert, update, delete');

-- What a job made: an export, a receipt. Receipts name nobody and stay; what has an end is gone after it. held_sha256
-- is the hash while the file is kept, which the sweep of the blob store reads.
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
create index compliance_artifacts_by_age on compliance_artifacts (tenant_id, created_at, job_id) where expires_at is not null and erased_at is null;
call protect('compliance_artifacts', 'tenant', 'select, insert, update (erased_at)');

-- Something that the search for residue found at the end of a forget, for somebody to decide about. row_key is the
-- primary key without the tenant; nothing that was found is here.
create table residue_findings (
    tenant_id   uuid not null,
    job_id      uuid not null,
    number      integer not null check (number > 0),
    id          uuid not null,
    table_name  text not null,
    column_name text not null,
    row_key     text not null,
    kind        text not null,
    form        text not null,
    verdict     text not null check (verdict in ('residue', 'possible')),
    decision    text check (decision in ('erased', 'changed', 'kept')),
    reason_code text,
    decided_by  text,
    decided_at  timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, job_id) references compliance_jobs (tenant_id, id),
    check ((decision is null) = (decided_at is null)),
    check ((decision = 'kept') = (reason_code is not null))
);
create unique index residue_findings_of_job on residue_findings (tenant_id, job_id, number);
create index residue_findings_listed on residue_findings (tenant_id, id);
create index residue_findings_open on residue_findings (tenant_id, id) where decision is null;
call protect('residue_findings', 'tenant', 'select, insert, update (decision, reason_code, decided_by, decided_at)');

-- Something that a sweep could not erase: nobody's name, no message of an error.
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

-- What a tenant says is the legal basis of a purpose of the record of processing; without a row the map's basis counts.
create table processing_bases (
    tenant_id   uuid not null references tenants (id),
    purpose     text not null,
    legal_basis text not null check (legal_basis in ('consent', 'contract', 'legal_obligation', 'vital_interests', 'public_task', 'legitimate_interests')),
    set_by      text not null,
    set_at      timestamptz not null,
    primary key (tenant_id, purpose)
);
call protect('processing_bases', 'tenant', 'select, insert, update');

-- A request of a person about their data (GDPR, articles 12 and 15 to 21): who made it, when the answer is due, what
-- was decided. It holds ids, codes and times; words are sealed notes, which go with the answer.
--
-- clock_from is when the time began: with the receipt, or when the person contested a refusal. While identity_asked_at
-- is set the clock is stopped, and due_at is moved on when it is taken back. ended_at is when the request was answered
-- or withdrawn. An erasure that was granted begins no earlier than not_before. locale is the language of the letters;
-- '' for that of the tenant.
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
    not_before        timestamptz,
    locale            text not null default '',
    check ((state = 'identity_pending') = (identity_asked_at is not null)),
    check ((state in ('answered', 'withdrawn')) = (ended_at is not null)),
    check (subject_id is not null or state in ('received', 'identity_pending', 'withdrawn') or decision = 'refused'),
    foreign key (tenant_id, subject_id) references users (tenant_id, id)
);
create index compliance_requests_by_subject on compliance_requests (tenant_id, subject_id, received_at desc, id);
create index compliance_requests_by_state on compliance_requests (tenant_id, state, received_at desc, id);
create index compliance_requests_by_kind on compliance_requests (tenant_id, kind, received_at desc, id);
create index compliance_requests_by_time on compliance_requests (tenant_id, received_at desc, id);
-- What is open or was answered late is little, and is read most.
create index compliance_requests_due on compliance_requests (tenant_id, due_at, id) where ended_at is null or ended_at > due_at;
create index compliance_requests_open on compliance_requests (due_at) where ended_at is null;
alter table compliance_requests add primary key (tenant_id, id);
create unique index compliance_requests_own on compliance_requests (tenant_id, subject_id, kind) where channel in ('account', 'link') and ended_at is null;
call protect('compliance_requests', 'tenant', 'select, insert, update');

-- A change of a request, with its event of the ledger.
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

-- A note of an officer to the others about a request, sealed under auth.key_secret. A note goes when the request ends.
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

-- What a tenant requires of erasures: that the person who grants one did not record it, and that some days go by before
-- it begins; and whether the service sends letters by itself. A tenant without a row requires neither, and has letters
-- sent.
create table request_rules (
    tenant_id  uuid not null references tenants (id),
    two_people boolean not null,
    wait_days  integer not null check (wait_days between 0 and 28),
    set_by     text not null,
    set_at     timestamptz not null,
    letters    boolean not null default true,
    primary key (tenant_id)
);
call protect('request_rules', 'tenant', 'select, insert, update');

-- A tenant's own template of a letter about requests, instead of the one that is built in. A version never changes; one
-- without words ends the use of earlier templates. word is a reason or a kind of request that a template is for; empty
-- for all.
create table letter_templates (
    tenant_id uuid not null references tenants (id),
    letter    text not null check (letter in ('received', 'identity_needed', 'extended', 'refused', 'ready', 'done')),
    word      text not null check (word ~ '^[a-z_]*$'),
    locale    text not null,
    version   integer not null check (version > 0),
    subject   text not null,
    body      text not null,
    set_by    text not null,
    set_at    timestamptz not null,
    primary key (tenant_id, letter, word, locale, version),
    check ((subject = '') = (body = ''))
);
call protect('letter_templates', 'tenant', 'select, insert');
call append_only('letter_templates');

-- A letter about a request: the hash of the text and the version of its template, never the text. sealed is the address
-- of somebody who is being erased meanwhile, under auth.key_secret; it goes when the letter has gone.
create table request_letters (
    tenant_id        uuid not null,
    request_id       uuid not null,
    id               uuid not null,
    letter           text not null,
    locale           text not null default '',
    template_version integer,
    sha256           text,
    state            text not null check (state in ('held', 'queued', 'sending', 'sent', 'failed')),
    problem          text,
    sealed           bytea,
    created_at       timestamptz not null,
    sent_at          timestamptz,
    primary key (tenant_id, request_id, id),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id),
    check (sealed is null or state in ('held', 'queued', 'sending')),
    check ((state = 'sent') = (sent_at is not null))
);
call protect('request_letters', 'tenant', 'select, insert, update');

-- An organisation that also has data of people: a processor or recipient (GDPR, articles 19 and 30). name and contact
-- are the organisation's.
create table data_recipients (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    name       text not null,
    role       text not null check (role in ('processor', 'recipient')),
    purpose    text not null,
    gets       text not null,
    contact    text not null,
    webhook_id uuid,
    created_by text not null,
    created_at timestamptz not null,
    ended_at   timestamptz
);
create unique index data_recipients_named on data_recipients (tenant_id, name) where ended_at is null;
create index data_recipients_listed on data_recipients (tenant_id, created_at, id);
alter table data_recipients add primary key (tenant_id, id);
call protect('data_recipients', 'tenant', 'select, insert, update');

-- A recipient is to be told of a request that was carried out, and to do the same.
create table recipient_tasks (
    tenant_id    uuid not null,
    id           uuid not null,
    request_id   uuid not null,
    recipient_id uuid not null,
    way          text not null check (way in ('webhook', 'mail', 'by_hand')),
    state        text not null check (state in ('open', 'acknowledged', 'given_up')),
    reason_code  text,
    reminders    integer not null default 0,
    told_at      timestamptz,
    remind_at    timestamptz,
    closed_by    text,
    closed_at    timestamptz,
    created_at   timestamptz not null,
    unique (tenant_id, request_id, recipient_id),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id),
    foreign key (tenant_id, recipient_id) references data_recipients (tenant_id, id),
    check ((state = 'open') = (closed_at is null)),
    check (remind_at is null or state = 'open')
);
create index recipient_tasks_listed on recipient_tasks (tenant_id, created_at desc, id desc);
create index recipient_tasks_of on recipient_tasks (tenant_id, recipient_id, created_at desc, id desc);
create index recipient_tasks_silent on recipient_tasks (tenant_id, remind_at, id) where remind_at is not null;
alter table recipient_tasks add primary key (tenant_id, id);
call protect('recipient_tasks', 'tenant', 'select, insert, update');

-- A link by which somebody who cannot sign in sees what became of their requests, and makes them. The button of a link
-- opens one browser, for a while; nothing else is done by it. A link that was requested with an address that nobody has
-- is nobody's, and is never mailed.
create table privacy_links (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    user_id    uuid,
    token_hash bytea,
    open_hash  bytea,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    opened_at  timestamptz,
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create unique index privacy_links_token on privacy_links (tenant_id, token_hash) where token_hash is not null;
create unique index privacy_links_open on privacy_links (tenant_id, open_hash) where open_hash is not null;
create index privacy_links_by_user on privacy_links (tenant_id, user_id);
create index privacy_links_over on privacy_links (tenant_id, expires_at);
alter table privacy_links add primary key (tenant_id, id);
call protect('privacy_links', 'tenant', 'select, insert, update, delete');

-- An address that is told of events. Secrets are sealed with auth.key_secret. The previous one holds until
-- before_until. The process that sends to an endpoint has it by claimed_by until claimed_until. replay_next to
-- replay_last are events that are still to be sent again.
create table webhook_endpoints (
    tenant_id       uuid not null,
    id              uuid not null,
    org_unit_id     uuid,
    url             text not null,
    description     text not null default '',
    events          text[] not null,
    with_scores     boolean not null default false,
    sealed_secret   bytea not null,
    sealed_before   bytea,
    before_until    timestamptz,
    state           text not null default 'active' check (state in ('active', 'paused', 'disabled')),
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    since_seq       bigint not null,
    replay_next     bigint,
    replay_last     bigint,
    failing_since   timestamptz,
    claimed_by      uuid,
    claimed_until   timestamptz,
    created_by      text not null,
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index webhook_endpoints_org_unit on webhook_endpoints (tenant_id, org_unit_id);
call protect('webhook_endpoints', 'tenant', 'select, insert, update, delete');

-- An event for an endpoint. body is what is sent, byte for byte.
create table webhook_deliveries (
    tenant_id   uuid not null,
    id          uuid not null,
    endpoint_id uuid not null,
    event_id    uuid not null,
    event_type  text not null,
    seq         bigint not null,
    subject     text not null,
    user_id     uuid,
    body        text not null,
    occurred_at timestamptz not null,
    state       text not null default 'due' check (state in ('due', 'sent', 'failed')),
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    status      integer,
    answer      text,
    created_at  timestamptz not null,
    ended_at    timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, endpoint_id, event_id),
    foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_at) where state = 'due';
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, endpoint_id, created_at desc, id desc);
create index webhook_deliveries_user on webhook_deliveries (tenant_id, user_id) where user_id is not null;
create index webhook_deliveries_old on webhook_deliveries (tenant_id, created_at);
-- A list of deliveries that failed reads these, and not all that arrived.
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, endpoint_id, created_at desc, id desc) where state = 'failed';
call unsampled('webhook_deliveries', 'answer');
call protect('webhook_deliveries', 'tenant', 'select, insert, update, delete');

-- How far the ledger of a tenant has been read for webhooks.
create table webhook_cursors (
    tenant_id uuid primary key references tenants (id),
    seq       bigint not null
);
call protect('webhook_cursors', 'tenant', 'select, insert, update');
