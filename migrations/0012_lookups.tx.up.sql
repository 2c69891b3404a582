-- The few things that must be known before a scope exists. Each is a narrow function
-- that runs as the owner of the schema; the owner reads through the policies below, and
-- nothing else does. search_path is pinned, as for every SECURITY DEFINER function.

create policy lookup on tenants for select to current_user using (true);
create policy lookup on magic_links for select to current_user using (true);
create policy lookup on projection_outbox for select to current_user using (true);
create policy lookup on sessions for select to current_user using (true);
create policy lookup on report_question_health_rollup for select to current_user using (true);
create policy lookup on question_search for select to current_user using (true);
create policy lookup on passage_search for select to current_user using (true);
create policy lookup on evaluation_search for select to current_user using (true);

create function tenant_by_slug(wanted text) returns uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select id from tenants where slug = wanted $$;

create function magic_link_by_hash(wanted bytea, out tenant uuid, out link uuid)
    language sql stable security definer set search_path = pg_catalog, public as
$$ select tenant_id, id from magic_links where token_hash = wanted $$;

-- Which tenants have outbox rows: a skip scan over the primary key, one probe a tenant.
create function tenants_to_project(most integer) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as $$
    with recursive t (id) as (
        (select tenant_id from projection_outbox order by tenant_id limit 1)
        union all
        select (select o.tenant_id from projection_outbox o where o.tenant_id > t.id order by o.tenant_id limit 1)
        from t where t.id is not null
    )
    select id from t where id is not null limit most
$$;

-- The age of the oldest outbox row and the number waiting, over all tenants, for
-- readiness and metrics. Rows are deleted when projected, so the table stays small.
create function projection_backlog(out waiting bigint, out oldest timestamptz)
    language sql stable security definer set search_path = pg_catalog, public as
$$ select count(*), min(enqueued_at) from (select enqueued_at from projection_outbox limit 100000) o $$;

create function tenants_with_stale_percentiles() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select distinct tenant_id from report_question_health_rollup where percentiles_stale $$;

-- Open sessions whose time ran out before the given moment.
create function overdue_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language sql stable security definer set search_path = pg_catalog, public as $$
    select tenant_id, id from sessions
    where state = 'open' and deadline_at is not null and deadline_at < before
    order by deadline_at limit most
$$;

create function all_tenants() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select id from tenants order by id $$;

-- Full-text search: @@ is no condition on an index behind row-level security, so that these
-- look for a tsquery in the scope of the transaction. The lexemes of the scope are part of
-- the query; without a scope it is null and finds nothing.
create function search_scope() returns tsquery
    language sql stable set search_path = pg_catalog, public as $$
    select ('''T:' || nullif(current_setting('app.tenant_id', true), '') || '''' ||
        case when current_setting('app.scope_all', true) = 'on' then ''
        else ' & ''O:' || nullif(current_setting('app.org_unit_id', true), '') || '''' end)::tsquery
$$;

create function search_questions(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select question_id from question_search where document @@ (select search_scope() && wanted::tsquery) $$;

create function search_passages(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select passage_id from passage_search where document @@ (select search_scope() && wanted::tsquery) $$;

create function search_evaluations(wanted text) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public as
$$ select evaluation_id from evaluation_search where document @@ (select search_scope() && wanted::tsquery) $$;

revoke execute on all functions in schema public from public;
revoke execute on all routines in schema public from public;
grant execute on function tenant_by_slug, magic_link_by_hash, tenants_to_project, projection_backlog,
    tenants_with_stale_percentiles, overdue_sessions, all_tenants, search_questions, search_passages, search_evaluations to assess_app;
