-- Holds, restrictions of processing, and retention (specification, sections 2.1 and 2.11;
-- decisions, sections 6 and 10).

-- What stands against a person, for statements that ask no more: restricted while a processing
-- restriction stands, held while any hold of the whole person does. erasing says that a job takes the
-- person's data away, in more than one transaction: from then on nobody holds them any more.
alter table users
    add column restricted boolean not null default false,
    add column held       boolean not null default false,
    add column erasing    boolean not null default false;

-- A lifted hold stays. A legal hold may name one submission; the row outlives it.
create table holds (
    tenant_id     uuid not null,
    id            uuid not null,
    subject_id    uuid not null,
    submission_id uuid,
    kind          text not null check (kind in ('processing', 'legal')),
    reason_code   text not null,
    placed_by     text not null,
    placed_at     timestamptz not null,
    lifted_by     text,
    lifted_at     timestamptz,
    foreign key (tenant_id, subject_id) references users (tenant_id, id),
    check (submission_id is null or kind = 'legal'),
    check ((lifted_at is null) = (lifted_by is null))
);
create index holds_listed on holds (tenant_id, placed_at desc, id desc);
create index holds_by_subject on holds (tenant_id, subject_id, placed_at desc, id desc);
create unique index holds_standing on holds (tenant_id, subject_id, kind, reason_code, submission_id)
    nulls not distinct where lifted_at is null;
alter table holds add primary key (tenant_id, id); -- last, as for sessions
call protect('holds', 'tenant', 'select, insert, update (lifted_by, lifted_at)');
