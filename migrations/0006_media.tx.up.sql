-- Managed assets and the languages of a tenant (specification, section 2.8).

-- current_id names the version that documents show while they are drafts; publishing pins
-- versions.
create table assets (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    name        text not null,
    current_id  uuid not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index assets_by_current on assets (tenant_id, current_id);
create index assets_updated on assets (tenant_id, org_unit_id, updated_at desc, id);
call protect('assets', 'org', 'select, insert, update, delete');

-- The bytes are in the blob store under their SHA-256.
create table asset_versions (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    asset_id    uuid not null,
    number      integer not null check (number > 0),
    media_type  text not null,
    size_bytes  bigint not null check (size_bytes > 0),
    sha256      text not null,
    width       integer,
    height      integer,
    created_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, asset_id) references assets (tenant_id, id) on delete cascade,
    constraint asset_versions_number unique (tenant_id, asset_id, number)
);
create index asset_versions_by_content on asset_versions (tenant_id, sha256);
call protect('asset_versions', 'org', 'select, insert, delete');
alter table assets
    add foreign key (tenant_id, current_id) references asset_versions (tenant_id, id) deferrable initially deferred;

-- The languages that a tenant writes in. None chosen means every language. Publishing asks
-- for those that are required.
create table tenant_locales (
    tenant_id   uuid not null references tenants (id),
    tag         text not null,
    is_default  boolean not null,
    is_required boolean not null,
    position    integer not null,
    primary key (tenant_id, tag)
);
create unique index tenant_locales_default on tenant_locales (tenant_id) where is_default;
call protect('tenant_locales', 'tenant', 'select, insert, delete');
