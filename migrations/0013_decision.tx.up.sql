-- What people decide about submissions (specification, section 3; decisions, section 4).

-- comment is what the decider wrote for other reviewers: free text, so it stays out of the
-- ledger and of reports, and is redacted with the person's answers.
create table submission_decisions (
    tenant_id     uuid not null,
    submission_id uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    decision      text not null check (decision in ('approve', 'reject', 'request_changes', 'reopen', 'void')),
    actor         text not null,
    comment       text not null default '',
    decided_at    timestamptz not null,
    primary key (tenant_id, submission_id, id),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id)
);
call protect('submission_decisions', 'org', 'select, insert, update');

-- A change of scores is a new version behind that of the submit, which has number 1.
-- submissions.score_version points to the newest, and score, max_score and outcome there are
-- its totals; so the first change writes down those of the submit too. A submission
-- whose scores never changed has no row here.
create table score_versions (
    tenant_id     uuid not null,
    submission_id uuid not null,
    number        integer not null check (number >= 1),
    org_unit_id   uuid not null,
    reason        text not null check (reason in ('submitted', 'remediation_applied', 'remediation_reverted', 'scored_by_person')),
    remediation_id uuid,
    actor         text not null,
    score         numeric(20, 10) not null,
    max_score     numeric(20, 10) not null,
    outcome_code  text not null check (outcome_code in ('pass', 'fail', 'incomplete')),
    outcome_label text not null,
    created_at    timestamptz not null,
    check ((number = 1) = (reason = 'submitted')),
    primary key (tenant_id, submission_id, number),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id)
);
call protect('score_versions', 'org', 'select, insert');
call append_only('score_versions');

-- The items whose score a version changed, and no others: the newest score of an item is
-- the row with the greatest number, and without one what submit gave it (submission_items).
create table item_scores (
    tenant_id          uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid not null,
    number             integer not null check (number > 1),
    org_unit_id        uuid not null,
    score_status       text not null check (score_status in ('SCORED', 'PENDING', 'INVALID', 'EXEMPT')),
    score_method       text not null,
    score              numeric(20, 10) not null,
    max_score          numeric(20, 10) not null,
    is_correct         boolean not null,
    invalid_code       text,
    correct_selected   integer not null,
    incorrect_selected integer not null,
    total_correct      integer not null,
    primary key (tenant_id, submission_id, submission_item_id, number),
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id)
);
call protect('item_scores', 'org', 'select, insert');
call append_only('item_scores');
