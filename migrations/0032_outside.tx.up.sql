-- Every checkpoint gets its copy outside the database, also those that were signed before there was a place for
-- copies: ledger_logs.published is the size of the newest one that has its copy, and stays behind while no place
-- is named. What was counted as published until now may have had no place to go. A copy that is there already
-- is not written again.
update ledger_logs set published = 0;

-- The tenants whose logs have work to do. copying says that checkpoints are to be copied, so that one without a
-- copy is work, too. The function without an argument is for programs of the version before.
create function tenants_to_sequence(copying boolean) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (id) as (
        (select tenant_id from public.ledger_states_due order by tenant_id limit 1)
        union all
        select (select d.tenant_id from public.ledger_states_due d where d.tenant_id > t.id order by d.tenant_id limit 1)
        from due t where t.id is not null
    )
    select id from due where id is not null
    union
    select h.tenant_id from public.ledger_heads h left join public.ledger_logs l on l.tenant_id = h.tenant_id
    where h.last_seq > coalesce(l.size, 0) or l.size > l.signed or copying and l.signed > l.published
$$;
revoke execute on function tenants_to_sequence(boolean) from public;
grant execute on function tenants_to_sequence(boolean) to assess_app;
