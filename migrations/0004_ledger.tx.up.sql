-- The event ledger: append-only, one unbroken sequence a tenant (specification, section 6).

create table ledger_heads (
    tenant_id uuid primary key references tenants (id),
    last_seq  bigint not null
);
call protect('ledger_heads', 'tenant', 'select, insert, update');

create table ledger_events (
    tenant_id    uuid not null references tenants (id),
    seq          bigint not null check (seq > 0),
    id           uuid not null,
    org_unit_id  uuid,
    event_type   text not null,
    actor        text not null,
    subject_type text not null,
    subject_id   uuid not null,
    request_id   text not null default '',
    payload      jsonb not null default '{}',
    occurred_at  timestamptz not null,
    primary key (tenant_id, seq),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index ledger_events_subject on ledger_events (tenant_id, subject_id, seq);
call protect('ledger_events', 'tenant', 'select, insert');
call append_only('ledger_events');
