-- The Merkle log over the event ledger, and the keys that sign for a tenant (decisions, section
-- 10; RFC 6962).

-- Seeds are sealed with auth.key_secret. A key that signed anything stays, for whoever checks it.
create table trust_keys (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    public_key  bytea not null check (length(public_key) = 32),
    sealed_seed bytea not null,
    created_at  timestamptz not null,
    retired_at  timestamptz,
    primary key (tenant_id, id)
);
create unique index trust_keys_in_use on trust_keys (tenant_id) where retired_at is null;
call protect('trust_keys', 'tenant', 'select, insert, update (retired_at)');

-- One row a tenant whose events are in its log. size is the number of events in the tree,
-- signed the size of the newest checkpoint, published that of the newest one that was written outside
-- the database (or was not to be), and batches the number of batches of submissions.
-- Whoever appends to the log locks the row.
create table ledger_logs (
    tenant_id uuid primary key references tenants (id),
    origin    text not null,
    size      bigint not null default 0,
    signed    bigint not null default 0,
    published bigint not null default 0,
    batches   bigint not null default 0
);
call protect('ledger_logs', 'tenant', 'select, insert, update');

-- The hashes of the tree, in tiles of up to 256 of one level, 32 bytes each. Level 0 holds the
-- leaves; a hash of level n + 1 is the root of a full tile of level n. The last tile of a level grows.
create table ledger_tiles (
    tenant_id uuid not null references tenants (id),
    level     integer not null check (level >= 0),
    place     bigint not null check (place >= 0),
    hashes    bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
    primary key (tenant_id, level, place)
);
alter table ledger_tiles alter column hashes set storage external; -- hashes do not compress
call protect('ledger_tiles', 'tenant', 'select, insert, update');

create table ledger_checkpoints (
    tenant_id  uuid not null references tenants (id),
    size       bigint not null check (size > 0),
    root       bytea not null check (length(root) = 32),
    key_id     uuid not null,
    note       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, size),
    foreign key (tenant_id, key_id) references trust_keys (tenant_id, id)
);
create index ledger_checkpoints_key on ledger_checkpoints (tenant_id, key_id);
call protect('ledger_checkpoints', 'tenant', 'select, insert');
call append_only('ledger_checkpoints');

-- Submissions whose state the log has to take up. erased says that personal data was taken out of
-- them, or that they were deleted. Like the projection's outbox it has no unique key that writers
-- could wait for.
create table ledger_states_due (
    tenant_id     uuid not null references tenants (id),
    id            bigint generated always as identity,
    submission_id uuid not null,
    erased        boolean not null default false,
    primary key (tenant_id, id)
);
call protect('ledger_states_due', 'tenant', 'select, insert, delete');

-- A batch of states is one event of the ledger, which names the Merkle root over them. leaves are
-- the leaf hashes in order, 32 bytes each.
create table ledger_batches (
    tenant_id uuid not null references tenants (id),
    number    bigint not null check (number > 0),
    event_id  uuid not null,
    leaves    bytea not null check (length(leaves) between 32 and 32000 and length(leaves) % 32 = 0),
    primary key (tenant_id, number)
);
alter table ledger_batches alter column leaves set storage external;
call protect('ledger_batches', 'tenant', 'select, insert');
call append_only('ledger_batches');

-- What a leaf of a batch says of a submission, without which there is no state_hash: then it was
-- deleted. It names no table of the submission, which may go.
create table ledger_states (
    tenant_id     uuid not null,
    batch         bigint not null,
    position      integer not null check (position >= 0),
    submission_id uuid not null,
    state_hash    text,
    state_scheme  text not null,
    score_version integer,
    status        text,
    erased        boolean not null,
    primary key (tenant_id, batch, position),
    foreign key (tenant_id, batch) references ledger_batches (tenant_id, number)
);
create index ledger_states_submission on ledger_states (tenant_id, submission_id, batch);
call protect('ledger_states', 'tenant', 'select, insert');
call append_only('ledger_states');

-- What was submitted before the log began.
create policy begin on submissions for select to current_user using (true);
create policy begin on ledger_states_due for insert to current_user with check (true);
insert into ledger_states_due (tenant_id, submission_id) select tenant_id, id from submissions order by tenant_id, completed_at, id;
drop policy begin on submissions;
drop policy begin on ledger_states_due;

create policy lookup on ledger_heads for select to current_user using (true);
create policy lookup on ledger_logs for select to current_user using (true);
create policy lookup on ledger_states_due for select to current_user using (true);

-- Tenants with events that are not in the log yet, a log without a checkpoint, or submissions to take
-- up: a row a tenant is read, and of the submissions one a tenant (a skip scan, as in tenants_to_project).
create function tenants_to_sequence() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (id) as (
        (select tenant_id from public.ledger_states_due order by tenant_id limit 1)
        union all
        select (select d.tenant_id from public.ledger_states_due d where d.tenant_id > t.id order by d.tenant_id limit 1)
        from due t where t.id is not null
    )
    select id from due where id is not null
    union
    select h.tenant_id from public.ledger_heads h left join public.ledger_logs l on l.tenant_id = h.tenant_id
    where h.last_seq > coalesce(l.size, 0) or l.size > l.signed or l.signed > l.published
$$;
revoke execute on function tenants_to_sequence from public;
grant execute on function tenants_to_sequence to assess_app;
