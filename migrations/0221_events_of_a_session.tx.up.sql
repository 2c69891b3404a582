-- How many events a session was sent; there is a most. No index has it, so that a save stays a heap-only update.
alter table sessions add column events_n integer not null default 0;
