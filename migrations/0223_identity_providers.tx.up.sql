-- Sign in with the institution: who a person is elsewhere, whom the tenant believes, and sign-ins that are under way.
insert into capabilities (name) values ('integrations.read'), ('integrations.manage') on conflict do nothing;
create policy begin on roles for all to current_user using (true) with check (true);
create policy begin on role_capabilities for all to current_user using (true) with check (true);
select set_config('assess.announced', 'true', true);
insert into role_capabilities (tenant_id, role_id, capability)
select r.tenant_id, r.id, c.name from roles r, (values ('integrations.read'), ('integrations.manage')) c (name)
where r.system_key = 'tenant_admin' on conflict do nothing;
drop policy begin on role_capabilities;
drop policy begin on roles;

-- A provider of identities (OpenID Connect). The secret is sealed. People who come by it first get the roles
-- and join the org unit joined_id.
create table identity_providers (
    tenant_id     uuid not null references tenants (id),
    id            uuid not null,
    slug          text not null,
    name          text not null,
    status        text not null default 'active' check (status in ('active', 'disabled')),
    issuer        text not null,
    client_id     text not null,
    sealed_secret bytea,
    scopes        text[] not null,
    claims        jsonb not null,
    email_trust   text not null check (email_trust in ('verified', 'never')),
    domains       text[] not null,
    provisioning  text not null check (provisioning in ('off', 'invited', 'jit')),
    joined_id     uuid not null,
    role_ids      uuid[] not null,
    groups        jsonb not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, joined_id) references org_units (tenant_id, id),
    constraint identity_providers_slug unique (tenant_id, slug)
);
create index identity_providers_joined on identity_providers (tenant_id, joined_id);
call protect('identity_providers', 'tenant', 'select, insert, update');

-- Who a person is elsewhere: source_id is the provider, subject what the person is called there. Never an address, which
-- changes hands.
create table user_accounts (
    tenant_id    uuid not null,
    id           uuid not null,
    user_id      uuid not null,
    source       text not null check (source in ('oidc', 'lti', 'oneroster', 'scim')),
    source_id    uuid not null,
    subject      text not null,
    linked_by    text not null,
    linked_at    timestamptz not null,
    last_seen_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint user_accounts_subject unique (tenant_id, source, source_id, subject)
);
create index user_accounts_user on user_accounts (tenant_id, user_id);
alter table user_accounts alter column subject set statistics 0;
call protect('user_accounts', 'tenant', 'select, insert, update, delete');

-- A sign-in that is at the provider: it comes back once, within ten minutes, in the browser that began it.
create table sign_in_flows (
    tenant_id      uuid not null,
    id             uuid not null,
    provider_id    uuid not null,
    state_hash     bytea not null,
    browser_hash   bytea not null,
    sealed         bytea not null,
    redirect_uri   text not null,
    code_challenge text not null,
    state          text,
    created_at     timestamptz not null,
    expires_at     timestamptz not null,
    used_at        timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
    constraint sign_in_flows_state unique (tenant_id, state_hash)
);
create index sign_in_flows_expiry on sign_in_flows (tenant_id, expires_at);
create index sign_in_flows_provider on sign_in_flows (tenant_id, provider_id);
call protect('sign_in_flows', 'tenant', 'select, insert, update, delete');

-- The code that a provider's sign-in ends in is kept as that of a link. It is no step-up: nobody looked into a mail.
alter table magic_links add column provider_id uuid;

-- A membership that a claim of a provider made, and that ends with the claim.
alter table group_members add column provider_id uuid;
