-- Taxonomy (specification, section 2.6): facets by domain, terms, and the tree of terms.

create table facets (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    domain     text not null check (domain in ('content', 'skills', 'subjects', 'identity')),
    slug       text collate "C" not null,
    label      text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    constraint facets_slug unique (tenant_id, domain, slug)
);
call protect('facets', 'tenant', 'select, insert, update');

-- Searches by the first letters of a slug or label are ranges of slug and label_key: under
-- the collation "C" a prefix is a range, and unlike LIKE a range is an index condition
-- behind row-level security. lower() in a query would not be, so its result is a column.
create table terms (
    tenant_id  uuid not null,
    id         uuid not null,
    facet_id   uuid not null,
    slug       text collate "C" not null,
    label      text not null,
    label_key  text collate "C" not null generated always as (lower(label)) stored,
    retired_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, facet_id) references facets (tenant_id, id),
    constraint terms_slug unique (tenant_id, facet_id, slug)
);
create index terms_by_slug on terms (tenant_id, slug);
create index terms_by_label on terms (tenant_id, label_key);
call protect('terms', 'tenant', 'select, insert, update');

-- A term of a merged pair keeps its id, retired, and names the survivor: published
-- versions and snapshots never change, so they go on naming it.
alter table terms
    add merged_into uuid,
    add foreign key (tenant_id, merged_into) references terms (tenant_id, id),
    add check (merged_into is null or (retired_at is not null and merged_into <> id));
create index terms_merged on terms (tenant_id, merged_into);

-- The hierarchy is a relation of its own. The primary key makes it a strict tree: a term
-- has at most one parent. Parent and child belong to one facet, and there are no cycles;
-- the code sees to both under a lock on the facet.
create table term_relations (
    tenant_id  uuid not null,
    term_id    uuid not null,
    parent_id  uuid not null,
    created_at timestamptz not null,
    primary key (tenant_id, term_id),
    foreign key (tenant_id, term_id) references terms (tenant_id, id),
    foreign key (tenant_id, parent_id) references terms (tenant_id, id),
    check (term_id <> parent_id)
);
create index term_relations_by_parent on term_relations (tenant_id, parent_id, term_id);
call protect('term_relations', 'tenant', 'select, insert, update, delete');
