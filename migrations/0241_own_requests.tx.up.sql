-- What a tenant asks of erasures: that who grants one is not who recorded it, and that some days go by before it begins. A
-- tenant without a row asks for neither.
create table request_rules (
    tenant_id  uuid not null references tenants (id),
    two_people boolean not null,
    wait_days  integer not null check (wait_days between 0 and 28),
    set_by     text not null,
    set_at     timestamptz not null,
    primary key (tenant_id)
);
call protect('request_rules', 'tenant', 'select, insert, update');

-- An erasure that was granted begins no earlier.
alter table compliance_requests add column not_before timestamptz;

-- A person has one open request of a kind that they made themselves.
create unique index compliance_requests_own on compliance_requests (tenant_id, subject_id, kind) where channel = 'account' and ended_at is null;
