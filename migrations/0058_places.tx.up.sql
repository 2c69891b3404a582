-- On a database that Citus spreads over several nodes a new table gets its place before its policies: its rows lie with those of the
-- other tables of their tenant.

create procedure place(tbl regclass) language plpgsql as $$
begin
    if exists (select from pg_extension where extname = 'citus') then
        if exists (select from pg_dist_partition where logicalrelid = 'public.org_units'::regclass and partmethod = 'h') then
            perform create_distributed_table(tbl, 'tenant_id', colocate_with => 'public.org_units');
        end if;
    end if;
end $$;

-- As in 0001, but for the place.
create or replace procedure protect(tbl regclass, kind text, privileges text) language plpgsql as $$
declare
    in_tenant constant text := 'tenant_id = scope_tenant()';
    in_org constant text := ' and coalesce(org_unit_id = scope_org_unit(), true)';
    test text := in_tenant || case kind when 'org' then in_org else '' end;
begin
    if kind not in ('tenant', 'org') then
        raise exception 'protect: unknown kind %', kind;
    end if;
    if kind = 'org' and not exists (select from pg_attribute
            where attrelid = tbl and attname = 'org_unit_id' and attnotnull) then
        raise exception 'protect: %.org_unit_id may be null', tbl;
    end if;
    call place(tbl);
    execute format('alter table %s enable row level security, force row level security', tbl);
    execute format('create policy scope on %s to assess_app using (%s) with check (%s)', tbl, test, test);
    execute format('grant %s on %s to assess_app', privileges, tbl);
end $$;
