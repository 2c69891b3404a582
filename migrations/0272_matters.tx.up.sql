-- A hold can belong to a matter, a code that the tenant gives to a dispute or an inquiry, and has a day on which somebody looks
-- whether it is still needed.
alter table holds add column matter text not null default '' check (matter ~ '^[A-Za-z0-9._-]{0,64}$'), add column review_at timestamptz;
drop index holds_standing;
create unique index holds_standing on holds (tenant_id, subject_id, kind, reason_code, submission_id, matter)
    nulls not distinct where lifted_at is null;
create index holds_of_matter on holds (tenant_id, matter, subject_id, id) where lifted_at is null and matter <> '';
create index holds_to_review on holds (tenant_id, review_at, id) where lifted_at is null and review_at is not null;
grant update (review_at) on holds to assess_app;

-- What the search for residue found at the end of a forget, for somebody to decide about. row_key is the primary key without the
-- tenant; nothing that was found is here.
create table residue_findings (
    tenant_id   uuid not null,
    job_id      uuid not null,
    number      integer not null check (number > 0),
    id          uuid not null,
    table_name  text not null,
    column_name text not null,
    row_key     text not null,
    kind        text not null,
    form        text not null,
    verdict     text not null check (verdict in ('residue', 'possible')),
    decision    text check (decision in ('erased', 'changed', 'kept')),
    reason_code text,
    decided_by  text,
    decided_at  timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, job_id) references compliance_jobs (tenant_id, id),
    check ((decision is null) = (decided_at is null)),
    check ((decision = 'kept') = (reason_code is not null))
);
create unique index residue_findings_of_job on residue_findings (tenant_id, job_id, number);
create index residue_findings_listed on residue_findings (tenant_id, id);
create index residue_findings_open on residue_findings (tenant_id, id) where decision is null;
call protect('residue_findings', 'tenant', 'select, insert, update (decision, reason_code, decided_by, decided_at)');
