-- Questions, passages, evaluations and their versions (specification, sections 2.3, 2.8, 9).

-- draft_id names the version that is being written, published_id the one that is
-- used; both may be set at once. qtype and contributes_to_score are those of the newest
-- version.
create table questions (
    tenant_id    uuid not null,
    id           uuid not null,
    org_unit_id  uuid not null,
    external_id  text,
    status       text not null check (status in ('draft', 'published', 'archived')),
    draft_id     uuid,
    published_id uuid,
    qtype        text not null,
    contributes_to_score boolean not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint questions_external_id unique (tenant_id, org_unit_id, external_id)
);
-- Lists filter on what is included while they walk the order that was asked for.
create index questions_updated on questions (tenant_id, org_unit_id, updated_at desc, id) include (status, qtype, contributes_to_score);
create index questions_created on questions (tenant_id, org_unit_id, created_at desc, id) include (status, qtype, contributes_to_score);
create index questions_status on questions (tenant_id, org_unit_id, status, updated_at desc, id);
create index questions_qtype on questions (tenant_id, org_unit_id, qtype, contributes_to_score, updated_at desc, id);
call protect('questions', 'org', 'select, insert, update, delete');

-- body holds stem, options, explanation and scoring; extracts the plain text by locale;
-- pins what publishing froze: passageVersionId, and assetVersions from asset to version.
-- content_hash names body in the canonical form and hash schemes beside it.
create table question_versions (
    tenant_id        uuid not null,
    id               uuid not null,
    org_unit_id      uuid not null,
    question_id      uuid not null,
    number           integer not null check (number > 0),
    status           text not null check (status in ('draft', 'published')),
    qtype            text not null, -- which there are, pkg/kernel/scoring says
    body             jsonb not null,
    term_ids         uuid[] not null default '{}',
    pins             jsonb not null default '{}',
    passage_version_id uuid generated always as ((pins ->> 'passageVersionId')::uuid) stored,
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
create index question_versions_by_passage_version on question_versions (tenant_id, passage_version_id);
-- Whoever deletes an asset must know which versions show it; few show any.
create index question_versions_by_asset on question_versions
    using gin (jsonb_path_query_array(body, '$.**.assetId') jsonb_path_ops) where jsonb_path_exists(body, '$.**.assetId');
create trigger immutable before update on question_versions for each row execute function refuse_published_change();
create trigger kept before delete on question_versions for each row when (old.status = 'published')
    execute function refuse_published_delete('questions', 'question_id');
create trigger no_truncate before truncate on question_versions for each statement execute function refuse_change();
alter table questions
    add foreign key (tenant_id, draft_id) references question_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references question_versions (tenant_id, id) deferrable initially deferred;

-- Who carries a term: is_newest speaks of the version that authors see, is_published of the
-- one that draws choose from.
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

-- body is the content document; pins as for questions, assets alone.
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
call protect('passage_versions', 'org', 'select, insert, update, delete');
create index passage_versions_by_asset on passage_versions
    using gin (jsonb_path_query_array(body, '$.**.assetId') jsonb_path_ops) where jsonb_path_exists(body, '$.**.assetId');
create trigger immutable before update on passage_versions for each row execute function refuse_published_change();
create trigger kept before delete on passage_versions for each row when (old.status = 'published')
    execute function refuse_published_delete('passages', 'passage_id');
create trigger no_truncate before truncate on passage_versions for each statement execute function refuse_change();
alter table passages
    add foreign key (tenant_id, draft_id) references passage_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references passage_versions (tenant_id, id) deferrable initially deferred;
alter table question_versions
    add constraint question_versions_passage foreign key (tenant_id, passage_version_id) references passage_versions (tenant_id, id);

-- The questions about a passage, in order; a question belongs to at most one passage.
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

-- Snapshots are stored once per distinct content and never change: the hash is the name.
-- What lists show of a snapshot stands beside its content, which may be megabytes and is
-- unpacked as a whole or not at all.
create table version_snapshots (
    tenant_id     uuid not null,
    hash          text not null,
    org_unit_id   uuid not null,
    content       jsonb not null,
    created_at    timestamptz not null,
    title         text generated always as (content ->> 'title') stored,
    settings      jsonb generated always as (content -> 'settings') stored,
    feedback_tags jsonb generated always as (content -> 'feedbackTags') stored,
    primary key (tenant_id, hash),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('version_snapshots', 'org', 'select, insert');
call append_only('version_snapshots');

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
create trigger immutable before update on evaluation_versions for each row execute function refuse_published_change();
create trigger kept before delete on evaluation_versions for each row when (old.status = 'published')
    execute function refuse_published_delete('evaluations', 'evaluation_id');
create trigger no_truncate before truncate on evaluation_versions for each statement execute function refuse_change();
alter table evaluations
    add foreign key (tenant_id, draft_id) references evaluation_versions (tenant_id, id) deferrable initially deferred,
    add foreign key (tenant_id, published_id) references evaluation_versions (tenant_id, id) deferrable initially deferred;

-- Who carries a term, as for questions.
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

-- An item is a fixed question, a passage with its questions, or a draw: draw_count questions
-- that carry all of draw_terms and none of draw_exclude.
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
-- Draws are few: whoever looks for the terms in them reads all of these.
create index evaluation_items_draws on evaluation_items (tenant_id, evaluation_version_id) where draw_count is not null;
call protect('evaluation_items', 'org', 'select, insert, update, delete');

-- What publishing pinned: a row for each question that the version can show, whether it is
-- fixed, belongs to a passage or stands in the pool of a draw. id is the item's id in the
-- snapshot; group_id names the evaluation item that it came from.
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

create function refuse_published_item_change() returns trigger language plpgsql as $$
begin
    -- Neither into a published version nor out of one.
    perform from public.evaluation_versions v
    where v.tenant_id in (new.tenant_id, old.tenant_id) and v.id in (new.evaluation_version_id, old.evaluation_version_id)
      and v.status = 'published';
    if found then
        raise exception 'a published version never changes' using errcode = 'AS001';
    end if;
    return coalesce(new, old);
end $$;
create trigger immutable before insert or update or delete on evaluation_items for each row execute function refuse_published_item_change();
create trigger immutable before insert or update or delete on evaluation_pins for each row execute function refuse_published_item_change();
create trigger no_truncate before truncate on evaluation_items for each statement execute function refuse_change();
create trigger no_truncate before truncate on evaluation_pins for each statement execute function refuse_change();

-- What full-text search finds questions, passages and evaluations (by their titles) by: the
-- lexemes of their newest versions, split outside the database, with one for the tenant and one for the org unit.
-- The functions search_questions, search_passages and search_evaluations look into them.
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
