-- Who enters a group is joined with the group's own row: what a cluster reads of one part of a statement alone it sends
-- to every node, and each would have to be up whenever a user changes. What the function finds is unchanged.

create or replace function apply_group_rules(some_groups uuid[], some_users uuid[], at timestamptz)
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
