-- Content packs (specification, sections 2.12 and 4.8; decisions, section 12).
--
-- A library belongs to an org unit, which alone changes it. What it publishes is a revision: copies of
-- its own, which never change and need none of the records that they came from. So another org unit
-- installs without looking into the first one, and a pack that came as a file is like any other.

alter table libraries
    add description text not null default '',
    -- Other org units of the tenant see and install what is offered.
    add offered     boolean not null default false,
    add archived_at timestamptz,
    -- The library that a file came from, and the key that signed it.
    add origin_id   uuid,
    add origin_key  text,
    add check ((origin_id is null) = (origin_key is null));
create unique index libraries_origin on libraries (tenant_id, org_unit_id, origin_id, origin_key);
create index libraries_listed on libraries (tenant_id, org_unit_id, updated_at desc, id);
create index libraries_offered on libraries (tenant_id, updated_at desc, id) where offered;

-- The one table of an org unit that others may look into: a row that is offered.
drop policy scope on libraries;
create policy scope on libraries to assess_app
    using (tenant_id = scope_tenant() and coalesce(org_unit_id = scope_org_unit() or offered, true))
    with check (tenant_id = scope_tenant() and coalesce(org_unit_id = scope_org_unit() or offered, true));
create function refuse_foreign_library() returns trigger language plpgsql as $$
begin
    if public.scope_tenant() is not null
            and (new.org_unit_id <> public.scope_org_unit() or old.org_unit_id <> public.scope_org_unit()) then
        raise exception 'a library is changed by its own org unit' using errcode = 'insufficient_privilege';
    end if;
    return coalesce(new, old);
end $$;
create trigger own before insert or update or delete on libraries for each row execute function refuse_foreign_library();

-- The version of an item is the one that the next revision takes up; where none is named, the
-- published one of the day.
alter table library_items
    add evaluation_version_id uuid,
    add metadata   jsonb not null default '{}',
    add created_at timestamptz not null default now(),
    add foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id);
create unique index library_items_once on library_items (tenant_id, library_id, evaluation_id);
create index library_items_by_version on library_items (tenant_id, evaluation_version_id);
create index library_items_in_order on library_items (tenant_id, library_id, position, id);

-- What questions, passages and evaluations of revisions say, once for each content, under the SHA-256
-- of its canonical form. Images stand in it under ids made from their files. words are what search
-- finds it by, in no org unit yet.
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

-- The files that revisions show; the sweep of media leaves them alone.
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

-- manifest_hash is the SHA-256 of the canonical manifest, which is made of the lines in
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

-- A line of the manifest, in canonical JSON. ref is what it names: the id of a version, the SHA-256
-- of a file, facet:slug of a term; source_id is the record that a version is of. The lines are written before their revision, and after it none.
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
create function refuse_late_entry() returns trigger language plpgsql as $$
begin
    perform from public.library_revisions r where r.tenant_id = new.tenant_id and r.id = new.revision_id;
    if found then
        raise exception 'a published revision never changes' using errcode = 'AS001';
    end if;
    return new;
end $$;
create trigger sealed before insert on library_entries for each row execute function refuse_late_entry();

-- Which revision an org unit works with, and which ones it worked with before. The owner of the
-- library sees it too: that is its lineage.
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

-- The evaluations of an install. kept says that the org unit kept its own version instead.
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

-- The records of an org unit that copy those of a library. head_id is the version of the source that
-- the newest install meant the copy to be of.
create table library_copies (
    tenant_id   uuid not null,
    org_unit_id uuid not null,
    library_id  uuid not null,
    kind        text not null check (kind in ('evaluation', 'passage', 'question')),
    source_id   uuid not null,
    copy_id     uuid not null,
    head_id     uuid not null,
    primary key (tenant_id, org_unit_id, library_id, kind, source_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, library_id) references libraries (tenant_id, id)
);
create index library_copies_by_library on library_copies (tenant_id, library_id);
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
    foreign key (tenant_id, org_unit_id, library_id, kind, source_id)
        references library_copies (tenant_id, org_unit_id, library_id, kind, source_id) on delete cascade
);
create index library_copied_versions_by_source on library_copied_versions (tenant_id, org_unit_id, library_id, kind, source_id);
call protect('library_copied_versions', 'org', 'select, insert, delete');

-- The keys whose files the tenant takes.
create table library_keys (
    tenant_id  uuid not null references tenants (id),
    public_key text not null check (public_key ~ '^[0-9a-f]{64}$'),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, public_key)
);
call protect('library_keys', 'tenant', 'select, insert, delete');

-- Lineage counts what other org units did with a pack. It reads the sums of the reports, two rows an
-- installed evaluation, and never a submission. The owner of the library sees all installs, another
-- org unit its own.
create policy lookup on libraries for select to current_user using (true);
create policy lookup on library_installs for select to current_user using (true);
create policy lookup on library_installed for select to current_user using (true);
create policy lookup on report_evaluation_rollup for select to current_user using (true);
create function library_lineage(revision uuid)
    returns table (install uuid, into_unit uuid, state text, installed_at timestamptz, ended_at timestamptz, pos integer, kept boolean,
        source_version uuid, evaluation uuid, version uuid, submission_n bigint, linked_n bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select i.id, i.into_unit, i.state, i.installed_at, i.ended_at, d.position, d.kept, d.source_version_id, d.evaluation_id, d.evaluation_version_id,
        coalesce(whole.completed_n, 0), case when d.kept then 0 else coalesce(linked.completed_n, 0) end
    from public.library_installs i
    join public.libraries l on l.tenant_id = i.tenant_id and l.id = i.library_id
    join public.library_installed d on d.tenant_id = i.tenant_id and d.install_id = i.id
    left join public.report_evaluation_rollup whole on whole.tenant_id = i.tenant_id and whole.org_unit_id = i.into_unit
        and whole.evaluation_version_id = d.evaluation_id and whole.cut = 'evaluation' and whole.run_label = ''
        and whole.group_id = '00000000-0000-0000-0000-000000000000'
    left join public.report_evaluation_rollup linked on linked.tenant_id = i.tenant_id and linked.org_unit_id = i.into_unit
        and linked.evaluation_version_id = d.evaluation_version_id and linked.cut = 'all' and linked.run_label = ''
        and linked.group_id = '00000000-0000-0000-0000-000000000000'
    where i.tenant_id = public.scope_tenant() and i.revision_id = revision
      and (public.scope_org_unit() is null or l.org_unit_id = public.scope_org_unit() or i.into_unit = public.scope_org_unit())
$$;
revoke execute on function library_lineage(uuid) from public;
grant execute on function library_lineage(uuid) to assess_app;
