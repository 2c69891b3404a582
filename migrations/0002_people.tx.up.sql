-- Tenants, org units, users and their roles (specification, section 2.5).

create table tenants (
    id         uuid primary key,
    slug       text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null
);
alter table tenants enable row level security, force row level security;
create policy scope on tenants to assess_app
    using (id = (select nullif(current_setting('app.tenant_id', true), '')::uuid))
    with check (id = (select nullif(current_setting('app.tenant_id', true), '')::uuid));
grant select, insert, update on tenants to assess_app;

create table org_units (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    slug       text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    constraint org_units_slug unique (tenant_id, slug)
);
call protect('org_units', 'tenant', 'select, insert, update');

-- The user record is the only place for names, e-mail addresses and metadata.
-- email_key is the address in canonical, case-folded form. An invited user was named by
-- address in an assignment and has neither org unit nor role before redeeming it.
create table users (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    email      text not null,
    email_key  text not null,
    name       text not null default '',
    metadata   jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    status     text not null default 'active' check (status in ('invited', 'active', 'deactivated')),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    constraint users_email unique (tenant_id, email_key)
);
create index users_created on users (tenant_id, created_at, id);
call protect('users', 'tenant', 'select, insert, update, delete');

create table user_org_units (
    tenant_id   uuid not null,
    user_id     uuid not null,
    org_unit_id uuid not null,
    primary key (tenant_id, user_id, org_unit_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index user_org_units_by_org on user_org_units (tenant_id, org_unit_id, user_id);
call protect('user_org_units', 'tenant', 'select, insert, delete');

create table capabilities (
    name text primary key
);
grant select on capabilities to assess_app;
insert into capabilities (name) values
    ('reporting.view'), ('reporting.view_named'), ('taxonomy.read'), ('taxonomy.manage'),
    ('questions.read'), ('questions.write'), ('evaluations.read'), ('evaluations.write'),
    ('media.manage'), ('locales.manage'), ('users.read'), ('users.manage'), ('users.import'),
    ('groups.manage'), ('groups.view'), ('groups.join'), ('assignments.create'),
    ('assignments.monitor'), ('assignments.manage'), ('assignments.override'),
    ('sessions.proctor'), ('sessions.take'), ('submissions.read'), ('submissions.review'),
    ('submissions.void'), ('remediations.manage'), ('evidence.read'), ('evidence.manage'),
    ('exceptions.read'), ('exceptions.triage'), ('compliance.read'), ('compliance.manage'),
    ('roles.manage'), ('subjects.manage'), ('policies.manage'), ('packs.manage'),
    ('billing.manage'), ('scope.all'), ('skills.read'), ('skills.manage'),
    ('skills.mapping.manage'), ('skills.taxonomy.manage');

-- system_key names the system role that the row is; null for a tenant's own roles.
create table roles (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    system_key  text,
    name        text not null,
    description text not null default '',
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    constraint roles_system_key unique (tenant_id, system_key)
);
create unique index roles_name on roles (tenant_id, lower(name));
call protect('roles', 'tenant', 'select, insert, update, delete');

create table role_capabilities (
    tenant_id  uuid not null,
    role_id    uuid not null,
    capability text not null references capabilities (name),
    primary key (tenant_id, role_id, capability),
    foreign key (tenant_id, role_id) references roles (tenant_id, id) on delete cascade
);
call protect('role_capabilities', 'tenant', 'select, insert, delete');

create table user_roles (
    tenant_id  uuid not null,
    user_id    uuid not null,
    role_id    uuid not null,
    granted_at timestamptz not null,
    primary key (tenant_id, user_id, role_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint user_roles_role foreign key (tenant_id, role_id) references roles (tenant_id, id)
);
create index user_roles_by_role on user_roles (tenant_id, role_id, user_id);
call protect('user_roles', 'tenant', 'select, insert, delete');

-- A group lives in one org unit. membership_rule is the rule of a dynamic group, under
-- rule_version; join_token is the SHA-256 of the token, which is shown once.
create table groups (
    tenant_id       uuid not null,
    id              uuid not null,
    org_unit_id     uuid not null,
    name            text not null,
    description     text not null default '',
    is_dynamic      boolean not null default false,
    membership_rule jsonb,
    rule_version    integer not null default 0,
    join_token      bytea,
    allowed_domains text[] not null default '{}',
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint groups_join_token unique (tenant_id, join_token),
    check (is_dynamic = (membership_rule is not null))
);
create unique index groups_name on groups (tenant_id, org_unit_id, lower(name));
create index groups_updated on groups (tenant_id, org_unit_id, updated_at desc, id);
call protect('groups', 'org', 'select, insert, update, delete');

-- Members are stored for dynamic groups too.
create table group_members (
    tenant_id   uuid not null,
    group_id    uuid not null,
    user_id     uuid not null,
    org_unit_id uuid not null,
    added_at    timestamptz not null,
    primary key (tenant_id, group_id, user_id),
    foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade,
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index group_members_by_user on group_members (tenant_id, user_id, group_id);
call protect('group_members', 'org', 'select, insert, delete');

-- Every process caches who may do what. A change announces its tenant when it commits;
-- equal announcements of one transaction are sent once.
create function announce_access() returns trigger language plpgsql as $$
begin
    perform pg_notify('assess_access', coalesce(new.tenant_id, old.tenant_id)::text);
    return null;
end $$;
create trigger announce after update or delete on roles for each row execute function announce_access();
create trigger announce after insert or delete on role_capabilities for each row execute function announce_access();
create trigger announce after insert or delete on user_roles for each row execute function announce_access();
create trigger announce after insert or delete on user_org_units for each row execute function announce_access();
create trigger announce after update of status or delete on users for each row execute function announce_access();
