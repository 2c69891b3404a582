-- The tables and columns whose foreign keys lead to org units.
select t.relname, a.attname
from pg_constraint c
join pg_class t on t.oid = c.conrelid
join pg_attribute a on a.attrelid = c.conrelid
    and a.attnum = c.conkey[array_position(c.confkey, (select k.attnum from pg_attribute k where k.attrelid = c.confrelid and k.attname = 'id'))]
where c.contype = 'f' and c.confrelid = 'org_units'::regclass and c.conparentid = 0
order by 1, 2
