-- What a submission says about a skill: the sums of its facts, from which figures are derived. So a figure reads
-- a row a submission and not all facts behind it, and facts need no index of people: evidence finds
-- its submissions here.
create table report_skill_submissions (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    user_id       uuid not null,
    skill_id      uuid not null,
    completed_at  timestamptz not null,
    submission_id uuid not null,
    facts_n       integer not null,
    earned        numeric not null,
    weight        numeric not null,
    primary key (tenant_id, org_unit_id, user_id, skill_id, completed_at, submission_id)
);
call protect('report_skill_submissions', 'org', 'select, insert, update, delete');

-- Facts and figures are written anew, by a recalculation that this asks for.
truncate report_skill_facts, report_skill_rollups;
create policy begin on report_skill_targets for select to current_user using (true);
create policy begin on projection_outbox for insert to current_user with check (true);
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
    select distinct tenant_id, 'terms', tenant_id, now() from report_skill_targets;
drop policy begin on report_skill_targets;
drop policy begin on projection_outbox;

drop index report_skill_facts_by_person;

-- What a figure was put together from: where its strategy allows, the next submission is added to these sums and
-- nothing else is read. best is what the best submission earned, where that is the strategy.
alter table report_skill_rollups
    add strategy text not null,
    add earned numeric not null,
    add weight numeric not null,
    add best numeric,
    add newest_submission_id uuid not null,
    add newest_earned numeric not null,
    add newest_weight numeric not null,
    alter first_at set not null,
    alter last_at set not null,
    -- A figure that changes keeps its place beside the old one, and its index entries.
    set (fillfactor = 80);
