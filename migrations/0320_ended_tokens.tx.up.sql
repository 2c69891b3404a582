-- Tokens that somebody ended by signing out, until they would have ended by themselves. They are read with what a person may do, which
-- processes cache, so ending one is announced.
create table ended_tokens (
    tenant_id  uuid not null references tenants (id),
    user_id    uuid not null,
    token_id   uuid not null,
    expires_at timestamptz not null,
    primary key (tenant_id, user_id, token_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index ended_tokens_over on ended_tokens (tenant_id, expires_at);
call protect('ended_tokens', 'tenant', 'select, insert, delete');
