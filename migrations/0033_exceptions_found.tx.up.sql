-- The lists of the exceptions queue count and page through tens of thousands of rows, of which each would
-- cost what the policy costs. This function looks for them in the scope of the transaction instead. Nulls
-- and empty words are no filter, but for the state: without it a row is meant that is not resolved. Execute
-- plans each call for its arguments, so that the index of the rows in question is read in the order of the
-- list. It is read in less time than workers take to start.
create policy lookup on defensibility_exception_triage for select to current_user using (true);
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
revoke execute on function find_exceptions from public;
grant execute on function find_exceptions to assess_app;
