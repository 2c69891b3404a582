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
call protect('assignments', 'org', 'select, insert, update');
