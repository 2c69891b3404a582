-- A state of the log names the event that caused it. Whether personal data was taken out follows from the events, and not from
-- a row that waits.
alter table ledger_states add column cause bigint check (cause > 0);
alter table ledger_states_due drop column erased;

-- Rows of the compliance ledger have the id of their event.
create index ledger_events_id on ledger_events (tenant_id, id);
