-- Subjects, engagements, programme requirements, assignments (specification, section 2.12;
-- decisions, section 7).

create table subjects (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    external_id text not null,
    name        text not null,
    kind        text not null default '',
    metadata    jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint subjects_external_id unique (tenant_id, org_unit_id, external_id)
);
create index subjects_updated on subjects (tenant_id, org_unit_id, updated_at desc, id);
call protect('subjects', 'org', 'select, insert, update');

create table engagements (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    external_id text,
    name        text not null,
    subject_id  uuid,
    status      text not null check (status in ('open', 'closed')),
    starts_at   timestamptz,
    ends_at     timestamptz,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint engagements_subject foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    constraint engagements_external_id unique (tenant_id, org_unit_id, external_id)
);
create index engagements_updated on engagements (tenant_id, org_unit_id, updated_at desc, id);
create index engagements_by_subject on engagements (tenant_id, subject_id);
call protect('engagements', 'org', 'select, insert, update');

create table programme_requirements (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    external_id   text,
    programme     text not null,
    name          text not null,
    evaluation_id uuid not null,
    status        text not null check (status in ('active', 'retired')),
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint programme_requirements_evaluation foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    constraint programme_requirements_external_id unique (tenant_id, org_unit_id, external_id)
);
create index programme_requirements_updated on programme_requirements (tenant_id, org_unit_id, updated_at desc, id);
create index programme_requirements_by_evaluation on programme_requirements (tenant_id, evaluation_id);
call protect('programme_requirements', 'org', 'select, insert, update');

-- A recurrence rule (RFC 5545) in a time zone, and the template of the assignments that each
-- run makes. next_at is the next run; null when the rule has no further one.
create table assignment_schedules (
    tenant_id         uuid not null,
    id                uuid not null,
    org_unit_id       uuid not null,
    evaluation_id     uuid not null,
    rule              text not null,
    time_zone         text not null,
    starts_at         timestamptz not null,
    target_type       text not null check (target_type in ('user_id', 'email', 'group_id')),
    target_refs       uuid[] not null check (cardinality(target_refs) > 0),
    window_seconds    integer check (window_seconds > 0),
    run_label_pattern text not null,
    subject_id        uuid,
    engagement_id     uuid,
    invite            boolean not null,
    status            text not null check (status in ('active', 'paused', 'ended')),
    next_at           timestamptz,
    created_by        text not null,
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    foreign key (tenant_id, engagement_id) references engagements (tenant_id, id),
    check (status = 'active' or next_at is null)
);
create index assignment_schedules_updated on assignment_schedules (tenant_id, org_unit_id, updated_at desc, id);
create index assignment_schedules_by_evaluation on assignment_schedules (tenant_id, evaluation_id);
create index assignment_schedules_by_subject on assignment_schedules (tenant_id, subject_id);
create index assignment_schedules_by_engagement on assignment_schedules (tenant_id, engagement_id);
create index assignment_schedules_due on assignment_schedules (next_at) where next_at is not null;
call protect('assignment_schedules', 'org', 'select, insert, update, delete');

-- One row a run: the primary key is what makes a run happen once. problem says why a run
-- made nothing.
create table assignment_occurrences (
    tenant_id   uuid not null,
    schedule_id uuid not null,
    occurs_at   timestamptz not null,
    org_unit_id uuid not null,
    batch_id    uuid not null,
    run_label   text not null,
    created     integer not null,
    problem     text,
    ran_at      timestamptz not null,
    primary key (tenant_id, schedule_id, occurs_at),
    foreign key (tenant_id, schedule_id) references assignment_schedules (tenant_id, id) on delete cascade
);
call protect('assignment_occurrences', 'org', 'select, insert');

-- target_ref is the id of a user or of a group, and null for a public link. An e-mail
-- address without an account becomes a user with the status 'invited': so addresses stay in
-- the user record, and target_ref of an 'email' assignment is that user's id.
create table assignments (
    tenant_id      uuid not null,
    id             uuid not null,
    org_unit_id    uuid not null,
    evaluation_id  uuid not null,
    target_type    text not null check (target_type in ('user_id', 'email', 'group_id', 'public_link')),
    target_ref     text,
    token_hash     bytea,
    run_label      text,
    valid_from     timestamptz,
    valid_until    timestamptz,
    batch_id       uuid,
    schedule_id    uuid,
    subject_id     uuid,
    engagement_id  uuid,
    status         text not null check (status in ('active', 'closed')),
    created_by     text not null,
    created_at     timestamptz not null,
    updated_at     timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    constraint assignments_subject foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    constraint assignments_engagement foreign key (tenant_id, engagement_id) references engagements (tenant_id, id),
    constraint assignments_schedule foreign key (tenant_id, schedule_id) references assignment_schedules (tenant_id, id)
        on delete set null (schedule_id),
    constraint assignments_token unique (tenant_id, token_hash),
    check (valid_until is null or valid_from is null or valid_until > valid_from)
);
create unique index assignments_target on assignments
    (tenant_id, org_unit_id, evaluation_id, target_type, target_ref, coalesce(run_label, ''))
    where status = 'active' and target_ref is not null;
create index assignments_by_target on assignments (tenant_id, target_ref);
create index assignments_by_subject on assignments (tenant_id, subject_id);
create index assignments_by_engagement on assignments (tenant_id, engagement_id);
create index assignments_by_evaluation on assignments (tenant_id, evaluation_id, created_at desc, id);
create index assignments_listed on assignments (tenant_id, org_unit_id, created_at desc, id);
create index assignments_by_batch on assignments (tenant_id, batch_id) where batch_id is not null;
create index assignments_by_schedule on assignments (tenant_id, schedule_id);
call protect('assignments', 'org', 'select, insert, update');

-- Who took an assignment up.
create table assignment_redemptions (
    tenant_id     uuid not null,
    assignment_id uuid not null,
    user_id       uuid not null,
    org_unit_id   uuid not null,
    redeemed_at   timestamptz not null,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_redemptions_by_user on assignment_redemptions (tenant_id, user_id, assignment_id);
call protect('assignment_redemptions', 'org', 'select, insert');

-- A redemption locks the membership that it rests on; PostgreSQL asks for a right to update
-- for that.
grant update (added_at) on group_members to assess_app;

-- What one invitee has instead of the terms of the assignment.
create table assignment_overrides (
    tenant_id          uuid not null,
    assignment_id      uuid not null,
    user_id            uuid not null,
    org_unit_id        uuid not null,
    extra_time_seconds integer not null check (extra_time_seconds >= 0),
    extra_attempts     integer not null check (extra_attempts >= 0),
    valid_from         timestamptz,
    valid_until        timestamptz,
    reason             text not null,
    created_by         text not null,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_overrides_by_user on assignment_overrides (tenant_id, user_id);
call protect('assignment_overrides', 'org', 'select, insert, update');

-- The mail to each invitee. sending counts how often it was asked for.
create table assignment_invitations (
    tenant_id     uuid not null,
    assignment_id uuid not null,
    user_id       uuid not null,
    org_unit_id   uuid not null,
    status        text not null check (status in ('queued', 'sending', 'sent', 'failed')),
    sending       integer not null,
    problem       text check (problem in ('refused', 'uncertain', 'interrupted', 'withdrawn')),
    queued_at     timestamptz not null,
    sent_at       timestamptz,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_invitations_by_user on assignment_invitations (tenant_id, user_id);
call protect('assignment_invitations', 'org', 'select, insert, update');

-- A link that invites to an assignment admits its user; one without signs in whoever has an
-- account.
alter table magic_links add column assignment_id uuid,
    add foreign key (tenant_id, assignment_id) references assignments (tenant_id, id);
create index magic_links_by_assignment on magic_links (tenant_id, assignment_id);
