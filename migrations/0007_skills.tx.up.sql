-- Skills, frameworks, the rules that map questions to skills, and figures of skills (specification, sections 2.6, 2.12
-- and 4.12; decisions, section 13). Skills and rules belong to the whole tenant, as terms do. Only the projector writes
-- the figures, from the flat rows and the mapping versions that the last recalculation applied.

-- A framework of skills. What comes from a CASE package and has no column of its own is kept in source, so that it goes
-- out as it came in.
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

-- A skill. current_version_id is the newest published version. The tree of a framework is strict: a skill has at most
-- one parent, of its own framework; the code sees to it under a lock on the framework.
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

-- What a skill is called and how its figures read. levels are {name, threshold} in the order of their thresholds, which
-- lie in [0, 1].
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
call versions('skill_versions', 'skills', 'skill_id');
alter table skills add foreign key (tenant_id, current_version_id) references skill_versions (tenant_id, id) deferrable initially deferred;

-- A competency tag of a skill: a term of a facet of the domain skills.
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

-- A set of rules that say which skills questions show. active_version_id is the newest published version.
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

-- A version of a set.
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
call versions('skill_mapping_versions', 'skill_mapping_sets', 'set_id');
alter table skill_mapping_sets add foreign key (tenant_id, active_version_id) references skill_mapping_versions (tenant_id, id) deferrable initially deferred;

create function refuse_change_of_published_rules() returns trigger language plpgsql as $$
begin
    if exists (select from public.skill_mapping_versions v where v.status = 'published'
            and (v.tenant_id, v.id) in ((new.tenant_id, new.version_id), (old.tenant_id, old.version_id))) then
        raise exception 'the rules of a published version never change' using errcode = 'AS001';
    end if;
    return case tg_op when 'DELETE' then old else new end;
end $$;

-- A rule of a version: what fits the selector counts for the skill.
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
create trigger immutable before insert or update or delete on skill_mapping_rules for each row execute function refuse_change_of_published_rules();
create trigger no_truncate before truncate on skill_mapping_rules for each statement execute function refuse_change();

-- A skill that has figures, by which mapping version, and how their evidence is put together. It says what was applied:
-- a version that is published later counts from the next recalculation on.
create table report_skill_targets (
    tenant_id      uuid not null,
    skill_id       uuid not null,
    set_id         uuid not null,
    version_id     uuid not null,
    strategy       text not null check (strategy in ('latest', 'best', 'mean', 'weighted_recent')),
    half_life_days numeric check (half_life_days > 0),
    applied_at     timestamptz not null,
    primary key (tenant_id, skill_id),
    check (half_life_days is not null or strategy <> 'weighted_recent')
);
call protect('report_skill_targets', 'tenant', 'select, insert, update, delete');

-- An evaluation version whose questions were compared with the rules that are applied.
create table report_skill_matched (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    primary key (tenant_id, evaluation_version_id)
);
call protect('report_skill_matched', 'org', 'select, insert, update, delete');

-- Which rule matches which question of an evaluation version, so that a batch looks up rows by key.
create table report_skill_matches (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    question_version_id   uuid not null,
    rule_id               uuid not null,
    skill_id              uuid not null,
    weight                numeric not null check (weight > 0),
    term_id               uuid,
    primary key (tenant_id, evaluation_version_id, question_version_id, rule_id)
);
create index report_skill_matches_by_skill on report_skill_matches (tenant_id, skill_id, evaluation_version_id, question_version_id);
call protect('report_skill_matches', 'org', 'select, insert, update, delete');

-- What an item attempt says about a skill: a row an item attempt and matched rule. The term is the one that made the
-- rule match, if it was one.
create table report_skill_facts (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    submission_id       uuid not null,
    submission_item_id  uuid not null,
    rule_id             uuid not null,
    skill_id            uuid not null,
    user_id             uuid not null,
    question_version_id uuid not null,
    completed_at        timestamptz not null,
    value               numeric(11, 10) not null check (value between 0 and 1),
    weight              numeric not null,
    term_id             uuid,
    primary key (tenant_id, submission_id, submission_item_id, rule_id)
);
call protect('report_skill_facts', 'org', 'select, insert, update, delete');

-- What a submission says about a skill: the sums of its facts, from which figures are derived. So a figure reads a row
-- a submission and not all facts behind it, and facts need no index of people: evidence finds its submissions here.
create table report_skill_submissions (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    user_id       uuid not null,
    skill_id      uuid not null,
    completed_at  timestamptz not null,
    submission_id uuid not null,
    facts_n       integer not null,
    earned        numeric not null,
    weight        numeric not null,
    primary key (tenant_id, org_unit_id, user_id, skill_id, completed_at, submission_id)
);
call protect('report_skill_submissions', 'org', 'select, insert, update, delete');

-- What a person can do, derived from the facts. Rows of no facts exist for a moment only, as locks. earned to
-- newest_weight are what the figure was put together from: where its strategy allows, the next submission is added to
-- these sums and nothing else is read. best is what the best submission earned, where that is the strategy. A figure
-- that changes keeps its place next to the old one, and its index entries.
create table report_skill_rollups (
    tenant_id            uuid not null,
    org_unit_id          uuid not null,
    user_id              uuid not null,
    skill_id             uuid not null,
    value                numeric(11, 10) not null,
    facts_n              integer not null,
    submissions_n        integer not null,
    trend                numeric(11, 10),
    first_at             timestamptz not null,
    last_at              timestamptz not null,
    strategy             text not null,
    earned               numeric not null,
    weight               numeric not null,
    best                 numeric,
    newest_submission_id uuid not null,
    newest_earned        numeric not null,
    newest_weight        numeric not null,
    primary key (tenant_id, org_unit_id, user_id, skill_id)
) with (fillfactor = 80);
create index report_skill_rollups_by_skill on report_skill_rollups (org_unit_id, skill_id, user_id);
call protect('report_skill_rollups', 'org', 'select, insert, update, delete');

-- What the people of an org unit or a group can do. level_counts counts people below the first level, at the first, and
-- so on. is_shown says that the figure may be seen by people who may not see single people: nothing about fewer than
-- five people follows from all that are shown.
create table report_skill_cells (
    tenant_id    uuid not null,
    org_unit_id  uuid not null,
    skill_id     uuid not null,
    group_id     uuid not null,
    people_n     integer not null,
    value_sum    numeric not null,
    level_counts integer[] not null,
    is_shown     boolean not null,
    primary key (tenant_id, org_unit_id, group_id, skill_id)
);
create index report_skill_cells_by_skill on report_skill_cells (org_unit_id, skill_id);
call protect('report_skill_cells', 'org', 'select, insert, update, delete');

-- A skill whose cells have to be derived anew; a job does it.
create table report_skill_stale (
    tenant_id   uuid not null,
    org_unit_id uuid not null,
    skill_id    uuid not null,
    revision    bigint not null,
    marked_at   timestamptz not null,
    primary key (tenant_id, org_unit_id, skill_id)
);
call protect('report_skill_stale', 'org', 'select, insert, update, delete');

-- Anything that figures of skills depend on requests a fresh look when it changes, as for readiness. Nothing is
-- requested for tenants without such figures. What a statement changed is the difference of its rows after and before,
-- and no join of them: PL/pgSQL keeps the plan of the first call, which may have had no rows, and for ten thousand that
-- plan is a loop over all of them for each.
create function ask_for_skill_matches() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id from changed loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create function ask_for_merged_terms() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id from (
        select tenant_id, id, merged_into from changed except select tenant_id, id, merged_into from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create function ask_for_skill_levels() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select tenant_id, id from (
        select tenant_id, id, current_version_id from changed except select tenant_id, id, current_version_id from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id and skill_id = c.id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'levels', c.id, now());
        end if;
    end loop;
    for c in select distinct tenant_id from (
        select tenant_id, id, code, framework_id from changed except select tenant_id, id, code, framework_id from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create function ask_for_skill_cells() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, org_unit_id, user_id from changed loop
        if exists (select from public.report_skill_rollups
            where tenant_id = c.tenant_id and org_unit_id = c.org_unit_id and user_id = c.user_id)
        then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'member', c.user_id, now());
        end if;
    end loop;
    return null;
end $$;

create trigger skills_added after insert on group_members referencing new table as changed for each statement execute function ask_for_skill_cells();
create trigger skills_gone after delete on group_members referencing old table as changed for each statement execute function ask_for_skill_cells();
create trigger skills_changed after update on terms referencing old table as former new table as changed for each statement execute function ask_for_merged_terms();
create trigger skills_added after insert on term_relations referencing new table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_changed after update on term_relations referencing new table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_gone after delete on term_relations referencing old table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_changed after update on skills referencing old table as former new table as changed for each statement execute function ask_for_skill_levels();
