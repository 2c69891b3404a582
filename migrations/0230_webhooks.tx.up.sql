-- Webhooks: who is told, what is to be sent, and how far each tenant's ledger has been read for it.

-- Secrets are sealed with auth.key_secret. The one before holds until before_until. Whoever sends to an endpoint has it by
-- claimed_by until claimed_until. replay_next to replay_last are events that are still to be sent again.
create table webhook_endpoints (
    tenant_id       uuid not null,
    id              uuid not null,
    org_unit_id     uuid,
    url             text not null,
    description     text not null default '',
    events          text[] not null,
    with_scores     boolean not null default false,
    sealed_secret   bytea not null,
    sealed_before   bytea,
    before_until    timestamptz,
    state           text not null default 'active' check (state in ('active', 'paused', 'disabled')),
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    since_seq       bigint not null,
    replay_next     bigint,
    replay_last     bigint,
    failing_since   timestamptz,
    claimed_by      uuid,
    claimed_until   timestamptz,
    created_by      text not null,
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index webhook_endpoints_org_unit on webhook_endpoints (tenant_id, org_unit_id);
call protect('webhook_endpoints', 'tenant', 'select, insert, update, delete');

-- An event for an endpoint. body is what is sent, byte for byte.
create table webhook_deliveries (
    tenant_id   uuid not null,
    id          uuid not null,
    endpoint_id uuid not null,
    event_id    uuid not null,
    event_type  text not null,
    seq         bigint not null,
    subject     text not null,
    user_id     uuid,
    body        text not null,
    occurred_at timestamptz not null,
    state       text not null default 'due' check (state in ('due', 'sent', 'failed')),
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    status      integer,
    answer      text,
    created_at  timestamptz not null,
    ended_at    timestamptz,
    primary key (tenant_id, id),
    unique (tenant_id, endpoint_id, event_id),
    foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, next_at) where state = 'due';
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, endpoint_id, created_at desc, id desc);
create index webhook_deliveries_user on webhook_deliveries (tenant_id, user_id) where user_id is not null;
create index webhook_deliveries_old on webhook_deliveries (tenant_id, created_at);
alter table webhook_deliveries alter column answer set statistics 0;
call protect('webhook_deliveries', 'tenant', 'select, insert, update, delete');

create table webhook_cursors (
    tenant_id uuid primary key references tenants (id),
    seq       bigint not null
);
call protect('webhook_cursors', 'tenant', 'select, insert, update');

create policy lookup on webhook_endpoints for select to current_user using (true);
create policy lookup on webhook_deliveries for select to current_user using (true);
create policy lookup on webhook_cursors for select to current_user using (true);

-- Tenants with events that nobody has been told of yet, or is to be told again.
create function tenants_to_tell() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select c.tenant_id from public.webhook_cursors c join public.ledger_heads h on h.tenant_id = c.tenant_id where h.last_seq > c.seq
    union
    select tenant_id from public.webhook_endpoints where replay_next is not null and state = 'active'
$$;

-- Endpoints with something to send, that nobody sends to: a skip scan, one probe an endpoint.
create function webhooks_to_send(at timestamptz, most integer, out tenant uuid, out endpoint uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    with recursive due (tenant_id, endpoint_id, next_at) as (
        (select tenant_id, endpoint_id, next_at from public.webhook_deliveries where state = 'due' order by tenant_id, endpoint_id, next_at limit 1)
        union all
        select n.* from due d cross join lateral (
            select w.tenant_id, w.endpoint_id, w.next_at from public.webhook_deliveries w
            where w.state = 'due' and (w.tenant_id, w.endpoint_id) > (d.tenant_id, d.endpoint_id)
            order by w.tenant_id, w.endpoint_id, w.next_at limit 1) n
    )
    select d.tenant_id, d.endpoint_id from due d join public.webhook_endpoints e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
    where d.next_at <= at and e.state = 'active' and (e.claimed_until is null or e.claimed_until <= at) limit most
$$;

revoke execute on function tenants_to_tell, webhooks_to_send from public;
grant execute on function tenants_to_tell, webhooks_to_send to assess_app;
