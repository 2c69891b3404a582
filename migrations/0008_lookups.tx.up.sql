-- The few things that must be known before a scope exists. Each is a narrow function that runs as the owner of the
-- schema; the owner reads through the policies that opened_to_owner makes, and nothing else does. search_path is
-- pinned, as for every SECURITY DEFINER function, with pg_temp last: left out, it would come first, and a temporary
-- table of the caller's with it.
--
-- A few functions serve one tenant: what they read is no leakproof index condition behind the programs' policy, or lies
-- in other org units than the caller's. Most are in PL/pgSQL: Citus plans a statement with parameters there, and inside
-- SQL it does not.

create procedure opened_to_owner(variadic tables regclass[]) language plpgsql as $$
declare
    tbl regclass;
begin
    foreach tbl in array tables loop
        execute format('create policy lookup on %s for select to current_user using (true)', tbl);
    end loop;
end $$;

-- People.

call opened_to_owner('tenants', 'users');

create function tenant_by_slug(wanted text) returns uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select id from public.tenants where slug = wanted $$;

create function all_tenants() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select id from public.tenants order by id $$;

-- The users of the transaction's tenant whose name or address has words that begin with the words of a text, and whose
-- metadata have the given "key=value" pairs; nobody without either.
create function find_users(words text, pairs text[]) returns table (id uuid, status text, created_at timestamptz)
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

-- Brings the stored members of dynamic groups in line with their rules, in every org unit of the transaction's tenant,
-- and tells who came and went: all members of some groups, or the memberships of some users; null means all. Only
-- active users are members.
--
-- It works with the rights of its caller, who may have changed users and groups a moment before: what a transaction
-- wrote on a node, the node shows nobody else. The caller looks across the org units of the tenant. Someone who enters
-- a group is joined with the group's own row: rows that a cluster reads in one part of a statement only, it sends to
-- every node, and each would have to be up whenever a user changes.
create function apply_group_rules(some_groups uuid[], some_users uuid[], at timestamptz)
    returns table (group_id uuid, user_id uuid, org_unit_id uuid, rule_version integer, entered boolean)
    language plpgsql set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
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
        insert into public.group_members as made (tenant_id, group_id, user_id, org_unit_id, added_at)
        select e.tenant_id, f.id, f.user_id, f.org_unit_id, at from fitting f
        join public.groups e on e.tenant_id = tenant and e.id = f.id
        on conflict do nothing returning made.group_id, made.user_id
    )
    select g.id, c.user_id, g.org_unit_id, g.rule_version, c.entered
    from (select gone.*, false from gone union all select come.*, true from come) c (group_id, user_id, entered)
    join g on g.id = c.group_id
    order by 1, 2;
end $$;

-- Content.

call opened_to_owner('question_versions', 'passage_versions', 'question_search', 'passage_search',
    'evaluation_search', 'libraries', 'library_installs', 'library_installed', 'report_evaluation_rollup');

-- How many versions of the tenant's questions and passages show an asset, in every org unit: containment could not use
-- its index behind the policies.
create function asset_uses(asset uuid, out published_questions bigint, out draft_questions bigint,
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

-- Full-text search: @@ is no condition on an index behind row-level security, so that these look for a tsquery in the
-- scope of the transaction. The lexemes of the scope are part of the query; without a scope it is null and finds
-- nothing.
create function search_scope() returns tsquery
    language sql stable set search_path = pg_catalog, public, pg_temp as $$
    select ('''T:' || nullif(current_setting('app.tenant_id', true), '') || '''' ||
        case when current_setting('app.scope_all', true) = 'on' then ''
        else ' & ''O:' || nullif(current_setting('app.org_unit_id', true), '') || '''' end)::tsquery
$$;

create function search_questions(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select question_id from public.question_search where tenant_id = tenant and document @@ within;
end $$;

create function search_passages(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select passage_id from public.passage_search where tenant_id = tenant and document @@ within;
end $$;

create function search_evaluations(wanted text) returns setof uuid
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    tenant constant uuid := public.scope_tenant();
    within constant tsquery := public.search_scope() && wanted::tsquery;
begin
    return query select evaluation_id from public.evaluation_search where tenant_id = tenant and document @@ within;
end $$;

-- Lineage counts what other org units did with a pack. It reads the sums of the reports, two rows an installed
-- evaluation, and never a submission. The owner of the library sees all installs, another org unit its own.
--
-- It looks up its sums install by install, whatever PostgreSQL knows of the tables: row by row of what is installed,
-- which is never much, and by the key: the index of the cut 'all' is out of its reach.
create function library_lineage(revision uuid)
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

-- Exams.

call opened_to_owner('assignment_schedules', 'sessions', 'remediations', 'remediation_submissions', 'lti_platforms',
    'lti_scores', 'lti_contexts');

-- Schedules with a run before the given moment.
create function due_schedules(before timestamptz, most integer)
    returns table (tenant uuid, schedule uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.assignment_schedules
    where next_at is not null and next_at < before
    order by next_at limit most;
end $$;

-- Open sessions whose time ran out before the given moment.
create function overdue_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is not null and deadline_at < before
    order by deadline_at limit most;
end $$;

-- Open sessions without a deadline that nobody has touched since the given moment. An index by the last activity would
-- cost every save, so the start, which is earlier, leads there.
create function idle_sessions(before timestamptz, most integer)
    returns table (tenant uuid, session uuid)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.sessions
    where state = 'open' and deadline_at is null and started_at < before and last_activity_at < before
    order by started_at limit most;
end $$;

-- Remediations that nobody works on any more, in the middle or with submissions that wait.
create function stalled_remediations(before timestamptz, out tenant uuid, out remediation uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    (select tenant_id, id from public.remediations where state in ('applying', 'reverting') and stepped_at < before order by stepped_at limit 100)
    union (select tenant_id, remediation_id from public.remediation_submissions where waiting limit 100)
$$;

-- Platforms with grades to send, that nobody sends to: a skip scan, one probe a platform.
create function lti_to_send(at timestamptz, most integer, out tenant uuid, out platform uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (tenant_id, platform_id, next_at) as (
        (select tenant_id, platform_id, next_at from public.lti_scores where state = 'due' order by tenant_id, platform_id, next_at limit 1)
        union all
        select n.* from due d cross join lateral (
            select s.tenant_id, s.platform_id, s.next_at from public.lti_scores s
            where s.state = 'due' and (s.tenant_id, s.platform_id) > (d.tenant_id, d.platform_id)
            order by s.tenant_id, s.platform_id, s.next_at limit 1) n
    )
    select d.tenant_id, d.platform_id from due d join public.lti_platforms p on p.tenant_id = d.tenant_id and p.id = d.platform_id
    where d.next_at <= at and p.status = 'active' and (p.claimed_until is null or p.claimed_until <= at) and (p.next_at is null or p.next_at <= at) limit most
$$;

-- Courses whose members are to be read now, and that nobody reads.
create function lti_to_sync(at timestamptz, most integer, out tenant uuid, out course uuid) returns setof record
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.lti_contexts where sync_at <= at and (claimed_until is null or claimed_until <= at) order by sync_at limit most;
end $$;

-- Proof.

call opened_to_owner('ledger_heads', 'ledger_logs', 'ledger_states_due', 'compliance_jobs', 'compliance_requests',
    'webhook_endpoints', 'webhook_deliveries', 'webhook_cursors');

-- Tenants with events that are not in the log yet, a log without a checkpoint, or submissions to take up: a row a
-- tenant is read, and of the submissions one a tenant (a skip scan, as in tenants_to_project). copying says that
-- checkpoints are to be copied, so that one without a copy is work, too.
create function tenants_to_sequence(copying boolean) returns setof uuid
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

-- Jobs that nobody works on: their process is gone, or none came.
create function standing_compliance_jobs(before timestamptz, out tenant uuid, out job uuid) returns setof record
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query
    select tenant_id, id from public.compliance_jobs where status in ('queued', 'running') and stepped_at < before order by stepped_at limit 100;
end $$;

-- How many open requests of all tenants are in time, for the metrics.
create function open_requests(present timestamptz, out sla_state text, out n bigint) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select case when due_at < coalesce(identity_asked_at, present) then 'breached' when identity_asked_at is not null then 'paused'
        when due_at - present < (due_at - clock_from) / 5 then 'at_risk' else 'on_track' end, count(*)
    from public.compliance_requests where ended_at is null group by 1
$$;

-- Tenants with events that nobody has been told of yet, or is to be told again.
create function tenants_to_tell() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select c.tenant_id from public.webhook_cursors c join public.ledger_heads h on h.tenant_id = c.tenant_id where h.last_seq > c.seq
    union
    select tenant_id from public.webhook_endpoints where replay_next is not null and state = 'active'
$$;

-- Endpoints with something to send, that nobody sends to: a skip scan, one probe an endpoint.
create function webhooks_to_send(at timestamptz, most integer, out tenant uuid, out endpoint uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (tenant_id, endpoint_id, next_at) as (
        (select tenant_id, endpoint_id, next_at from public.webhook_deliveries where state = 'due' order by tenant_id, endpoint_id, next_at limit 1)
        union all
        select n.* from due d cross join lateral (
            select w.tenant_id, w.endpoint_id, w.next_at from public.webhook_deliveries w
            where w.state = 'due' and (w.tenant_id, w.endpoint_id) > (d.tenant_id, d.endpoint_id)
            order by w.tenant_id, w.endpoint_id, w.next_at limit 1) n
    )
    select d.tenant_id, d.endpoint_id from due d join public.webhook_endpoints e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
    where d.next_at <= at and e.state = 'active' and (e.claimed_until is null or e.claimed_until <= at) limit most
$$;

-- Reports and skills.

call opened_to_owner('projection_outbox', 'report_question_health_rollup', 'defensibility_exception_triage',
    'report_skill_stale');

-- Which tenants have outbox rows: a skip scan over the primary key, one probe a tenant.
create function tenants_to_project(most integer) returns setof uuid
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

-- The age of the oldest outbox row and the number waiting, over all tenants, for readiness and metrics. Rows are
-- deleted when projected, so the table stays small.
create function projection_backlog(out waiting bigint, out oldest timestamptz)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select count(*), min(enqueued_at) from (select enqueued_at from public.projection_outbox limit 100000) o $$;

create function tenants_with_stale_percentiles() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select distinct tenant_id from public.report_question_health_rollup where percentiles_stale $$;

create function tenants_with_stale_skills() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as
$$ select distinct tenant_id from public.report_skill_stale $$;

-- The lists of the exceptions queue count and page through tens of thousands of rows, each of which would cost what the
-- policy costs. This function looks for them in the scope of the transaction instead. Nulls and empty words are no
-- filter, except for the state: without it a row is meant that is not resolved. Execute plans each call for its
-- arguments, so that the index of the rows in question is read in the order of the list. It is read in less time than
-- workers take to start.
create function find_exceptions(state text, readiness_state text, reason text, owner_user_id uuid, evaluation_id uuid,
        unsuppressed_at timestamptz, newest_first boolean, most bigint, skip bigint, out total bigint, out page uuid[])
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0 as $$
declare
    tenant constant uuid := public.scope_tenant();
    unit constant uuid := public.scope_org_unit();
    matching constant text := '
        from public.defensibility_exception_triage
        where tenant_id = $1 and ($2 is null or org_unit_id = $2)
            and case when $3 = ''resolved'' then state = ''resolved'' and first_seen_at is not null else state <> ''resolved'' end
            and ($3 in ('''', ''resolved'') or state = $3) and ($4 = '''' or readiness_state = $4) and ($5 = '''' or $5 = any(reasons))
            and ($6 is null or owner_user_id = $6) and ($7 is null or evaluation_id = $7)
            and ($8 is null or suppressed_until is null or suppressed_until <= $8)';
    in_order constant text := case when newest_first then 'first_seen_at desc, submission_id desc' else 'first_seen_at, submission_id' end;
begin
    execute 'select count(*)' || matching into total
        using tenant, unit, state, readiness_state, reason, owner_user_id, evaluation_id, unsuppressed_at;
    if skip < total then
        execute 'select array(select submission_id' || matching || ' order by ' || in_order || ' limit $9 offset $10)' into page
            using tenant, unit, state, readiness_state, reason, owner_user_id, evaluation_id, unsuppressed_at, most, skip;
    end if;
end $$;

-- Rows that go because of a foreign key are deleted in the name of the tables' owner, and from PostgreSQL 18 on the
-- triggers that they set off run in that name, too. So what these triggers read and write is open to the owner in the
-- tenant that the transaction states, as it is to the programs.
create policy cascade on projection_outbox for insert to current_user with check (tenant_id = scope_tenant());
create policy cascade on report_skill_rollups for select to current_user using (tenant_id = scope_tenant());
create policy cascade on report_skill_targets for select to current_user using (tenant_id = scope_tenant());

-- Nobody calls a function that is not named here: first what policies, indexes and statements of the programs call,
-- then the functions above.
revoke execute on all routines in schema public from public;
grant execute on function scope_tenant, scope_org_unit, just_after, later_by, instant_of, erased_if_ending, check_now,
    fold_for_search, words_for_search, user_words, rule_path, bits, duration_step, step_end to assess_app;
grant execute on function tenant_by_slug, all_tenants, find_users, apply_group_rules, asset_uses, search_questions, search_passages,
    search_evaluations, library_lineage, due_schedules, overdue_sessions, idle_sessions, stalled_remediations, lti_to_send,
    lti_to_sync, tenants_to_sequence, standing_compliance_jobs, open_requests, tenants_to_tell, webhooks_to_send,
    tenants_to_project, projection_backlog, tenants_with_stale_percentiles, tenants_with_stale_skills, find_exceptions to assess_app;
