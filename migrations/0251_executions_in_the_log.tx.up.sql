-- A state of the log names what was said of a submission when it was handed in, by its hash: rows of submission_executions have
-- no event of their own.
alter table ledger_states add column execution text check (execution ~ '^[0-9a-f]{64}$');
