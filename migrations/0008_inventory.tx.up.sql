-- Saved views of the inventory (specification, section 2.7), and content packs as far as
-- the inventory asks who uses an evaluation (section 2.12).

-- A personal view belongs to owner_id, a shared one to the org unit. filter is canonical:
-- known keys only, in camelCase.
create table inventory_views (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    kind        text not null check (kind in ('questions', 'evaluations')),
    name        text not null,
    visibility  text not null check (visibility in ('personal', 'shared')),
    owner_id    uuid,
    filter      jsonb not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, owner_id) references users (tenant_id, id) on delete cascade,
    check ((visibility = 'personal') = (owner_id is not null))
);
create index inventory_views_listed on inventory_views (tenant_id, org_unit_id, kind, name, id);
create index inventory_views_owner on inventory_views (tenant_id, owner_id);
-- A name is taken once by an owner, and once among the shared views of an org unit.
create unique index inventory_views_personal on inventory_views (tenant_id, owner_id, org_unit_id, kind, lower(name)) where visibility = 'personal';
create unique index inventory_views_shared on inventory_views (tenant_id, org_unit_id, kind, lower(name)) where visibility = 'shared';
call protect('inventory_views', 'org', 'select, insert, update, delete');

create table libraries (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    name        text not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('libraries', 'org', 'select, insert, update, delete');

create table library_items (
    tenant_id     uuid not null,
    library_id    uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    evaluation_id uuid not null,
    position      integer not null check (position >= 0),
    primary key (tenant_id, library_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id) on delete cascade,
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id)
);
create index library_items_by_evaluation on library_items (tenant_id, evaluation_id, library_id);
call protect('library_items', 'org', 'select, insert, update, delete');
