-- Skills, frameworks, and the rules that map questions to skills (specification, sections 2.6, 2.12
-- and 4.12; decisions, section 13). All belong to the whole tenant, as terms do.

-- What comes from a CASE package and has no column of its own is kept in source, so that it goes out as it came in.
create table skill_frameworks (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    identifier  uuid not null,
    title       text not null,
    description text not null default '',
    source      jsonb not null default '{}',
    retired_at  timestamptz,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    constraint skill_frameworks_identifier unique (tenant_id, identifier)
);
create index skill_frameworks_listed on skill_frameworks (tenant_id, created_at desc, id);
call protect('skill_frameworks', 'tenant', 'select, insert, update');

-- current_version_id is the newest published version. The tree of a framework is strict: a skill has
-- at most one parent, of its own framework; the code sees to it under a lock on the framework.
create table skills (
    tenant_id          uuid not null references tenants (id),
    id                 uuid not null,
    framework_id       uuid,
    parent_id          uuid,
    identifier         uuid not null,
    code               text collate "C",
    position           integer not null default 0 check (position >= 0),
    source             jsonb not null default '{}',
    current_version_id uuid,
    retired_at         timestamptz,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, framework_id) references skill_frameworks (tenant_id, id),
    foreign key (tenant_id, parent_id) references skills (tenant_id, id),
    constraint skills_identifier unique (tenant_id, identifier),
    constraint skills_code unique (tenant_id, framework_id, code),
    check (parent_id is null or (framework_id is not null and parent_id <> id))
);
create index skills_by_parent on skills (tenant_id, parent_id, position, id);
create index skills_by_framework on skills (tenant_id, framework_id, position, id);
create index skills_current on skills (tenant_id, current_version_id);
create index skills_listed on skills (tenant_id, created_at desc, id);
call protect('skills', 'tenant', 'select, insert, update');

-- What a skill is called and how its figures read. levels are {name, threshold} in the order of their
-- thresholds, which lie in [0, 1].
create table skill_versions (
    tenant_id    uuid not null references tenants (id),
    id           uuid not null,
    skill_id     uuid not null,
    number       integer not null check (number > 0),
    status       text not null check (status in ('draft', 'published')),
    name         text not null,
    description  text not null default '',
    levels       jsonb not null default '[]' check (jsonb_typeof(levels) = 'array'),
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    published_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, skill_id) references skills (tenant_id, id),
    constraint skill_versions_number unique (tenant_id, skill_id, number),
    check ((status = 'published') = (published_at is not null))
);
create unique index skill_versions_draft on skill_versions (tenant_id, skill_id) where status = 'draft';
call protect('skill_versions', 'tenant', 'select, insert, update, delete');
alter table skills
    add foreign key (tenant_id, current_version_id) references skill_versions (tenant_id, id) deferrable initially deferred;

-- Competency tags: terms of facets of the domain skills.
create table skill_tags (
    tenant_id uuid not null references tenants (id),
    skill_id  uuid not null,
    term_id   uuid not null,
    primary key (tenant_id, skill_id, term_id),
    foreign key (tenant_id, skill_id) references skills (tenant_id, id),
    foreign key (tenant_id, term_id) references terms (tenant_id, id)
);
create index skill_tags_by_term on skill_tags (tenant_id, term_id, skill_id);
call protect('skill_tags', 'tenant', 'select, insert, delete');

-- active_version_id is the newest published version.
create table skill_mapping_sets (
    tenant_id         uuid not null references tenants (id),
    id                uuid not null,
    title             text not null,
    description       text not null default '',
    active_version_id uuid,
    retired_at        timestamptz,
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    primary key (tenant_id, id)
);
create index skill_mapping_sets_active on skill_mapping_sets (tenant_id, active_version_id);
create index skill_mapping_sets_listed on skill_mapping_sets (tenant_id, created_at desc, id);
call protect('skill_mapping_sets', 'tenant', 'select, insert, update');

create table skill_mapping_versions (
    tenant_id    uuid not null references tenants (id),
    id           uuid not null,
    set_id       uuid not null,
    number       integer not null check (number > 0),
    status       text not null check (status in ('draft', 'published')),
    content_hash text,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    published_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, set_id) references skill_mapping_sets (tenant_id, id),
    constraint skill_mapping_versions_number unique (tenant_id, set_id, number),
    check ((status = 'published') = (published_at is not null)),
    check ((status = 'published') = (content_hash is not null))
);
create unique index skill_mapping_versions_draft on skill_mapping_versions (tenant_id, set_id) where status = 'draft';
call protect('skill_mapping_versions', 'tenant', 'select, insert, update, delete');
alter table skill_mapping_sets
    add foreign key (tenant_id, active_version_id) references skill_mapping_versions (tenant_id, id) deferrable initially deferred;

create table skill_mapping_rules (
    tenant_id       uuid not null references tenants (id),
    id              uuid not null,
    version_id      uuid not null,
    pos             integer not null check (pos >= 0),
    rule_type       text not null check (rule_type in ('tag_predicate', 'evaluation', 'evaluation_version', 'question_version', 'framework')),
    selector        jsonb not null check (jsonb_typeof(selector) = 'object'),
    target_skill_id uuid not null,
    weight          numeric not null check (weight > 0 and weight <= 1000000),
    strategy        text not null check (strategy in ('latest', 'best', 'mean', 'weighted_recent')),
    half_life_days  numeric check (half_life_days > 0),
    primary key (tenant_id, id),
    foreign key (tenant_id, version_id) references skill_mapping_versions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, target_skill_id) references skills (tenant_id, id),
    constraint skill_mapping_rules_order unique (tenant_id, version_id, pos),
    check ((half_life_days is not null) = (strategy = 'weighted_recent'))
);
create index skill_mapping_rules_by_skill on skill_mapping_rules (tenant_id, target_skill_id, version_id);
call protect('skill_mapping_rules', 'tenant', 'select, insert, update, delete');

-- What was published stays as it was, and so do its rules.
create trigger immutable before update on skill_versions for each row execute function refuse_published_change();
create trigger kept before delete on skill_versions for each row when (old.status = 'published')
    execute function refuse_published_delete('skills', 'skill_id');
create trigger no_truncate before truncate on skill_versions for each statement execute function refuse_change();
create trigger immutable before update on skill_mapping_versions for each row execute function refuse_published_change();
create trigger kept before delete on skill_mapping_versions for each row when (old.status = 'published')
    execute function refuse_published_delete('skill_mapping_sets', 'set_id');
create trigger no_truncate before truncate on skill_mapping_versions for each statement execute function refuse_change();
create function refuse_change_of_published_rules() returns trigger language plpgsql as $$
begin
    if exists (select from public.skill_mapping_versions v where v.status = 'published'
            and (v.tenant_id, v.id) in ((new.tenant_id, new.version_id), (old.tenant_id, old.version_id))) then
        raise exception 'the rules of a published version never change' using errcode = 'AS001';
    end if;
    return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger immutable before insert or update or delete on skill_mapping_rules for each row execute function refuse_change_of_published_rules();
create trigger no_truncate before truncate on skill_mapping_rules for each statement execute function refuse_change();
