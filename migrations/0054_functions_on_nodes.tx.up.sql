-- Functions in SQL that Citus takes as well: it plans a statement with parameters inside PL/pgSQL, and inside SQL it does
-- not. What each of them finds, and how, is unchanged; the comments stand where each was made first.

create or replace function overdue_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is not null and deadline_at < before
    order by deadline_at limit most;
end $$;

create or replace function idle_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is null and started_at < before and last_activity_at < before
    order by started_at limit most;
end $$;

create or replace function due_schedules(before timestamptz, most integer)
    returns table (tenant uuid, schedule uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.assignment_schedules
    where next_at is not null and next_at < before
    order by next_at limit most;
end $$;

create or replace function stalled_remediations(before timestamptz, out tenant uuid, out remediation uuid) returns setof record
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.remediations where state in ('applying', 'reverting') and stepped_at < before order by stepped_at limit 100;
end $$;

create or replace function standing_compliance_jobs(before timestamptz, out tenant uuid, out job uuid) returns setof record
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.compliance_jobs where status in ('queued', 'running') and stepped_at < before order by stepped_at limit 100;
end $$;

-- A probe a tenant over the primary key.
create or replace function tenants_to_project(most integer) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    last uuid := '00000000-0000-0000-0000-000000000000';
    found_n integer := 0;
begin
    loop
        select tenant_id into last from public.projection_outbox where tenant_id > last order by tenant_id limit 1;
        exit when not found or found_n >= most;
        return next last;
        found_n := found_n + 1;
    end loop;
end $$;

drop function tenants_to_sequence();
create or replace function tenants_to_sequence(copying boolean) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    last uuid := '00000000-0000-0000-0000-000000000000';
    due uuid[] := '{}';
begin
    loop
        select tenant_id into last from public.ledger_states_due where tenant_id > last order by tenant_id limit 1;
        exit when not found;
        due := due || last;
    end loop;
    return query
    select unnest(due)
    union
    select h.tenant_id from public.ledger_heads h left join public.ledger_logs l on l.tenant_id = h.tenant_id
    where h.last_seq > coalesce(l.size, 0) or l.size > l.signed or copying and l.signed > l.published;
end $$;

create or replace function asset_uses(asset uuid, out published_questions bigint, out draft_questions bigint,
        out published_passages bigint, out draft_passages bigint)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
begin
    select count(*) filter (where status = 'published'), count(*) filter (where status = 'draft')
    into published_questions, draft_questions
    from public.question_versions
    where tenant_id = tenant
      and jsonb_path_exists(body, '$.**.assetId')
      and jsonb_path_query_array(body, '$.**.assetId') @> jsonb_build_array(asset::text);
    select count(*) filter (where status = 'published'), count(*) filter (where status = 'draft')
    into published_passages, draft_passages
    from public.passage_versions
    where tenant_id = tenant
      and jsonb_path_exists(body, '$.**.assetId')
      and jsonb_path_query_array(body, '$.**.assetId') @> jsonb_build_array(asset::text);
end $$;

create or replace function find_users(words text, pairs text[]) returns table (id uuid, status text, created_at timestamptz)
    language plpgsql stable rows 100 security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    tenant constant uuid := public.scope_tenant();
    wanted constant tsquery := (
        select string_agg(format('''%s''%s', replace(replace(tenant || word, '\', '\\'), '''', ''''''), star), ' & ')::tsquery
        from (select distinct 'w' || w, ':*' from public.words_for_search(words) w
              union all select 'm' || p, '' from unnest(pairs) p) t (word, star));
begin
    return query
    select id, status, created_at from public.users where tenant_id = tenant
    and public.user_words(tenant_id, name, email_key, metadata) @@ wanted;
end $$;

create or replace function search_questions(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select question_id from public.question_search where tenant_id = tenant and document @@ within;
end $$;

create or replace function search_passages(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select passage_id from public.passage_search where tenant_id = tenant and document @@ within;
end $$;

create or replace function search_evaluations(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select evaluation_id from public.evaluation_search where tenant_id = tenant and document @@ within;
end $$;

create or replace function library_lineage(revision uuid)
    returns table (install uuid, into_unit uuid, state text, installed_at timestamptz, ended_at timestamptz, pos integer, kept boolean,
        source_version uuid, evaluation uuid, version uuid, submission_n bigint, linked_n bigint)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
    tenant constant uuid := public.scope_tenant();
    unit constant uuid := public.scope_org_unit();
begin
    return query
    select i.id, i.into_unit, i.state, i.installed_at, i.ended_at, d.position, d.kept, d.source_version_id, d.evaluation_id, d.evaluation_version_id,
        coalesce(whole.completed_n, 0), case when d.kept then 0 else coalesce(linked.completed_n, 0) end
    from public.library_installs i
    cross join lateral (select org_unit_id from public.libraries where tenant_id = tenant and id = i.library_id offset 0) l
    cross join lateral (select * from public.library_installed where tenant_id = tenant and install_id = i.id offset 0) d
    left join lateral (select completed_n from public.report_evaluation_rollup
        where tenant_id = tenant and org_unit_id = i.into_unit and evaluation_version_id = d.evaluation_id and cut = 'evaluation' and run_label = ''
            and group_id = '00000000-0000-0000-0000-000000000000' offset 0) whole on true
    left join lateral (select completed_n from public.report_evaluation_rollup
        where tenant_id = tenant and org_unit_id = i.into_unit and evaluation_version_id = d.evaluation_version_id and cut || '' = 'all' and run_label = ''
            and group_id = '00000000-0000-0000-0000-000000000000' offset 0) linked on true
    where i.tenant_id = tenant and i.revision_id = revision
      and (unit is null or l.org_unit_id = unit or i.into_unit = unit);
end $$;

-- It works for whoever calls it, who may have changed users and groups a moment before: what a transaction wrote on a
-- node, the node shows nobody else. The caller looks across the org units of the tenant.
alter function apply_group_rules(uuid[], uuid[], timestamptz) security invoker;
drop policy lookup on user_org_units;
drop policy lookup on groups;
drop policy lookup on group_members;
drop policy enter on group_members;
drop policy leave on group_members;

-- The triggers that ask for what hangs on their rows take these one by one: on a node, a statement cannot read the
-- changed rows together with a table.

create or replace function ask_for_readiness() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, submission_id from changed loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'readiness', c.submission_id, now());
    end loop;
    return null;
end $$;

create or replace function ask_for_readiness_of_subject() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, subject_id from changed where applies_to = 'submissions' loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'readiness', c.subject_id, now());
    end loop;
    return null;
end $$;

create or replace function ask_for_readiness_of_level() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id, level from changed where applies_to = 'submissions' loop
        insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
        values (c.tenant_id, 'policy', ('00000000-0000-0000-0000-00000000000' || right(c.level, 1))::uuid, now());
    end loop;
    return null;
end $$;

create or replace function ask_for_skill_matches() returns trigger language plpgsql as $$
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

create or replace function ask_for_merged_terms() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id from changed n join former f using (tenant_id, id)
        where n.merged_into is distinct from f.merged_into
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create or replace function ask_for_skill_levels() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select tenant_id, id from changed n join former f using (tenant_id, id)
        where n.current_version_id is distinct from f.current_version_id
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id and skill_id = c.id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'levels', c.id, now());
        end if;
    end loop;
    for c in select distinct tenant_id from changed n join former f using (tenant_id, id)
        where (n.code, n.framework_id) is distinct from (f.code, f.framework_id)
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create or replace function ask_for_skill_cells() returns trigger language plpgsql as $$
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
