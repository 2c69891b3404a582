-- Taxonomy, questions, evaluations and their versions (specification, sections 2.3, 2.6, 9).

create table facets (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    domain     text not null check (domain in ('content', 'skills', 'subjects', 'identity')),
    slug       text not null,
    label      text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    constraint facets_slug unique (tenant_id, domain, slug)
);
call protect('facets', 'tenant', 'select, insert, update');

create table terms (
    tenant_id  uuid not null,
    id         uuid not null,
    facet_id   uuid not null,
    slug       text not null,
    label      text not null,
    retired_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, facet_id) references facets (tenant_id, id),
    constraint terms_slug unique (tenant_id, facet_id, slug)
);
call protect('terms', 'tenant', 'select, insert, update');

-- draft_id names the version that is being written, published_id the one that is
-- delivered; both may be set at once.
create table questions (
    tenant_id    uuid not null,
    id           uuid not null,
    org_unit_id  uuid not null,
    external_id  text,
    status       text not null check (status in ('draft', 'published', 'archived')),
    draft_id     uuid,
    published_id uuid,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint questions_external_id unique (tenant_id, org_unit_id, external_id)
);
create index questions_updated on questions (tenant_id, org_unit_id, updated_at desc, id);
create index questions_created on questions (tenant_id, org_unit_id, created_at desc, id);
create index questions_status on questions (tenant_id, org_unit_id, status, updated_at desc, id);
call protect('questions', 'org', 'select, insert, update, delete');

-- body holds stem, options, explanation and scoring; extracts the plain text by locale.
-- content_hash names body in the canonical form and hash schemes beside it.
create table question_versions (
    tenant_id        uuid not null,
    id               uuid not null,
    org_unit_id      uuid not null,
    question_id      uuid not null,
    number           integer not null check (number > 0),
    status           text not null check (status in ('draft', 'published')),
    qtype            text not null check (qtype in ('mcq', 'mrq', 'short_text', 'numeric', 'essay')),
    body             jsonb not null,
    term_ids         uuid[] not null default '{}',
    extracts         jsonb not null,
    content_hash     text not null,
    canonical_scheme text not null,
    hash_scheme      text not null,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    published_at     timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, question_id) references questions (tenant_id, id) on delete cascade,
    constraint question_versions_number unique (tenant_id, question_id, number)
);
call protect('question_versions', 'org', 'select, insert, update, delete');
create trigger immutable before update on question_versions for each row execute function refuse_published_change();
alter table questions
    add foreign key (tenant_id, draft_id) references question_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references question_versions (tenant_id, id) deferrable initially deferred;

create table question_terms (
    tenant_id   uuid not null,
    question_id uuid not null,
    term_id     uuid not null,
    org_unit_id uuid not null,
    primary key (tenant_id, question_id, term_id),
    foreign key (tenant_id, question_id) references questions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, term_id) references terms (tenant_id, id)
);
create index question_terms_by_term on question_terms (tenant_id, term_id, question_id);
call protect('question_terms', 'org', 'select, insert, delete');

create table evaluations (
    tenant_id    uuid not null,
    id           uuid not null,
    org_unit_id  uuid not null,
    external_id  text,
    title        text not null,
    status       text not null check (status in ('draft', 'published', 'archived')),
    draft_id     uuid,
    published_id uuid,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint evaluations_external_id unique (tenant_id, org_unit_id, external_id)
);
create index evaluations_updated on evaluations (tenant_id, org_unit_id, updated_at desc, id);
create index evaluations_status on evaluations (tenant_id, org_unit_id, status, updated_at desc, id);
call protect('evaluations', 'org', 'select, insert, update, delete');

-- Snapshots are stored once per distinct content and never change: the hash is the name.
create table version_snapshots (
    tenant_id   uuid not null,
    hash        text not null,
    org_unit_id uuid not null,
    content     jsonb not null,
    created_at  timestamptz not null,
    primary key (tenant_id, hash),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('version_snapshots', 'org', 'select, insert');
create trigger append_only before update or delete on version_snapshots for each row execute function refuse_change();

-- sections lists {id, title} in order; settings holds what section 2.3 names.
create table evaluation_versions (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    evaluation_id uuid not null,
    number        integer not null check (number > 0),
    status        text not null check (status in ('draft', 'published')),
    title         text not null,
    sections      jsonb not null,
    settings      jsonb not null,
    snapshot_hash text,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    published_at  timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id) on delete cascade,
    foreign key (tenant_id, snapshot_hash) references version_snapshots (tenant_id, hash),
    constraint evaluation_versions_number unique (tenant_id, evaluation_id, number),
    check ((status = 'published') = (snapshot_hash is not null))
);
call protect('evaluation_versions', 'org', 'select, insert, update, delete');
create trigger immutable before update on evaluation_versions for each row execute function refuse_published_change();
alter table evaluations
    add foreign key (tenant_id, draft_id) references evaluation_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references evaluation_versions (tenant_id, id) deferrable initially deferred;

-- question_version_id is pinned when the evaluation is published.
create table evaluation_items (
    tenant_id             uuid not null,
    evaluation_version_id uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    section_id            uuid not null,
    position              integer not null check (position >= 0),
    question_id           uuid not null,
    question_version_id   uuid,
    weight                numeric(20, 10) check (weight > 0),
    primary key (tenant_id, evaluation_version_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id) on delete cascade,
    constraint evaluation_items_question foreign key (tenant_id, question_id) references questions (tenant_id, id),
    foreign key (tenant_id, question_version_id) references question_versions (tenant_id, id),
    constraint evaluation_items_position unique (tenant_id, evaluation_version_id, position) deferrable initially deferred
);
create index evaluation_items_by_question on evaluation_items (tenant_id, question_id);
create index evaluation_items_by_question_version on evaluation_items (tenant_id, question_version_id);
call protect('evaluation_items', 'org', 'select, insert, update, delete');

create function refuse_published_item_change() returns trigger language plpgsql as $$
begin
    perform from evaluation_versions v
    where v.tenant_id = coalesce(new.tenant_id, old.tenant_id)
      and v.id = coalesce(new.evaluation_version_id, old.evaluation_version_id) and v.status = 'published';
    if found then
        raise exception 'a published version never changes' using errcode = 'AS001';
    end if;
    return coalesce(new, old);
end $$;
create trigger immutable before insert or update on evaluation_items for each row execute function refuse_published_item_change();
