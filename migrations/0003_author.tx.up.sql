-- Content: taxonomy, media, questions, passages and evaluations with their versions, saved views, and content packs
-- (specification, sections 2.3, 2.6 to 2.8, 2.12 and 9; decisions, section 12).

-- A facet: a dimension by which things are classified, such as the topic.
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

-- A term of a facet. Searches by the first letters of a slug or label are ranges of slug and label_key: under the
-- collation "C" a prefix is a range, and unlike LIKE a range is an index condition behind row-level security. lower()
-- in a query would not be, so its result is a column. A term that was merged keeps its id, retired, and names the
-- survivor: published versions and snapshots never change, so they go on naming it.
create table terms (
    tenant_id   uuid not null,
    id          uuid not null,
    facet_id    uuid not null,
    slug        text collate "C" not null,
    label       text not null,
    label_key   text collate "C" not null generated always as (lower(label)) stored,
    retired_at  timestamptz,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    merged_into uuid,
    primary key (tenant_id, id),
    foreign key (tenant_id, facet_id) references facets (tenant_id, id),
    constraint terms_slug unique (tenant_id, facet_id, slug),
    foreign key (tenant_id, merged_into) references terms (tenant_id, id),
    check (merged_into is null or (retired_at is not null and merged_into <> id))
);
create index terms_by_slug on terms (tenant_id, slug);
create index terms_by_label on terms (tenant_id, label_key);
create index terms_merged on terms (tenant_id, merged_into);
call protect('terms', 'tenant', 'select, insert, update');

-- A term is below another one. The hierarchy is a relation of its own. The primary key makes it a strict tree: a term
-- has at most one parent. Parent and child belong to one facet, and there are no cycles; the code sees to both under a
-- lock on the facet.
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

-- An image or other file that content shows. current_id names the version that documents show while they are drafts;
-- publishing pins versions. name_key is the name in lower case, for searches by its beginning: a function of name could
-- not be an index condition behind the policies. media_type is the one of the current version.
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

-- A file that the blob store holds for media: a row is there before its file and goes with it. touched_at is when
-- somebody last meant to use the file; the sweep spares young ones.
create table media_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index media_blobs_touched on media_blobs (tenant_id, touched_at);
call protect('media_blobs', 'tenant', 'select, insert, update, delete');

-- A version of an asset. The bytes are in the blob store under their SHA-256, which is sure to be there as long as its
-- row of media_blobs is.
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
alter table assets add foreign key (tenant_id, current_id) references asset_versions (tenant_id, id) deferrable initially deferred;

-- A language that a tenant writes in. None chosen means every language. Publishing requires texts in the required ones.
-- They are replaced together, so all rows have one updated_at.
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

-- A question. draft_id names the version that is being written, published_id the one in use; both may be set at once.
-- qtype and contributes_to_score are of the newest version.
create table questions (
    tenant_id            uuid not null,
    id                   uuid not null,
    org_unit_id          uuid not null,
    external_id          text,
    status               text not null check (status in ('draft', 'published', 'archived')),
    draft_id             uuid,
    published_id         uuid,
    qtype                text not null,
    contributes_to_score boolean not null,
    created_at           timestamptz not null,
    updated_at           timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint questions_external_id unique (tenant_id, org_unit_id, external_id)
);
-- Lists filter on what is included while they walk in the order that was requested.
create index questions_updated on questions (tenant_id, org_unit_id, updated_at desc, id) include (status, qtype, contributes_to_score);
create index questions_created on questions (tenant_id, org_unit_id, created_at desc, id) include (status, qtype, contributes_to_score);
create index questions_status on questions (tenant_id, org_unit_id, status, updated_at desc, id);
create index questions_qtype on questions (tenant_id, org_unit_id, qtype, contributes_to_score, updated_at desc, id);
call protect('questions', 'org', 'select, insert, update, delete');

-- What a question says. body holds stem, options, explanation and scoring; extracts the plain text by locale; pins what
-- publishing froze: passageVersionId, and assetVersions from asset to version. content_hash names body in the canonical
-- form and hash schemes of the row.
create table question_versions (
    tenant_id          uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    question_id        uuid not null,
    number             integer not null check (number > 0),
    status             text not null check (status in ('draft', 'published')),
    qtype              text not null, -- which there are, pkg/kernel/scoring says
    body               jsonb not null,
    term_ids           uuid[] not null default '{}',
    pins               jsonb not null default '{}',
    passage_version_id uuid generated always as ((pins ->> 'passageVersionId')::uuid) stored,
    extracts           jsonb not null,
    content_hash       text not null,
    canonical_scheme   text not null,
    hash_scheme        text not null,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    published_at       timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, question_id) references questions (tenant_id, id) on delete cascade,
    constraint question_versions_number unique (tenant_id, question_id, number)
);
create index question_versions_by_passage_version on question_versions (tenant_id, passage_version_id);
-- Who deletes an asset must know which versions show it; few show any.
create index question_versions_by_asset on question_versions
    using gin (jsonb_path_query_array(body, '$.**.assetId') jsonb_path_ops) where jsonb_path_exists(body, '$.**.assetId');
call protect('question_versions', 'org', 'select, insert, update, delete');
call versions('question_versions', 'questions', 'question_id');
alter table questions add foreign key (tenant_id, draft_id) references question_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references question_versions (tenant_id, id) deferrable initially deferred;

-- A question carries a term: is_newest is about the version that authors see, is_published about the one that draws
-- choose from.
create table question_terms (
    tenant_id    uuid not null,
    question_id  uuid not null,
    term_id      uuid not null,
    org_unit_id  uuid not null,
    is_newest    boolean not null default true,
    is_published boolean not null default false,
    primary key (tenant_id, question_id, term_id),
    foreign key (tenant_id, question_id) references questions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, term_id) references terms (tenant_id, id)
);
create index question_terms_by_term on question_terms (tenant_id, term_id, question_id);
call protect('question_terms', 'org', 'select, insert, update, delete');

-- A text that questions are about.
create table passages (
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
    constraint passages_external_id unique (tenant_id, org_unit_id, external_id)
);
create index passages_updated on passages (tenant_id, org_unit_id, updated_at desc, id);
create index passages_created on passages (tenant_id, org_unit_id, created_at desc, id);
create index passages_status on passages (tenant_id, org_unit_id, status, updated_at desc, id);
call protect('passages', 'org', 'select, insert, update, delete');

-- What a passage says. body is the content document; pins as for questions, only assets.
create table passage_versions (
    tenant_id        uuid not null,
    id               uuid not null,
    org_unit_id      uuid not null,
    passage_id       uuid not null,
    number           integer not null check (number > 0),
    status           text not null check (status in ('draft', 'published')),
    title            text not null,
    body             jsonb not null,
    pins             jsonb not null default '{}',
    extracts         jsonb not null,
    content_hash     text not null,
    canonical_scheme text not null,
    hash_scheme      text not null,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    published_at     timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, passage_id) references passages (tenant_id, id) on delete cascade,
    constraint passage_versions_number unique (tenant_id, passage_id, number)
);
create index passage_versions_by_asset on passage_versions
    using gin (jsonb_path_query_array(body, '$.**.assetId') jsonb_path_ops) where jsonb_path_exists(body, '$.**.assetId');
call protect('passage_versions', 'org', 'select, insert, update, delete');
call versions('passage_versions', 'passages', 'passage_id');
alter table passages add foreign key (tenant_id, draft_id) references passage_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references passage_versions (tenant_id, id) deferrable initially deferred;
alter table question_versions add constraint question_versions_passage foreign key (tenant_id, passage_version_id) references passage_versions (tenant_id, id);

-- A question about a passage, in order; a question belongs to at most one passage.
create table passage_questions (
    tenant_id   uuid not null,
    passage_id  uuid not null,
    question_id uuid not null,
    org_unit_id uuid not null,
    position    integer not null check (position >= 0),
    primary key (tenant_id, passage_id, question_id),
    foreign key (tenant_id, passage_id) references passages (tenant_id, id) on delete cascade,
    foreign key (tenant_id, question_id) references questions (tenant_id, id),
    constraint passage_questions_one_passage unique (tenant_id, question_id)
);
call protect('passage_questions', 'org', 'select, insert, delete');

-- An exam, a test, a survey: what people take.
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
create index evaluations_created on evaluations (tenant_id, org_unit_id, created_at desc, id);
create index evaluations_updated on evaluations (tenant_id, org_unit_id, updated_at desc, id);
create index evaluations_status on evaluations (tenant_id, org_unit_id, status, updated_at desc, id);
call protect('evaluations', 'org', 'select, insert, update, delete');

-- The frozen content of a published evaluation. Snapshots are stored once per distinct content and never change: the
-- hash is the name. What lists and readiness need of a snapshot has columns of its own, because the content may be
-- megabytes and is unpacked as a whole or not at all. survey_items are the items that count for nothing.
create table version_snapshots (
    tenant_id           uuid not null,
    hash                text not null,
    org_unit_id         uuid not null,
    content             jsonb not null,
    created_at          timestamptz not null,
    title               text generated always as (content ->> 'title') stored,
    settings            jsonb generated always as (content -> 'settings') stored,
    feedback_tags       jsonb generated always as (content -> 'feedbackTags') stored,
    verification_policy jsonb generated always as (content -> 'verificationPolicy') stored,
    survey_items        jsonb generated always as (jsonb_path_query_array(content,
        '$.sections[*].items[*] ? (@.key.contributesToScore == false).itemId')) stored,
    primary key (tenant_id, hash),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('version_snapshots', 'org', 'select, insert');
call append_only('version_snapshots');

-- How an evaluation is built. sections lists {id, title} in order; settings holds what section 2.3 of the specification
-- names.
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
    term_ids      uuid[] not null default '{}',
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
call versions('evaluation_versions', 'evaluations', 'evaluation_id');
alter table evaluations add foreign key (tenant_id, draft_id) references evaluation_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references evaluation_versions (tenant_id, id) deferrable initially deferred;

-- An evaluation carries a term, as for questions.
create table evaluation_terms (
    tenant_id     uuid not null,
    evaluation_id uuid not null,
    term_id       uuid not null,
    org_unit_id   uuid not null,
    is_newest     boolean not null default true,
    is_published  boolean not null default false,
    primary key (tenant_id, evaluation_id, term_id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id) on delete cascade,
    foreign key (tenant_id, term_id) references terms (tenant_id, id)
);
create index evaluation_terms_by_term on evaluation_terms (tenant_id, term_id, evaluation_id);
call protect('evaluation_terms', 'org', 'select, insert, update, delete');

-- Items and pins come neither into a published version nor out of one.
create function refuse_published_item_change() returns trigger language plpgsql as $$
begin
    perform from public.evaluation_versions v
    where v.tenant_id in (new.tenant_id, old.tenant_id) and v.id in (new.evaluation_version_id, old.evaluation_version_id)
      and v.status = 'published';
    if found then
        raise exception 'a published version never changes' using errcode = 'AS001';
    end if;
    return coalesce(new, old);
end $$;

-- An item is a fixed question, a passage with its questions, or a draw: draw_count questions that carry all of
-- draw_terms and none of draw_exclude.
create table evaluation_items (
    tenant_id             uuid not null,
    evaluation_version_id uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    section_id            uuid not null,
    position              integer not null check (position >= 0),
    question_id           uuid,
    passage_id            uuid,
    draw_count            integer check (draw_count > 0),
    draw_terms            uuid[] not null default '{}',
    draw_exclude          uuid[] not null default '{}',
    weight                numeric(20, 10) check (weight > 0),
    primary key (tenant_id, evaluation_version_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id) on delete cascade,
    constraint evaluation_items_question foreign key (tenant_id, question_id) references questions (tenant_id, id),
    constraint evaluation_items_passage foreign key (tenant_id, passage_id) references passages (tenant_id, id),
    constraint evaluation_items_position unique (tenant_id, evaluation_version_id, position) deferrable initially deferred,
    check (num_nonnulls(question_id, passage_id, draw_count) = 1)
);
create index evaluation_items_by_question on evaluation_items (tenant_id, question_id);
create index evaluation_items_by_passage on evaluation_items (tenant_id, passage_id);
-- Draws are few: to find the terms in them all of these are read.
create index evaluation_items_draws on evaluation_items (tenant_id, evaluation_version_id) where draw_count is not null;
call protect('evaluation_items', 'org', 'select, insert, update, delete');
create trigger immutable before insert or update or delete on evaluation_items for each row execute function refuse_published_item_change();
create trigger no_truncate before truncate on evaluation_items for each statement execute function refuse_change();

-- What publishing pinned: a row for each question that the version can show, whether it is fixed, belongs to a passage
-- or is in the pool of a draw. id is the item's id in the snapshot; group_id names the evaluation item that it came
-- from.
create table evaluation_pins (
    tenant_id             uuid not null,
    evaluation_version_id uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    group_id              uuid not null,
    position              integer not null check (position >= 0),
    question_id           uuid not null,
    question_version_id   uuid not null,
    passage_version_id    uuid,
    primary key (tenant_id, evaluation_version_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id) on delete cascade,
    constraint evaluation_pins_question foreign key (tenant_id, question_id) references questions (tenant_id, id),
    foreign key (tenant_id, question_version_id) references question_versions (tenant_id, id),
    foreign key (tenant_id, passage_version_id) references passage_versions (tenant_id, id)
);
create index evaluation_pins_by_question on evaluation_pins (tenant_id, question_id);
create index evaluation_pins_by_question_version on evaluation_pins (tenant_id, question_version_id);
create index evaluation_pins_by_passage_version on evaluation_pins (tenant_id, passage_version_id);
call protect('evaluation_pins', 'org', 'select, insert, delete');
create trigger immutable before insert or update or delete on evaluation_pins for each row execute function refuse_published_item_change();
create trigger no_truncate before truncate on evaluation_pins for each statement execute function refuse_change();

-- What reports say of a published evaluation in words, written by the transaction that publishes it. It says what the
-- snapshot says, and outlives what it was published from, as the snapshot does; nobody unpacks megabytes for a line of
-- it. Texts are plain, in the default language, and cut. tags has the labels of the tags ("facet:term") that the
-- questions carry, of the time of publishing: facet and label.
create table snapshot_titles (
    tenant_id             uuid not null,
    evaluation_version_id uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    number                integer not null,
    title                 text not null,
    sections              jsonb not null, -- titles by section id
    tags                  jsonb not null,
    primary key (tenant_id, evaluation_version_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index snapshot_titles_by_evaluation on snapshot_titles (tenant_id, evaluation_id, number);
call protect('snapshot_titles', 'org', 'select, insert');
call append_only('snapshot_titles');

-- The same of a question version: a row for each org unit whose evaluations show it. options has texts by option id.
-- The words never change; the author's own id is no part of the version, and follows the newest evaluation that shows
-- it.
create table snapshot_questions (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    question_id         uuid not null,
    external_id         text,
    stem                text not null,
    options             jsonb not null,
    primary key (tenant_id, org_unit_id, question_version_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('snapshot_questions', 'org', 'select, insert, update');
create trigger immutable before update on snapshot_questions for each row
    when (to_jsonb(old) - 'external_id' is distinct from to_jsonb(new) - 'external_id') execute function refuse_change();
create trigger kept before delete on snapshot_questions for each row execute function refuse_change();
create trigger no_truncate before truncate on snapshot_questions for each statement execute function refuse_change();

-- What full-text search finds a question by: the lexemes of its newest version, split outside the database, with one
-- for the tenant and one for the org unit. The functions search_questions, search_passages and search_evaluations look
-- into them.
create table question_search (
    tenant_id   uuid not null,
    question_id uuid not null,
    org_unit_id uuid not null,
    document    tsvector not null,
    primary key (tenant_id, question_id),
    foreign key (tenant_id, question_id) references questions (tenant_id, id) on delete cascade
);
create index question_search_document on question_search using gin (document);
call protect('question_search', 'org', 'select, insert, update');

-- The same of passages.
create table passage_search (
    tenant_id   uuid not null,
    passage_id  uuid not null,
    org_unit_id uuid not null,
    document    tsvector not null,
    primary key (tenant_id, passage_id),
    foreign key (tenant_id, passage_id) references passages (tenant_id, id) on delete cascade
);
create index passage_search_document on passage_search using gin (document);
call protect('passage_search', 'org', 'select, insert, update');

-- The same of evaluations, by their titles.
create table evaluation_search (
    tenant_id     uuid not null,
    evaluation_id uuid not null,
    org_unit_id   uuid not null,
    document      tsvector not null,
    primary key (tenant_id, evaluation_id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id) on delete cascade
);
create index evaluation_search_document on evaluation_search using gin (document);
call protect('evaluation_search', 'org', 'select, insert, update');

-- A saved view of the inventory. A personal view belongs to owner_id, a shared one to the org unit; of a shared one
-- owner_id is who saved it, so that it is in their export, and it loses its name when they are forgotten. filter is
-- canonical: known keys only, in camelCase.
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
    check (visibility = 'shared' or owner_id is not null)
);
create index inventory_views_listed on inventory_views (tenant_id, org_unit_id, kind, name, id);
create index inventory_views_owner on inventory_views (tenant_id, owner_id);
-- A name is taken once by an owner, and once among the shared views of an org unit.
create unique index inventory_views_personal on inventory_views (tenant_id, owner_id, org_unit_id, kind, lower(name)) where visibility = 'personal';
create unique index inventory_views_shared on inventory_views (tenant_id, org_unit_id, kind, lower(name)) where visibility = 'shared';
alter index inventory_views_personal alter column 5 set statistics 0;
alter index inventory_views_shared alter column 4 set statistics 0;
call unsampled('inventory_views', 'name');
call protect('inventory_views', 'org', 'select, insert, update, delete');

-- Packs. What a library publishes is a revision: copies of its own, which never change and need none of the records
-- that they came from. So another org unit installs without looking into the first one, and a pack that came as a file
-- is like any other.

-- Nobody changes a library of another org unit.
create function refuse_foreign_library() returns trigger language plpgsql as $$
begin
    if public.scope_tenant() is not null
            and (new.org_unit_id <> public.scope_org_unit() or old.org_unit_id <> public.scope_org_unit()) then
        raise exception 'a library is changed by its own org unit' using errcode = 'insufficient_privilege';
    end if;
    return coalesce(new, old);
end $$;

-- A content pack. It belongs to an org unit, and only that org unit changes it. origin_id and origin_key are the
-- library that a file came from and the key that signed it. This is the only table of an org unit that others may look
-- into: a row that is offered.
create table libraries (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    name        text not null,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    description text not null default '',
    -- Other org units of the tenant see and install what is offered.
    offered     boolean not null default false,
    archived_at timestamptz,
    origin_id   uuid,
    origin_key  text,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    check ((origin_id is null) = (origin_key is null))
);
create unique index libraries_origin on libraries (tenant_id, org_unit_id, origin_id, origin_key);
create index libraries_listed on libraries (tenant_id, org_unit_id, updated_at desc, id);
create index libraries_offered on libraries (tenant_id, updated_at desc, id) where offered;
alter table libraries enable row level security, force row level security;
create policy scope on libraries to assess_app
    using (tenant_id = scope_tenant() and coalesce(org_unit_id = scope_org_unit() or offered, true))
    with check (tenant_id = scope_tenant() and coalesce(org_unit_id = scope_org_unit() or offered, true));
grant select, insert, update, delete on libraries to assess_app;
create trigger own before insert or update or delete on libraries for each row execute function refuse_foreign_library();

-- An evaluation in a library. The next revision takes the version that is named, or else the published one of that day.
create table library_items (
    tenant_id             uuid not null,
    library_id            uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    position              integer not null check (position >= 0),
    evaluation_version_id uuid,
    metadata              jsonb not null default '{}',
    created_at            timestamptz not null default now(),
    primary key (tenant_id, library_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id) on delete cascade,
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id)
);
create index library_items_by_evaluation on library_items (tenant_id, evaluation_id, library_id);
create unique index library_items_once on library_items (tenant_id, library_id, evaluation_id);
create index library_items_by_version on library_items (tenant_id, evaluation_version_id);
create index library_items_in_order on library_items (tenant_id, library_id, position, id);
call protect('library_items', 'org', 'select, insert, update, delete');

-- What questions, passages and evaluations of revisions say, once for each content, under the SHA-256 of its canonical
-- form. It names images by ids made from their files. words are what search finds it by, in no org unit yet.
create table library_contents (
    tenant_id  uuid not null references tenants (id),
    hash       text not null check (hash ~ '^[0-9a-f]{64}$'),
    body       jsonb not null,
    extracts   jsonb not null default '{}',
    words      tsvector not null default '',
    created_at timestamptz not null,
    primary key (tenant_id, hash)
);
call protect('library_contents', 'tenant', 'select, insert');
call append_only('library_contents');

-- A file that revisions show; the sweep of media does not delete it.
create table library_files (
    tenant_id  uuid not null,
    sha256     text not null,
    name       text not null,
    media_type text not null,
    size_bytes bigint not null,
    width      integer,
    height     integer,
    primary key (tenant_id, sha256),
    constraint library_files_blob foreign key (tenant_id, sha256) references media_blobs (tenant_id, sha256)
);
call protect('library_files', 'tenant', 'select, insert');
call append_only('library_files');

-- A published revision. manifest_hash is the SHA-256 of the canonical manifest, which is made of the lines in
-- library_entries. signed_by is the public key of a file's signature, in hexadecimal.
create table library_revisions (
    tenant_id     uuid not null,
    id            uuid not null,
    library_id    uuid not null,
    number        integer not null check (number > 0),
    manifest_hash text not null check (manifest_hash ~ '^[0-9a-f]{64}$'),
    name          text not null,
    description   text not null,
    evaluation_n  integer not null,
    question_n    integer not null,
    passage_n     integer not null,
    asset_n       integer not null,
    term_n        integer not null,
    signed_by     text,
    published_at  timestamptz not null,
    created_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id),
    constraint library_revisions_number unique (tenant_id, library_id, number)
);
create index library_revisions_by_hash on library_revisions (tenant_id, manifest_hash);
call protect('library_revisions', 'tenant', 'select, insert');
call append_only('library_revisions');

-- The lines of a manifest are written before their revision, and none after it.
create function refuse_late_entry() returns trigger language plpgsql as $$
begin
    perform from public.library_revisions r where r.tenant_id = new.tenant_id and r.id = new.revision_id;
    if found then
        raise exception 'a published revision never changes' using errcode = 'AS001';
    end if;
    return new;
end $$;

-- A line of the manifest, in canonical JSON. ref is what it names: the id of a version, the SHA-256 of a file,
-- facet:slug of a term; source_id is the record that a version is of.
create table library_entries (
    tenant_id    uuid not null references tenants (id),
    revision_id  uuid not null,
    kind         text not null check (kind in ('asset', 'evaluation', 'item', 'passage', 'question', 'term')),
    position     integer not null check (position >= 0),
    ref          text not null,
    source_id    uuid,
    number       integer, -- of the version, in the source
    content_hash text,
    line         text not null,
    primary key (tenant_id, revision_id, kind, position),
    constraint library_entries_once unique (tenant_id, revision_id, kind, ref),
    foreign key (tenant_id, content_hash) references library_contents (tenant_id, hash)
);
create index library_entries_by_content on library_entries (tenant_id, content_hash);
create index library_entries_by_source on library_entries (tenant_id, revision_id, kind, source_id);
call protect('library_entries', 'tenant', 'select, insert');
call append_only('library_entries');
create trigger sealed before insert on library_entries for each row execute function refuse_late_entry();

-- An org unit works with a revision, or worked with it before. The owner of the library sees it too: that is its
-- lineage.
create table library_installs (
    tenant_id       uuid not null,
    id              uuid not null,
    library_id      uuid not null,
    revision_id     uuid not null,
    into_unit       uuid not null,
    library_name    text not null,
    revision_number integer not null,
    manifest_hash   text not null,
    state           text not null check (state in ('current', 'replaced', 'uninstalled')),
    installed_at    timestamptz not null,
    ended_at        timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id),
    foreign key (tenant_id, revision_id) references library_revisions (tenant_id, id),
    foreign key (tenant_id, into_unit) references org_units (tenant_id, id),
    constraint library_installs_once unique (tenant_id, revision_id, into_unit),
    check ((state = 'current') = (ended_at is null))
);
create unique index library_installs_current on library_installs (tenant_id, library_id, into_unit) where state = 'current';
call protect('library_installs', 'tenant', 'select, insert, update');

-- An evaluation of an install. kept says that the org unit kept its own version instead.
create table library_installed (
    tenant_id             uuid not null,
    install_id            uuid not null,
    position              integer not null,
    source_version_id     uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    kept                  boolean not null,
    primary key (tenant_id, install_id, position),
    foreign key (tenant_id, install_id) references library_installs (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id) on delete cascade
);
create index library_installed_by_version on library_installed (tenant_id, evaluation_version_id);
create index library_installed_by_evaluation on library_installed (tenant_id, evaluation_id);
call protect('library_installed', 'tenant', 'select, insert, update, delete');

-- A record of an org unit that is a copy of a library's. head_id is the version of the source that the newest install
-- meant the copy to be of. The key begins with the library: with the org unit first, and an index of the library only,
-- both would seem to lead to one row in an org unit that is new, and the check of the foreign key of each copied
-- version would read all copies of the library.
create table library_copies (
    tenant_id   uuid not null,
    org_unit_id uuid not null,
    library_id  uuid not null,
    kind        text not null check (kind in ('evaluation', 'passage', 'question')),
    source_id   uuid not null,
    copy_id     uuid not null,
    head_id     uuid not null,
    primary key (tenant_id, library_id, org_unit_id, kind, source_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id)
);
call protect('library_copies', 'org', 'select, insert, update, delete');

-- Which version of a copy is which version of the source.
create table library_copied_versions (
    tenant_id         uuid not null,
    org_unit_id       uuid not null,
    library_id        uuid not null,
    kind              text not null check (kind in ('evaluation', 'passage', 'question')),
    source_version_id uuid not null,
    source_id         uuid not null,
    version_id        uuid not null,
    primary key (tenant_id, org_unit_id, library_id, kind, source_version_id),
    foreign key (tenant_id, library_id, org_unit_id, kind, source_id)
        references library_copies (tenant_id, library_id, org_unit_id, kind, source_id) on delete cascade
);
create index library_copied_versions_by_source on library_copied_versions (tenant_id, org_unit_id, library_id, kind, source_id);
call protect('library_copied_versions', 'org', 'select, insert, delete');

-- A key whose files the tenant takes.
create table library_keys (
    tenant_id  uuid not null references tenants (id),
    public_key text not null check (public_key ~ '^[0-9a-f]{64}$'),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, public_key)
);
call protect('library_keys', 'tenant', 'select, insert, delete');
