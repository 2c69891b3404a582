-- Managed assets and the languages of a tenant (specification, section 2.8).

-- current_id names the version that documents show while they are drafts; publishing pins
-- versions. name_key is the name in lower case, for searches by its beginning: a function of
-- name could not be an index condition behind the policies. media_type is that of the current
-- version.
create table assets (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    name        text not null,
    name_key    text collate "C" not null,
    media_type  text not null,
    current_id  uuid not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index assets_by_current on assets (tenant_id, current_id);
create index assets_updated on assets (tenant_id, org_unit_id, updated_at desc, id);
create index assets_by_type on assets (tenant_id, org_unit_id, media_type, updated_at desc, id);
create index assets_by_name on assets (tenant_id, org_unit_id, name_key, id);
call protect('assets', 'org', 'select, insert, update, delete');

-- What the blob store holds for media: a row is there before its file and goes with it.
-- touched_at is when somebody last meant to use the file; the sweep leaves young ones alone.
create table media_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index media_blobs_touched on media_blobs (tenant_id, touched_at);
call protect('media_blobs', 'tenant', 'select, insert, update, delete');

-- The bytes are in the blob store under their SHA-256, which is sure to be there as long as
-- its row of media_blobs is.
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
    constraint asset_versions_blob foreign key (tenant_id, sha256) references media_blobs (tenant_id, sha256),
    constraint asset_versions_number unique (tenant_id, asset_id, number)
);
create index asset_versions_by_content on asset_versions (tenant_id, sha256);
call protect('asset_versions', 'org', 'select, insert, delete');
create trigger immutable before update on asset_versions for each row execute function refuse_change();
create trigger kept before delete on asset_versions for each row execute function refuse_published_delete('assets', 'asset_id');
create trigger no_truncate before truncate on asset_versions for each statement execute function refuse_change();
alter table assets
    add foreign key (tenant_id, current_id) references asset_versions (tenant_id, id) deferrable initially deferred;

-- The languages that a tenant writes in. None chosen means every language. Publishing asks
-- for those that are required. They are replaced together, so all rows have one updated_at.
create table tenant_locales (
    tenant_id   uuid not null references tenants (id),
    tag         text not null,
    is_default  boolean not null,
    is_required boolean not null,
    position    integer not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, tag)
);
create unique index tenant_locales_default on tenant_locales (tenant_id) where is_default;
call protect('tenant_locales', 'tenant', 'select, insert, delete');
