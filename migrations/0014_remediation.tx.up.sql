-- Remediations and marks: what corrects scores after submit (specification, section 1.4;
-- decisions, section 4). The scores themselves are score_versions and item_scores.

-- The order in which remediations were applied, over all tenants: what was applied later
-- has a greater number.
create sequence remediation_order;
grant usage on sequence remediation_order to assess_app;

-- A remediation corrects one question version in the submissions of an evaluation version,
-- or in chosen ones. parameters are those of the rule. reason is free text and stays here.
-- reached is the submission up to which the running apply or revert is done, and stepped_at
-- when it got there.
create table remediations (
    tenant_id             uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid,
    question_version_id   uuid not null,
    rule                  text not null check (rule in ('exempt_question', 'rekey', 'full_credit', 'adjust_item')),
    parameters            jsonb not null default '{}',
    reason                text not null,
    state                 text not null check (state in ('draft', 'applying', 'applied', 'reverting', 'reverted', 'failed')),
    created_by            text not null,
    started_by            text,
    applied_number        bigint,
    reached               uuid,
    submissions_n         integer not null default 0,
    done_n                integer not null default 0,
    changed_n             integer not null default 0,
    created_at            timestamptz not null,
    updated_at            timestamptz not null,
    stepped_at            timestamptz,
    applied_at            timestamptz,
    reverted_at           timestamptz,
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id)
);
create index remediations_by_version on remediations (tenant_id, evaluation_version_id, id);
create index remediations_under_way on remediations (stepped_at) where state in ('applying', 'reverting');
alter table remediations add primary key (tenant_id, id);
call protect('remediations', 'org', 'select, insert, update, delete');

-- Which submissions a remediation is about, fixed when it begins to be applied. active says
-- that it counts in the score of the submission now. active is in no index, so that turning
-- it writes none.
create table remediation_submissions (
    tenant_id      uuid not null,
    remediation_id uuid not null,
    submission_id  uuid not null,
    org_unit_id    uuid not null,
    active         boolean not null default false,
    foreign key (tenant_id, remediation_id) references remediations (tenant_id, id) on delete cascade,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id)
) with (fillfactor = 70);
alter table remediation_submissions add primary key (tenant_id, remediation_id, submission_id);
-- The index comes last: while the table has no statistics yet, the planner takes the newest of
-- the indexes that seem equally good, and the primary key would read the whole tenant for the
-- remediations of one submission.
create index remediation_submissions_of on remediation_submissions (tenant_id, submission_id);
call protect('remediation_submissions', 'org', 'select, insert, update, delete');

-- What people gave an item; the newest counts. comment is free text: it stays out of the
-- ledger and of reports, and is redacted with the person's answers. score_version is that of
-- the submission afterwards.
create table item_marks (
    tenant_id          uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid not null,
    number             integer not null check (number >= 1),
    org_unit_id        uuid not null,
    score              numeric(20, 10) not null,
    actor              text not null,
    comment            text not null default '',
    score_version      integer not null,
    marked_at          timestamptz not null,
    primary key (tenant_id, submission_id, submission_item_id, number),
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id)
);
call protect('item_marks', 'org', 'select, insert, update');

create policy lookup on remediations for select to current_user using (true);

-- Remediations that stand still in the middle: whoever worked on them is gone.
create function stalled_remediations(before timestamptz, out tenant uuid, out remediation uuid) returns setof record
    language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select tenant_id, id from public.remediations where state in ('applying', 'reverting') and stepped_at < before order by stepped_at limit 100
$$;
revoke execute on function stalled_remediations from public;
grant execute on function stalled_remediations to assess_app;
