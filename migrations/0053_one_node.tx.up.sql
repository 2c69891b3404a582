-- The instant a millisecond later, for rows whose time of change has to grow. "time + interval" counts as
-- stable, since a day is not the same everywhere, and Citus takes no such expression of a column in a change.
create function just_after(t timestamptz) returns timestamptz language sql immutable parallel safe
    return (t at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC';
grant execute on function just_after to assess_app;

-- Citus writes out the next number of an identity column, for which PostgreSQL itself asks no right.
grant usage on sequence projection_outbox_id_seq, ledger_states_due_id_seq to assess_app;
