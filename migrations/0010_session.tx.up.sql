-- Sessions, answers, and the durable submission (specification, sections 2.1, 2.2, 3).

-- A submission takes the id of its session: one attempt, one id. extra_time_seconds is what
-- overrides and proctors have added, override_seconds the part of it that is an override's.
-- receipt is the newest link of the chain of receipts: SHA-256 of the previous receipt and the
-- saved answers. view counts the devices that took the session over: only the newest may write.
-- furthest is the place of the furthest answer, under linear navigation; section_starts says when
-- sections began, by their ids, where one has a time limit; drawn lists the drawn items where more
-- than the seed decides on them; acted_by names, as actors, everybody who
-- started the session or saved answers but its own person. None of these columns is indexed, so that a save stays a
-- heap-only update.
create table sessions (
    tenant_id             uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    started_by            text not null,
    state                 text not null check (state in ('open', 'submitted', 'expired', 'closed', 'abandoned')),
    assignment_id         uuid,
    run_label             text,
    started_at            timestamptz not null,
    deadline_at           timestamptz,
    extra_time_seconds    integer not null default 0,
    override_seconds      integer not null default 0,
    last_activity_at      timestamptz not null,
    ended_at              timestamptz,
    revision              bigint not null default 0,
    receipt               bytea not null default '',
    seed                  bigint not null,
    view                  integer not null default 1,
    furthest              integer,
    section_starts        jsonb,
    drawn                 uuid[],
    acted_by              text[],
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id)
) with (fillfactor = 70);
create index sessions_attempts on sessions (tenant_id, evaluation_id, user_id, started_at);
-- What lists filter by is in the index too. It changes only with what other indexes hold anyway.
create index sessions_version on sessions (tenant_id, evaluation_version_id, id)
    include (org_unit_id, state, deadline_at, run_label);
create index sessions_user on sessions (tenant_id, user_id);
create index sessions_assignment on sessions (tenant_id, assignment_id, user_id) where assignment_id is not null;
create index sessions_open on sessions (tenant_id, evaluation_id, evaluation_version_id) where state = 'open';
-- For expiry, and without a deadline for abandonment. last_activity_at stays out: a save
-- changes it.
create index sessions_ending on sessions (deadline_at, started_at) where state = 'open';
-- The primary key comes last: while a table has no statistics yet, the planner takes the
-- newest of the indexes that seem equally good, and another one would read the whole tenant.
alter table sessions add primary key (tenant_id, id);
call protect('sessions', 'org', 'select, insert, update, delete');

create table session_answers (
    tenant_id     uuid not null,
    session_id    uuid not null,
    item_id       uuid not null,
    org_unit_id   uuid not null,
    sequence      bigint not null,
    response      jsonb,
    time_spent_ms bigint check (time_spent_ms >= 0),
    started_at    timestamptz,
    answered_at   timestamptz not null,
    primary key (tenant_id, session_id, item_id),
    foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
) with (fillfactor = 80);
call protect('session_answers', 'org', 'select, insert, update, delete');

create table session_events (
    tenant_id   uuid not null,
    session_id  uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    event_type  text not null check (event_type in ('focus_lost', 'focus_gained', 'fullscreen_exit',
                'fullscreen_enter', 'copy', 'paste', 'network_lost', 'network_restored', 'heartbeat')),
    occurred_at timestamptz not null,
    primary key (tenant_id, session_id, id),
    foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
call protect('session_events', 'org', 'select, insert, delete');

-- What proctors did with a session. reason is free text: it stays out of the ledger and of
-- reports, and is redacted with the person's answers.
create table session_actions (
    tenant_id          uuid not null,
    session_id         uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    action             text not null check (action in ('close', 'extend')),
    actor              text not null,
    reason             text not null,
    extra_time_seconds integer,
    acted_at           timestamptz not null,
    primary key (tenant_id, session_id, id),
    foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
);
call protect('session_actions', 'org', 'select, insert, update');

-- In how many sessions a draw showed a question, for evaluations that bound it.
create table question_exposures (
    tenant_id     uuid not null,
    evaluation_id uuid not null,
    question_id   uuid not null,
    org_unit_id   uuid not null,
    sessions      integer not null,
    primary key (tenant_id, evaluation_id, question_id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id) on delete cascade
);
call protect('question_exposures', 'org', 'select, insert, update');

-- acted_by names everybody but the person who started the session, saved answers or handed it in;
-- null for nobody. seed is the session's: with the snapshot it gives the order of options again, also when
-- the session itself is gone. pending says that an item which counts waits for a person to
-- score it; whatever changes the scores says it anew.
create table submissions (
    tenant_id             uuid not null,
    id                    uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    submitted_by          text not null,
    acted_by              text[],
    status                text not null check (status in ('completed', 'voided')),
    completion_method     text not null check (completion_method in
                          ('submitted', 'auto_submitted', 'proctor_submitted', 'imported')),
    started_at            timestamptz not null,
    completed_at          timestamptz not null,
    score                 numeric(20, 10) not null,
    max_score             numeric(20, 10) not null,
    outcome_code          text not null check (outcome_code in ('pass', 'fail', 'incomplete')),
    outcome_label         text not null,
    pending               boolean not null default false,
    assignment_id         uuid,
    batch_id              uuid,
    run_label             text,
    snapshot_hash         text not null,
    seed                  bigint not null default 0,
    score_version         integer not null default 1,
    approval_status       text not null check (approval_status in
                          ('not_required', 'pending_review', 'approved', 'rejected', 'changes_requested')),
    retain_until          timestamptz,
    retention_basis       text,
    hold_flag             boolean not null default false,
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, snapshot_hash) references version_snapshots (tenant_id, hash)
);
-- What lists filter by is in the index, so that a filter which few of a million pass is
-- answered from the index alone.
create index submissions_by_evaluation on submissions (tenant_id, evaluation_id, completed_at desc, id)
    include (org_unit_id, status, outcome_code, approval_status, run_label, assignment_id);
create index submissions_by_version on submissions (tenant_id, evaluation_version_id);
create index submissions_by_user on submissions (tenant_id, user_id, completed_at desc, id);
create index submissions_by_assignment on submissions (tenant_id, assignment_id, completed_at desc, id) where assignment_id is not null;
-- What waits for people, to be marked or to be reviewed. A submission that waits for nobody is
-- not in it, so that most submits do not write it.
create index submissions_waiting on submissions (tenant_id, evaluation_id, completed_at, id)
    include (org_unit_id, user_id, pending, approval_status, outcome_code, run_label, assignment_id)
    where status = 'completed' and (pending or approval_status = 'pending_review');
create index submissions_by_time on submissions (tenant_id, completed_at, id);
alter table submissions add primary key (tenant_id, id); -- last, as for sessions
call protect('submissions', 'org', 'select, insert, update');

-- An item keeps the score that submit gave it (score version 1). id is the
-- submission_item_id; it stands behind the submission in the key because items are
-- read by submission, and one index is cheaper than two.
create table submission_items (
    tenant_id           uuid not null,
    submission_id       uuid not null,
    id                  uuid not null,
    org_unit_id         uuid not null,
    item_id             uuid not null,
    question_version_id uuid not null,
    position            integer not null,
    qtype               text not null,
    response            jsonb,
    score_status        text not null check (score_status in ('SCORED', 'PENDING', 'INVALID', 'EXEMPT')),
    score_method        text not null,
    score               numeric(20, 10) not null,
    max_score           numeric(20, 10) not null,
    is_correct          boolean not null,
    is_omitted          boolean not null,
    omit_reason         text,
    invalid_code        text,
    correct_selected    integer not null,
    incorrect_selected  integer not null,
    total_correct       integer not null,
    time_spent_ms       bigint,
    started_at          timestamptz,
    answered_at         timestamptz,
    primary key (tenant_id, submission_id, id),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id)
);
call protect('submission_items', 'org', 'select, insert');

-- What the projector still has to do. No unique key and no counter: submits never wait
-- for one another here. A subject that cannot be projected waits until not_before, longer
-- after each failure, and holds up nobody else.
create table projection_outbox (
    tenant_id   uuid not null,
    id          bigint generated always as identity,
    kind        text not null check (kind in ('session', 'submission', 'finding', 'assignment', 'key')),
    subject_id  uuid not null,
    enqueued_at timestamptz not null,
    not_before  timestamptz,
    failures    integer not null default 0,
    primary key (tenant_id, id)
);
call protect('projection_outbox', 'tenant', 'select, insert, update, delete');
