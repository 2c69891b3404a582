-- Scope: how every later table keeps tenants and org units apart (decisions, section 2), and the procedures that later
-- tables are made with.
--
-- A transaction states its scope once, in four settings: app.tenant_id, app.org_unit_id, app.scope_all ('on' or 'off')
-- and app.actor. The policies read them through the two functions below, which PostgreSQL writes into the statement in
-- place of the call. nullif matters: after a transaction a custom setting reads '' and not null. A value that is no
-- uuid is an error.

revoke all on schema public from public;
grant usage on schema public to assess_app;

create function scope_tenant() returns uuid language sql stable parallel safe
    return nullif(current_setting('app.tenant_id', true), '')::uuid;

-- Null means every org unit, and the nil id, which no org unit has, none.
create function scope_org_unit() returns uuid language sql stable parallel safe
    return case when current_setting('app.scope_all', true) = 'on' then null
        else coalesce(nullif(current_setting('app.org_unit_id', true), '')::uuid, '00000000-0000-0000-0000-000000000000') end;

-- On a database that Citus spreads over several nodes a new table gets its place before its policies: its rows lie with
-- the rows that other tables have of their tenant.
create procedure place(tbl regclass) language plpgsql as $$
begin
    if exists (select from pg_extension where extname = 'citus') then
        if exists (select from pg_dist_partition where logicalrelid = 'public.org_units'::regclass and partmethod = 'h') then
            perform create_distributed_table(tbl, 'tenant_id', colocate_with => 'public.org_units');
        end if;
    end if;
end $$;

-- protect puts a table under row-level security. kind is 'tenant' for tables that the whole tenant shares and 'org' for
-- tables whose rows belong to one org unit. A policy has no sub-select: PostgreSQL would start one for each table of
-- each statement, and Citus, which distributes tables by their tenant, takes no policy that has any.
create procedure protect(tbl regclass, kind text, privileges text) language plpgsql as $$
declare
    in_tenant constant text := 'tenant_id = scope_tenant()';
    -- coalesce is outside, where the planner takes it for true of half the rows; it expects next to none of
    -- "org_unit_id = coalesce(...)" and joins badly.
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
    call place(tbl);
    execute format('alter table %s enable row level security, force row level security', tbl);
    execute format('create policy scope on %s to assess_app using (%s) with check (%s)', tbl, test, test);
    execute format('grant %s on %s to assess_app', privileges, tbl);
end $$;

-- refuse_change is the trigger of append-only tables, and of what never changes in others.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- append_only is for tables whose rows never change and are never deleted.
create procedure append_only(tbl regclass) language plpgsql as $$
begin
    execute format('create trigger append_only before update or delete on %s for each row execute function refuse_change()', tbl);
    execute format('create trigger no_truncate before truncate on %s for each statement execute function refuse_change()', tbl);
end $$;

-- The columns that the arguments name may turn into the mark of what was erased, and a JSON object into one that has
-- the mark in each of its fields. All others stay as they are (decisions, section 10).
create function refuse_rewritten_text() returns trigger language plpgsql as $$
declare
    was constant jsonb := to_jsonb(old);
    becomes constant jsonb := to_jsonb(new);
    text_column text;
begin
    if becomes - tg_argv <> was - tg_argv then
        raise exception '% is written once', tg_table_name using errcode = 'restrict_violation';
    end if;
    foreach text_column in array tg_argv loop
        if becomes -> text_column is distinct from was -> text_column
            and becomes -> text_column is distinct from (case jsonb_typeof(was -> text_column)
                when 'string' then '"[erased]"'
                when 'object' then (select coalesce(jsonb_object_agg(field, '[erased]'), '{}') from jsonb_object_keys(was -> text_column) field)
            end)
        then
            raise exception '% of % is written once, and changes to [erased] alone', text_column, tg_table_name
                using errcode = 'restrict_violation';
        end if;
    end loop;
    return new;
end $$;

-- written_once is for what people wrote about submissions: it changes in one way only, when a text is erased.
create procedure written_once(tbl regclass, variadic texts text[]) language plpgsql as $$
begin
    execute format('create trigger written_once before update on %s for each row execute function refuse_rewritten_text(%s)',
        tbl, (select string_agg(quote_literal(t), ', ') from unnest(texts) t));
    execute format('grant update (%s) on %s to assess_app', (select string_agg(quote_ident(t), ', ') from unnest(texts) t), tbl);
end $$;

-- refuse_published_change guards version tables: a published row never changes again.
create function refuse_published_change() returns trigger language plpgsql as $$
begin
    if old.status = 'published' then
        raise exception 'a published version never changes' using errcode = 'AS001';
    end if;
    return new;
end $$;

-- refuse_published_delete guards version tables too: a published row goes only with what it is a version of, which is
-- gone already when a cascade comes here. The arguments name the table of that, and the column that refers to it. Its
-- schema is written out, as in each trigger that looks into a table: the sender of a statement chooses where other
-- names are looked up.
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

-- versions is for tables with the versions of a record, whose published rows never change: parent is the table of the
-- records, and reference the column that names one.
create procedure versions(tbl regclass, parent text, reference text) language plpgsql as $$
begin
    execute format('create trigger immutable before update on %s for each row execute function refuse_published_change()', tbl);
    execute format('create trigger kept before delete on %s for each row when (old.status = ''published'')
        execute function refuse_published_delete(%L, %L)', tbl, parent, reference);
    execute format('create trigger no_truncate before truncate on %s for each statement execute function refuse_change()', tbl);
end $$;

-- unsampled keeps ANALYZE from taking samples of columns that forgetting erases. The commonest values of a column are
-- kept in pg_statistic, where no job erases them and no vacuum of the table reaches them. What indexes compute of such
-- columns is not sampled either.
create procedure unsampled(tbl regclass, variadic columns text[]) language plpgsql as $$
declare
    name text;
begin
    foreach name in array columns loop
        execute format('alter table %s alter column %I set statistics 0', tbl, name);
    end loop;
end $$;

-- The instant a millisecond later, for rows whose time of change has to grow. "time + interval" counts as stable, since
-- a day is not the same everywhere, and Citus takes no such expression of a column in a change.
create function just_after(t timestamptz) returns timestamptz language sql immutable parallel safe
    return (t at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC';

-- The same for any number of seconds: seconds are the same everywhere, so this is immutable.
create function later_by(t timestamptz, seconds double precision) returns timestamptz language sql immutable parallel safe
    return (t at time zone 'UTC' + make_interval(secs => seconds)) at time zone 'UTC';

-- An instant that we wrote down as JSON does, with its zone, so that no setting changes how it is read.
create function instant_of(written text) returns timestamptz language plpgsql immutable parallel safe as $$
begin
    return written::timestamptz;
end $$;

-- When something was erased that has an end: the first time counts, and what has no end stays. It is in PL/pgSQL, which
-- is not written into the statement that calls it: a cluster takes no now() within case there.
create function erased_if_ending(erased_at timestamptz, expires_at timestamptz, at timestamptz) returns timestamptz
    language plpgsql immutable parallel safe as $$
begin
    return case when expires_at is null then erased_at else least(erased_at, at) end;
end $$;

-- Checks what waits for the commit, on the node that a statement about a tenant goes to: "set constraints" stays where
-- it is sent. The argument is what keeps Citus from calling it before.
create function check_now(of_rows bigint) returns boolean language plpgsql as $$
begin
    set constraints all immediate;
    return true;
end $$;
