-- The few things that must be known before a scope exists. Each is a narrow function
-- that runs as the owner of the schema; the owner reads through the policies below, and
-- nothing else does. search_path is pinned, as for every SECURITY DEFINER function, with
-- pg_temp last: left out, it would come first, and a temporary table of the caller's with it.

create policy lookup on tenants for select to current_user using (true);
create policy lookup on projection_outbox for select to current_user using (true);
create policy lookup on assignment_schedules for select to current_user using (true);
create policy lookup on sessions for select to current_user using (true);
create policy lookup on question_versions for select to current_user using (true);
create policy lookup on passage_versions for select to current_user using (true);
create policy lookup on report_question_health_rollup for select to current_user using (true);
create policy lookup on question_search for select to current_user using (true);
create policy lookup on passage_search for select to current_user using (true);
create policy lookup on evaluation_search for select to current_user using (true);

-- For the two functions below that serve one tenant: what they read is no leakproof index
-- condition behind the programs' policy, or lies in other org units than the caller's.
create policy lookup on users for select to current_user using (true);
create policy lookup on user_org_units for select to current_user using (true);
create policy lookup on groups for select to current_user using (true);
create policy lookup on group_members for select to current_user using (true);
create policy enter on group_members for insert to current_user with check (true);
create policy leave on group_members for delete to current_user using (true);

create function tenant_by_slug(wanted text) returns uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select id from public.tenants where slug = wanted $$;

-- Which tenants have outbox rows: a skip scan over the primary key, one probe a tenant.
create function tenants_to_project(most integer) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive t (id) as (
        (select tenant_id from public.projection_outbox order by tenant_id limit 1)
        union all
        select (select o.tenant_id from public.projection_outbox o where o.tenant_id > t.id order by o.tenant_id limit 1)
        from t where t.id is not null
    )
    select id from t where id is not null limit most
$$;

-- The age of the oldest outbox row and the number waiting, over all tenants, for
-- readiness and metrics. Rows are deleted when projected, so the table stays small.
create function projection_backlog(out waiting bigint, out oldest timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select count(*), min(enqueued_at) from (select enqueued_at from public.projection_outbox limit 100000) o $$;

create function tenants_with_stale_percentiles() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select distinct tenant_id from public.report_question_health_rollup where percentiles_stale $$;

-- Open sessions whose time ran out before the given moment.
create function overdue_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is not null and deadline_at < before
    order by deadline_at limit most
$$;

-- Open sessions without a deadline that nobody has touched since the given moment. An index
-- by the last activity would cost every save, so the start, which is earlier, leads there.
create function idle_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is null and started_at < before and last_activity_at < before
    order by started_at limit most
$$;

-- Schedules with a run before the given moment.
create function due_schedules(before timestamptz, most integer)
    returns table (tenant uuid, schedule uuid)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select tenant_id, id from public.assignment_schedules
    where next_at is not null and next_at < before
    order by next_at limit most
$$;

-- How many versions of the tenant's questions and passages show an asset, in every org unit:
-- containment could not use its index behind the policies.
create function asset_uses(asset uuid, out published_questions bigint, out draft_questions bigint,
        out published_passages bigint, out draft_passages bigint)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select q.published, q.drafts, p.published, p.drafts from (
        select count(*) filter (where status = 'published') as published, count(*) filter (where status = 'draft') as drafts
        from public.question_versions
        where tenant_id = public.scope_tenant()
          and jsonb_path_exists(body, '$.**.assetId')
          and jsonb_path_query_array(body, '$.**.assetId') @> jsonb_build_array(asset::text)
    ) q, (
        select count(*) filter (where status = 'published') as published, count(*) filter (where status = 'draft') as drafts
        from public.passage_versions
        where tenant_id = public.scope_tenant()
          and jsonb_path_exists(body, '$.**.assetId')
          and jsonb_path_query_array(body, '$.**.assetId') @> jsonb_build_array(asset::text)
    ) p
$$;

create function all_tenants() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select id from public.tenants order by id $$;

-- The users of the transaction's tenant whose name or address has words that begin with
-- those of a text, and whose metadata have the given "key=value" pairs; nobody without either.
create function find_users(words text, pairs text[]) returns table (id uuid, status text, created_at timestamptz)
    language sql stable rows 100 security definer set search_path = pg_catalog, public, pg_temp as $$
    select id, status, created_at from public.users where tenant_id = public.scope_tenant()
    and public.user_words(tenant_id, name, email_key, metadata) @@ (
        select string_agg(format('''%s''%s', replace(replace(current_setting('app.tenant_id') || word, '\', '\\'), '''', ''''''), star),
            ' & ')::tsquery
        from (select distinct 'w' || w, ':*' from public.words_for_search(words) w
              union all select 'm' || p, '' from unnest(pairs) p) t (word, star))
$$;

-- Brings the stored members of dynamic groups in line with their rules, in every org unit of
-- the transaction's tenant, and tells who came and went: all members of some groups, or the
-- memberships of some users; null stands for all. Only active users are members.
create function apply_group_rules(some_groups uuid[], some_users uuid[], at timestamptz)
    returns table (group_id uuid, user_id uuid, org_unit_id uuid, rule_version integer, entered boolean)
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
    tenant constant uuid := public.scope_tenant();
begin
    return query
    with g as materialized (
        select id, org_unit_id, membership_path, rule_version from public.groups
        where tenant_id = tenant and is_dynamic and (some_groups is null or id = any(some_groups))
    ), fitting as materialized (
        select g.id, m.user_id, g.org_unit_id from g
        join public.user_org_units m on m.tenant_id = tenant and m.org_unit_id = g.org_unit_id
        join public.users u on u.tenant_id = tenant and u.id = m.user_id
        where u.status = 'active' and u.metadata @@ g.membership_path and (some_users is null or m.user_id = any(some_users))
    ), gone as (
        delete from public.group_members d using g
        where d.tenant_id = tenant and d.group_id = g.id and (some_users is null or d.user_id = any(some_users))
        -- "not in" hashes what fits; "not exists" would be nested loops while a young table has no statistics.
        and (d.group_id, d.user_id) not in (select id, user_id from fitting)
        returning d.group_id, d.user_id
    ), come as (
        insert into public.group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
        select tenant, id, user_id, org_unit_id, at from fitting
        on conflict do nothing returning group_id, user_id
    )
    select g.id, c.user_id, g.org_unit_id, g.rule_version, c.entered
    from (select gone.*, false from gone union all select come.*, true from come) c (group_id, user_id, entered)
    join g on g.id = c.group_id
    order by 1, 2;
end $$;

-- Full-text search: @@ is no condition on an index behind row-level security, so that these
-- look for a tsquery in the scope of the transaction. The lexemes of the scope are part of
-- the query; without a scope it is null and finds nothing.
create function search_scope() returns tsquery
    language sql stable set search_path = pg_catalog, public, pg_temp as $$
    select ('''T:' || nullif(current_setting('app.tenant_id', true), '') || '''' ||
        case when current_setting('app.scope_all', true) = 'on' then ''
        else ' & ''O:' || nullif(current_setting('app.org_unit_id', true), '') || '''' end)::tsquery
$$;

create function search_questions(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select question_id from public.question_search where document @@ (select public.search_scope() && wanted::tsquery) $$;

create function search_passages(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select passage_id from public.passage_search where document @@ (select public.search_scope() && wanted::tsquery) $$;

create function search_evaluations(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select evaluation_id from public.evaluation_search where document @@ (select public.search_scope() && wanted::tsquery) $$;

revoke execute on all functions in schema public from public;
revoke execute on all routines in schema public from public;
grant execute on function due_schedules to assess_app;
grant execute on function tenant_by_slug, tenants_to_project, projection_backlog,
    tenants_with_stale_percentiles, overdue_sessions, idle_sessions, asset_uses, all_tenants, search_questions, search_passages, search_evaluations to assess_app;
grant execute on function find_users, apply_group_rules,
    scope_tenant, scope_org_unit, fold_for_search, words_for_search, user_words, rule_path to assess_app;
