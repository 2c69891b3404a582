-- Signing keys, magic links, step-up proofs, rate limits, idempotency keys
-- (specification, section 5; decisions, section 1).

-- Ed25519 keys that sign tokens. The newest one that is not retired signs; all verify
-- until the last token that they signed has expired. sealed_seed is the private key under a
-- secret that is not in the database: AES-256-GCM, nonce first.
create table signing_keys (
    kid         text primary key,
    sealed_seed bytea not null check (length(sealed_seed) = 60),
    created_at  timestamptz not null,
    retired_at  timestamptz
);
grant select, insert, update (retired_at), delete on signing_keys to assess_app;

-- token_hash is null until the mail goes out: the job that mails the link makes the
-- token, so that the token itself is stored nowhere. It carries the tenant, because a link is
-- redeemed before there is a scope. A row without a user answers a request for an unknown
-- address; it costs the same and leads nowhere.
create table magic_links (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    user_id     uuid,
    org_unit_id uuid,
    token_hash  bytea,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    redeemed_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint magic_links_token unique (tenant_id, token_hash)
);
create index magic_links_expiry on magic_links (tenant_id, expires_at);
create index magic_links_user on magic_links (tenant_id, user_id);
call protect('magic_links', 'tenant', 'select, insert, update, delete');

create table step_up_proofs (
    tenant_id   uuid not null,
    id          uuid not null,
    user_id     uuid not null,
    method      text not null check (method in ('magic_link', 'operator')),
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    consumed_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index step_up_proofs_expiry on step_up_proofs (tenant_id, expires_at);
create index step_up_proofs_user on step_up_proofs (tenant_id, user_id);
call protect('step_up_proofs', 'tenant', 'select, insert, update, delete');

-- One row a limited key, whose name is hashed: it may contain an e-mail address.
-- next_free is the theoretical arrival time of the generic cell rate algorithm.
create table rate_limits (
    key       bytea primary key,
    next_free timestamptz not null
);
create index rate_limits_stale on rate_limits (next_free);
grant select, insert, update, delete on rate_limits to assess_app;

-- The tenant comes from a verified token. A foreign key to it would make every call of a
-- tenant lock the same row, and all calls at once queue up to note that.
create table idempotency_keys (
    tenant_id  uuid not null,
    actor      text not null,
    method     text not null,
    path       text not null,
    key        text not null,
    body_hash  bytea not null,
    status     integer not null,
    location   text not null default '',
    body       bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, actor, method, path, key)
);
-- It does not start with the tenant: while the table has no statistics yet, the planner
-- would find keys by it, and read all those of the tenant each time.
create index idempotency_keys_age on idempotency_keys (created_at);
call protect('idempotency_keys', 'tenant', 'select, insert, delete');
