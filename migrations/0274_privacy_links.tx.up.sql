-- Links by which people who cannot sign in see what became of their requests, and make them. The button of a link opens one browser,
-- for a while; nothing else is done by it. A link that was asked for with an address that nobody has is nobody's, and is never mailed.
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

-- A person has one open request of a kind that they made themselves, signed in or by a link.
drop index compliance_requests_own;
create unique index compliance_requests_own on compliance_requests (tenant_id, subject_id, kind) where channel in ('account', 'link') and ended_at is null;
