-- Scope: how every later table keeps tenants and org units apart (decisions, section 2).
--
-- A transaction states its scope once, in four settings: app.tenant_id, app.org_unit_id,
-- app.scope_all ('on' or 'off') and app.actor. The policies read them through the two functions
-- below, which PostgreSQL writes into the statement in place of the call. nullif matters: after a
-- transaction a custom setting reads '' and not null. What is no uuid is an error.

revoke all on schema public from public;
grant usage on schema public to assess_app;

create function scope_tenant() returns uuid language sql stable parallel safe
    return nullif(current_setting('app.tenant_id', true), '')::uuid;

-- Null stands for every org unit, and the nil id, which no org unit has, for none.
create function scope_org_unit() returns uuid language sql stable parallel safe
    return case when current_setting('app.scope_all', true) = 'on' then null
        else coalesce(nullif(current_setting('app.org_unit_id', true), '')::uuid, '00000000-0000-0000-0000-000000000000') end;

-- protect puts a table under row-level security. kind is 'tenant' for tables that the
-- whole tenant shares and 'org' for those that belong to one org unit. A policy has no sub-select:
-- PostgreSQL would start one for each table of each statement, and Citus, which distributes tables
-- by their tenant, takes no policy that has any.
create procedure protect(tbl regclass, kind text, privileges text) language plpgsql as $$
declare
    in_tenant constant text := 'tenant_id = scope_tenant()';
    -- coalesce stands outside, where the planner takes it for true of half the rows; it expects
    -- next to none of "org_unit_id = coalesce(...)" and joins badly.
    in_org constant text := ' and coalesce(org_unit_id = scope_org_unit(), true)';
    test text := in_tenant || case kind when 'org' then in_org else '' end;
begin
    if kind not in ('tenant', 'org') then
        raise exception 'protect: unknown kind %', kind;
    end if;
    -- A row without an org unit would pass for one of every org unit.
    if kind = 'org' and not exists (select from pg_attribute
            where attrelid = tbl and attname = 'org_unit_id' and attnotnull) then
        raise exception 'protect: %.org_unit_id may be null', tbl;
    end if;
    execute format('alter table %s enable row level security, force row level security', tbl);
    execute format('create policy scope on %s to assess_app using (%s) with check (%s)', tbl, test, test);
    execute format('grant %s on %s to assess_app', privileges, tbl);
end $$;

-- refuse_change is the trigger of append-only tables, and of what never changes in others.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- append_only makes a table one whose rows never change and never go.
create procedure append_only(tbl regclass) language plpgsql as $$
begin
    execute format('create trigger append_only before update or delete on %s for each row execute function refuse_change()', tbl);
    execute format('create trigger no_truncate before truncate on %s for each statement execute function refuse_change()', tbl);
end $$;

-- refuse_published_change guards version tables: a published row never changes again.
create function refuse_published_change() returns trigger language plpgsql as $$
begin
    if old.status = 'published' then
        raise exception 'a published version never changes' using errcode = 'AS001';
    end if;
    return new;
end $$;

-- refuse_published_delete guards version tables too: a published row goes only with what it
-- is a version of, which is gone already when a cascade comes here. The arguments name the
-- table of that, and the column that refers to it. Its schema is written out, as in each trigger
-- that looks into a table: whoever sends the statement chooses where other names are looked up.
create function refuse_published_delete() returns trigger language plpgsql as $$
declare
    lives boolean;
begin
    execute format('select exists (select from public.%I where tenant_id = $1 and id = $2)', tg_argv[0])
        into lives using old.tenant_id, (to_jsonb(old) ->> tg_argv[1])::uuid;
    if lives then
        raise exception 'a published version never goes' using errcode = 'AS001';
    end if;
    return old;
end $$;
