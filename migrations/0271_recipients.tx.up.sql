-- Who else has data of people: processors and recipients (GDPR, articles 19 and 30). name and contact are those of an organisation.
create table data_recipients (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    name       text not null,
    role       text not null check (role in ('processor', 'recipient')),
    purpose    text not null,
    gets       text not null,
    contact    text not null,
    webhook_id uuid,
    created_by text not null,
    created_at timestamptz not null,
    ended_at   timestamptz
);
create unique index data_recipients_named on data_recipients (tenant_id, name) where ended_at is null;
create index data_recipients_listed on data_recipients (tenant_id, created_at, id);
alter table data_recipients add primary key (tenant_id, id);
call protect('data_recipients', 'tenant', 'select, insert, update');

-- That a recipient is to be told of a request that was carried out, and to do the same.
create table recipient_tasks (
    tenant_id    uuid not null,
    id           uuid not null,
    request_id   uuid not null,
    recipient_id uuid not null,
    way          text not null check (way in ('webhook', 'mail', 'by_hand')),
    state        text not null check (state in ('open', 'acknowledged', 'given_up')),
    reason_code  text,
    reminders    integer not null default 0,
    told_at      timestamptz,
    remind_at    timestamptz,
    closed_by    text,
    closed_at    timestamptz,
    created_at   timestamptz not null,
    unique (tenant_id, request_id, recipient_id),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id),
    foreign key (tenant_id, recipient_id) references data_recipients (tenant_id, id),
    check ((state = 'open') = (closed_at is null)),
    check (remind_at is null or state = 'open')
);
create index recipient_tasks_listed on recipient_tasks (tenant_id, created_at desc, id desc);
create index recipient_tasks_of on recipient_tasks (tenant_id, recipient_id, created_at desc, id desc);
create index recipient_tasks_silent on recipient_tasks (tenant_id, remind_at, id) where remind_at is not null;
alter table recipient_tasks add primary key (tenant_id, id);
call protect('recipient_tasks', 'tenant', 'select, insert, update');
