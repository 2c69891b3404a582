-- A shared view says who saved it, so that it is in their export, and loses its name when they are forgotten.
do $$
declare rule text;
begin
    select conname into strict rule from pg_constraint
        where conrelid = 'inventory_views'::regclass and contype = 'c' and pg_get_constraintdef(oid) ~ 'owner_id';
    execute format('alter table inventory_views drop constraint %I', rule);
end $$;
alter table inventory_views add check (visibility = 'shared' or owner_id is not null);
