-- Whoever changes what people may do announces it in the same transaction (db.Tx.AnnounceAccess), and says so in
-- assess.announced. The trigger cannot do it where Citus spreads the database: it fires on the node of the row, where nobody
-- listens, and a node does not prepare a transaction that has notified. There the table is a shard, with a number in its
-- name, and a change that was not announced is refused. On one server the trigger goes on announcing what
-- a process of an earlier version changes, unless the setting is 'must', as it is in tests.
create or replace function announce_access() returns trigger language plpgsql as $$
declare
    announced text := current_setting('assess.announced', true);
begin
    if announced = 'true' then
        return null;
    end if;
    if announced = 'must' or tg_table_name ~ '_[0-9]{6,}$' then
        raise exception 'a change of % is to be announced first', regexp_replace(tg_table_name, '_[0-9]{6,}$', '')
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    perform pg_notify('assess_access', coalesce(new.tenant_id, old.tenant_id)::text);
    return null;
end $$;
