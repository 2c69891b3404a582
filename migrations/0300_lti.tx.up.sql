-- LTI 1.3: learning platforms that launch exams, where their courses and links lead, and the keys we sign with.

-- A platform that the tenant believes. Who sends grades to it has it by claimed_by until claimed_until; after calls that
-- failed it rests until next_at.
create table lti_platforms (
    tenant_id     uuid not null references tenants (id),
    id            uuid not null,
    name          text not null,
    status        text not null default 'active' check (status in ('active', 'disabled')),
    issuer        text not null,
    client_id     text not null,
    auth_url      text not null,
    token_url     text not null,
    keys_url      text not null,
    audience      text not null,
    identity      text not null check (identity in ('create', 'link')),
    roles         jsonb not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    claimed_by    uuid,
    claimed_until timestamptz,
    failures      integer not null default 0,
    next_at       timestamptz,
    primary key (tenant_id, id),
    constraint lti_platforms_client unique (tenant_id, issuer, client_id)
);
call protect('lti_platforms', 'tenant', 'select, insert, update');

-- A place in the platform where the service was put. It is written down by its first launch and launches nothing until an
-- administrator says to which org unit it leads.
create table lti_deployments (
    tenant_id     uuid not null,
    id            uuid not null,
    platform_id   uuid not null,
    deployment_id text not null,
    status        text not null default 'pending' check (status in ('pending', 'allowed', 'blocked')),
    joined_id     uuid,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, joined_id) references org_units (tenant_id, id),
    constraint lti_deployments_named unique (tenant_id, platform_id, deployment_id),
    check (status <> 'allowed' or joined_id is not null)
);
create index lti_deployments_joined on lti_deployments (tenant_id, joined_id);
call protect('lti_deployments', 'tenant', 'select, insert, update');

-- A course of the platform, and the group that has its members. The group may be gone: the next launch makes another.
create table lti_contexts (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    deployment_id uuid not null,
    context_id    text not null,
    title         text not null,
    group_id      uuid not null,
    created_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    constraint lti_contexts_named unique (tenant_id, deployment_id, context_id)
);
create index lti_contexts_listed on lti_contexts (tenant_id, org_unit_id, created_at desc, id);
create index lti_contexts_of_group on lti_contexts (tenant_id, group_id);
call protect('lti_contexts', 'org', 'select, insert, update');

-- A resource link: what one activity of a course hands out, and how its grade goes back.
create table lti_links (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    platform_id   uuid not null,
    deployment_id uuid not null,
    context_id    uuid not null,
    link_id       text not null,
    title         text not null,
    assignment_id uuid not null,
    line_item     text,
    counts        text not null default 'best' check (counts in ('best', 'latest', 'first', 'mean')),
    sent_when     text not null default 'scored' check (sent_when in ('submitted', 'scored', 'approved')),
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    foreign key (tenant_id, context_id) references lti_contexts (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    constraint lti_links_named unique (tenant_id, deployment_id, link_id)
);
create index lti_links_listed on lti_links (tenant_id, org_unit_id, created_at desc, id);
create index lti_links_of_platform on lti_links (tenant_id, platform_id);
create index lti_links_of_context on lti_links (tenant_id, context_id);
create index lti_links_of_assignment on lti_links (tenant_id, assignment_id);
call protect('lti_links', 'org', 'select, insert, update');

-- A launch that is at the platform: it comes back once, within ten minutes, in the browser that began it.
create table lti_flows (
    tenant_id    uuid not null,
    id           uuid not null,
    platform_id  uuid not null,
    state_hash   bytea not null,
    browser_hash bytea not null,
    nonce_hash   bytea not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    used_at      timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    constraint lti_flows_state unique (tenant_id, state_hash)
);
create index lti_flows_expiry on lti_flows (tenant_id, expires_at);
create index lti_flows_of_platform on lti_flows (tenant_id, platform_id);
call protect('lti_flows', 'tenant', 'select, insert, update, delete');

-- A link by which a platform may register itself, once.
create table lti_registrations (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    ticket_hash bytea not null,
    created_by  text not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    used_at     timestamptz,
    primary key (tenant_id, id),
    constraint lti_registrations_ticket unique (tenant_id, ticket_hash)
);
create index lti_registrations_expiry on lti_registrations (tenant_id, expires_at);
call protect('lti_registrations', 'tenant', 'select, insert, update, delete');

-- The keys of the tenant as a tool. The newest whose signs_from is over signs; platforms read the public halves.
create table lti_keys (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    sealed_key bytea not null,
    public_key jsonb not null,
    created_at timestamptz not null,
    signs_from timestamptz not null,
    primary key (tenant_id, id)
);
create index lti_keys_newest on lti_keys (tenant_id, signs_from desc);
call protect('lti_keys', 'tenant', 'select, insert, delete');

-- An account of a person whom the platform has for trying things out: their grades are sent nowhere.
alter table user_accounts add column test boolean not null default false;
