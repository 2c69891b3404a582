-- Figures of skills (specification, sections 2.12 and 4.12; decisions, section 13). Only the projector
-- writes them, from the flat rows and the mapping versions that the last recalculation applied.

-- Which skills have figures, by which mapping version, and how their evidence is put together. It
-- says what was applied: a version that is published later counts from the next recalculation on.
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

-- The evaluation versions whose questions were held against the rules that are applied, and which
-- rule matches which question of them. So a batch looks up rows by key.
create table report_skill_matched (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    primary key (tenant_id, evaluation_version_id)
);
call protect('report_skill_matched', 'org', 'select, insert, update, delete');

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

-- What an item attempt says about a skill: a row an item attempt and matched rule. The term is the
-- one that made the rule match, if it was one.
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
create index report_skill_facts_by_person on report_skill_facts (org_unit_id, user_id, skill_id, completed_at, submission_id);
call protect('report_skill_facts', 'org', 'select, insert, update, delete');

-- What a person can do, derived from the facts. Rows of no facts stand for a moment only, as locks.
create table report_skill_rollups (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    user_id       uuid not null,
    skill_id      uuid not null,
    value         numeric(11, 10) not null,
    facts_n       integer not null,
    submissions_n integer not null,
    trend         numeric(11, 10),
    first_at      timestamptz,
    last_at       timestamptz,
    primary key (tenant_id, org_unit_id, user_id, skill_id)
);
create index report_skill_rollups_by_skill on report_skill_rollups (org_unit_id, skill_id, user_id);
call protect('report_skill_rollups', 'org', 'select, insert, update, delete');

-- What the people of an org unit or a group can do. level_counts counts people below the first
-- level, at the first, and so on. is_shown says that the figure may be seen by those who may not see
-- single people: nothing about fewer than five people follows from all that are shown. Cells that
-- have to be derived anew are named beside them, and a job does it.
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

create table report_skill_stale (
    tenant_id   uuid not null,
    org_unit_id uuid not null,
    skill_id    uuid not null,
    revision    bigint not null,
    marked_at   timestamptz not null,
    primary key (tenant_id, org_unit_id, skill_id)
);
call protect('report_skill_stale', 'org', 'select, insert, update, delete');

create function tenants_with_stale_skills() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select distinct tenant_id from public.report_skill_stale $$;
revoke execute on function tenants_with_stale_skills from public;
grant execute on function tenants_with_stale_skills to assess_app;

-- 'terms' says that rules may match other questions than before, 'member' that a person joined or left
-- a group, 'levels' that a skill has other levels.
alter table projection_outbox
    drop constraint projection_outbox_kind_check,
    add constraint projection_outbox_kind_check check (kind in
        ('session', 'submission', 'finding', 'assignment', 'key', 'readiness', 'policy', 'terms', 'member', 'levels'));
alter table report_jobs
    add result jsonb,
    drop constraint report_jobs_kind_check,
    add constraint report_jobs_kind_check
        check (kind in ('submission', 'range', 'remediation', 'telemetry', 'percentiles', 'exceptions', 'skills', 'skill_preview'));

-- Whatever figures of skills hang on says so, whoever changes it. Tenants without such figures hear
-- nothing of it.
create function ask_for_skill_matches() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select t.tenant_id, 'terms', t.tenant_id, now() from (select distinct tenant_id from changed) t
    where exists (select from public.report_skill_targets s where s.tenant_id = t.tenant_id);
    return null;
end $$;
create function ask_for_merged_terms() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct c.tenant_id, 'terms', c.tenant_id, now() from changed c join former f on f.tenant_id = c.tenant_id and f.id = c.id
    where c.merged_into is distinct from f.merged_into
        and exists (select from public.report_skill_targets s where s.tenant_id = c.tenant_id);
    return null;
end $$;
create function ask_for_skill_levels() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select c.tenant_id, 'levels', c.id, now() from changed c join former f on f.tenant_id = c.tenant_id and f.id = c.id
    where c.current_version_id is distinct from f.current_version_id
        and exists (select from public.report_skill_targets s where s.tenant_id = c.tenant_id and s.skill_id = c.id);
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct c.tenant_id, 'terms', c.tenant_id, now() from changed c join former f on f.tenant_id = c.tenant_id and f.id = c.id
    where (c.code, c.framework_id) is distinct from (f.code, f.framework_id)
        and exists (select from public.report_skill_targets s where s.tenant_id = c.tenant_id);
    return null;
end $$;
create function ask_for_skill_cells() returns trigger language plpgsql as $$
begin
    insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select c.tenant_id, 'member', c.user_id, now() from (select distinct tenant_id, org_unit_id, user_id from changed) c
    where exists (select from public.report_skill_rollups r
        where r.tenant_id = c.tenant_id and r.org_unit_id = c.org_unit_id and r.user_id = c.user_id);
    return null;
end $$;
create trigger skills_changed after update on terms referencing old table as former new table as changed for each statement execute function ask_for_merged_terms();
create trigger skills_added after insert on term_relations referencing new table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_changed after update on term_relations referencing new table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_gone after delete on term_relations referencing old table as changed for each statement execute function ask_for_skill_matches();
create trigger skills_added after insert on group_members referencing new table as changed for each statement execute function ask_for_skill_cells();
create trigger skills_gone after delete on group_members referencing old table as changed for each statement execute function ask_for_skill_cells();
create trigger skills_changed after update on skills referencing old table as former new table as changed for each statement execute function ask_for_skill_levels();
