-- Link principals: whoever holds a link reads one submission through the glass box, without an account
-- (specification, sections 4.10 and 5.8; decisions, section 11).

-- The token is signed and stored nowhere; a call with it still asks this row, so that withdrawing a link
-- ends it at once. The code leads a browser to the page, once: the first browser that brings it keeps it,
-- which browser_hash tells by the secret in its cookie.
create table link_principals (
    tenant_id                  uuid not null,
    id                         uuid not null,
    org_unit_id                uuid not null,
    submission_id              uuid not null,
    can_view_readiness_reasons boolean not null,
    include_evidence           text not null check (include_evidence in ('none', 'hashes', 'files')),
    created_by                 text not null,
    created_at                 timestamptz not null,
    expires_at                 timestamptz not null,
    revoked_by                 text,
    revoked_at                 timestamptz,
    uses                       bigint not null default 0,
    last_used_at               timestamptz,
    code_hash                  bytea not null,
    browser_hash               bytea,
    opened_at                  timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    check ((revoked_at is null) = (revoked_by is null)),
    check ((opened_at is null) = (browser_hash is null)),
    constraint link_principals_code unique (tenant_id, code_hash)
);
create index link_principals_submission on link_principals (tenant_id, submission_id, id desc);
create index link_principals_by_author on link_principals (tenant_id, created_by);
create index link_principals_browser on link_principals (tenant_id, browser_hash) where browser_hash is not null;
call protect('link_principals', 'org', 'select, insert, update, delete');
