-- Evidence, findings, claims and disputes about submissions (specification, sections 2.4 and
-- 6; decisions, section 4).

-- What the blob store holds for evidence, as media_blobs for media.
create table evidence_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index evidence_blobs_touched on evidence_blobs (tenant_id, touched_at);
call protect('evidence_blobs', 'tenant', 'select, insert, update, delete');

-- A file about a submission, or about one of its items. No name of the file is kept: such
-- names hold names of people. integrity is what the last check found.
create table evidence (
    tenant_id          uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid,
    item_id            uuid,
    kind               text not null check (kind in ('screen_recording', 'camera_recording', 'audio_recording', 'screenshot',
                       'photo', 'document', 'log', 'other')),
    media_type         text not null,
    size_bytes         bigint not null check (size_bytes > 0),
    sha256             text not null,
    storage_tier       text not null check (storage_tier in ('HOT', 'WARM', 'COLD')),
    integrity          text not null check (integrity in ('unchecked', 'ok', 'changed', 'missing')),
    checked_at         timestamptz,
    added_by           text not null,
    created_at         timestamptz not null,
    void_reason        text,
    voided_by          text,
    voided_at          timestamptz,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id),
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id),
    constraint evidence_blob foreign key (tenant_id, sha256) references evidence_blobs (tenant_id, sha256),
    check ((submission_item_id is null) = (item_id is null)),
    check ((voided_at is null) = (voided_by is null) and (voided_at is null) = (void_reason is null)),
    check ((integrity = 'unchecked') = (checked_at is null))
);
create unique index evidence_by_submission on evidence (tenant_id, submission_id, id);
create index evidence_by_item on evidence (tenant_id, submission_id, submission_item_id) where submission_item_id is not null;
create index evidence_by_content on evidence (tenant_id, sha256);
create index evidence_by_org on evidence (tenant_id, org_unit_id, id);
alter table evidence add primary key (tenant_id, id); -- last, as for sessions
call protect('evidence', 'org', 'select, insert, update');

-- What somebody observed about a submission. A finding never changes; detail is free text,
-- stays here, and goes with the person's answers.
create table findings (
    tenant_id          uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid,
    item_id            uuid,
    code               text not null check (code ~ '^[A-Z][A-Z0-9_]{0,63}$'),
    severity           text not null check (severity in ('info', 'minor', 'major', 'critical')),
    detail             text not null default '',
    detected_by        text not null,
    detected_at        timestamptz not null,
    ledger_event_id    uuid not null,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id),
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id),
    check ((submission_item_id is null) = (item_id is null))
);
create unique index findings_by_submission on findings (tenant_id, submission_id, id);
create index findings_by_item on findings (tenant_id, submission_id, submission_item_id) where submission_item_id is not null;
alter table findings add primary key (tenant_id, id); -- last, as for sessions
call protect('findings', 'org', 'select, insert, update');

-- The submission stands in both references, so that evidence of another one cannot be named.
create table finding_evidence (
    tenant_id     uuid not null,
    finding_id    uuid not null,
    evidence_id   uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    primary key (tenant_id, submission_id, finding_id, evidence_id),
    foreign key (tenant_id, submission_id, finding_id) references findings (tenant_id, submission_id, id),
    foreign key (tenant_id, submission_id, evidence_id) references evidence (tenant_id, submission_id, id)
);
create index finding_evidence_by_evidence on finding_evidence (tenant_id, submission_id, evidence_id);
call protect('finding_evidence', 'org', 'select, insert');

-- Claims and disputes have the same states, and differ in who may raise them. statement and
-- comment are free texts, which stay here.
create table submission_cases (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    kind          text not null check (kind in ('claim', 'dispute')),
    state         text not null check (state in ('open', 'upheld', 'rejected', 'withdrawn')),
    statement     text not null,
    raised_by     text not null,
    raised_at     timestamptz not null,
    decided_by    text,
    decided_at    timestamptz,
    comment       text not null default '',
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id),
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null))
);
create unique index submission_cases_by_submission on submission_cases (tenant_id, submission_id, id);
-- One open dispute a person and submission: pressing twice, or again and again, raises one.
create unique index submission_cases_one_dispute on submission_cases (tenant_id, submission_id, raised_by)
    where kind = 'dispute' and state = 'open';
alter table submission_cases add primary key (tenant_id, id); -- last, as for sessions
call protect('submission_cases', 'org', 'select, insert, update');

create table case_findings (
    tenant_id     uuid not null,
    case_id       uuid not null,
    finding_id    uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    primary key (tenant_id, submission_id, case_id, finding_id),
    foreign key (tenant_id, submission_id, case_id) references submission_cases (tenant_id, submission_id, id),
    foreign key (tenant_id, submission_id, finding_id) references findings (tenant_id, submission_id, id)
);
create index case_findings_by_finding on case_findings (tenant_id, submission_id, finding_id);
call protect('case_findings', 'org', 'select, insert');
