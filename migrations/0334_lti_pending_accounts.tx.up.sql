-- LTI 1.3: somebody whom nobody has linked signs in once, and links their account themselves.

-- An account of a platform that waits for its person, in the browser that was launched, for half an hour. sealed has the platform's names for the person, and
-- is empty once user_id has linked it.
create table lti_pending_accounts (
    tenant_id     uuid not null,
    id            uuid not null,
    deployment_id uuid not null,
    secret_hash   bytea not null,
    sealed        bytea not null,
    created_at    timestamptz not null,
    expires_at    timestamptz not null,
    used_at       timestamptz,
    user_id       uuid,
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint lti_pending_accounts_secret unique (tenant_id, secret_hash)
);
create index lti_pending_accounts_expiry on lti_pending_accounts (tenant_id, expires_at);
create index lti_pending_accounts_of_deployment on lti_pending_accounts (tenant_id, deployment_id);
create index lti_pending_accounts_of_user on lti_pending_accounts (tenant_id, user_id);
call protect('lti_pending_accounts', 'tenant', 'select, insert, update, delete');
