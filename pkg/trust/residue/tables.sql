-- Every table with columns that can hold text or bytes: what can be read of it, and its primary key.
-- Partitions are read through their table. The types of keys are written out for the casts.
with readable as (
    select a.attrelid, a.attname, a.attnum,
        format_type(a.atttypid, null) as type,
        has_column_privilege(a.attrelid, a.attnum, 'select') as granted,
        coalesce(e.typname, y.typname)::text as base,
        y.typcategory = 'A' as is_array
    from pg_attribute a
    join pg_type y on y.oid = a.atttypid
    left join pg_type e on e.oid = y.typelem and y.typcategory = 'A'
    where a.attnum > 0 and not a.attisdropped
)
select n.nspname::text as schema, c.relname::text as name,
    exists (select from readable r where r.attrelid = c.oid and r.attname = 'tenant_id') as owned,
    coalesce((select array_agg(r.attname::text order by r.attnum) from readable r
        where r.attrelid = c.oid and r.granted and r.base = any($1)), '{}') as columns,
    coalesce((select array_agg(case when r.is_array or r.base = any($2) then '::text' else '' end order by r.attnum) from readable r
        where r.attrelid = c.oid and r.granted and r.base = any($1)), '{}') as casts,
    coalesce((select array_agg(r.attname::text order by r.attnum) from readable r
        where r.attrelid = c.oid and not r.granted and r.base = any($1)), '{}') as hidden,
    coalesce((select array_agg(r.attname::text order by k.place)
        from pg_index i, unnest(i.indkey) with ordinality as k (attnum, place), readable r
        where i.indrelid = c.oid and i.indisprimary and r.attrelid = c.oid and r.attnum = k.attnum and r.granted), '{}') as keys,
    coalesce((select array_agg(r.type order by k.place)
        from pg_index i, unnest(i.indkey) with ordinality as k (attnum, place), readable r
        where i.indrelid = c.oid and i.indisprimary and r.attrelid = c.oid and r.attnum = k.attnum and r.granted), '{}') as key_types
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm') and not c.relispartition
    and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%'
    and has_schema_privilege(n.oid, 'usage')
order by n.nspname <> 'public' or c.relname <> 'users', n.nspname, c.relname
