-- Exams: what they are about, assignments, sessions, the durable submission, decisions about it, corrections of scores,
-- evidence, and learning platforms (specification, sections 1.4, 2.1, 2.2, 2.4, 2.12, 3 and 6; decisions, sections 4
-- and 7).

-- Something that exams are about besides users: a machine, a site, a product. Subjects, engagements and programme
-- requirements that nothing refers to may be deleted.
create table subjects (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    external_id text not null,
    name        text not null,
    kind        text not null default '',
    metadata    jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint subjects_external_id unique (tenant_id, org_unit_id, external_id)
);
create index subjects_updated on subjects (tenant_id, org_unit_id, updated_at desc, id);
call protect('subjects', 'org', 'select, insert, update, delete');

-- A piece of work, for a subject or for none.
create table engagements (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    external_id text,
    name        text not null,
    subject_id  uuid,
    status      text not null check (status in ('open', 'closed')),
    starts_at   timestamptz,
    ends_at     timestamptz,
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint engagements_subject foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    constraint engagements_external_id unique (tenant_id, org_unit_id, external_id)
);
create index engagements_updated on engagements (tenant_id, org_unit_id, updated_at desc, id);
create index engagements_by_subject on engagements (tenant_id, subject_id);
call protect('engagements', 'org', 'select, insert, update, delete');

-- An evaluation that a programme requires.
create table programme_requirements (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    external_id   text,
    programme     text not null,
    name          text not null,
    evaluation_id uuid not null,
    status        text not null check (status in ('active', 'retired')),
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint programme_requirements_evaluation foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    constraint programme_requirements_external_id unique (tenant_id, org_unit_id, external_id)
);
create index programme_requirements_updated on programme_requirements (tenant_id, org_unit_id, updated_at desc, id);
create index programme_requirements_by_evaluation on programme_requirements (tenant_id, evaluation_id);
call protect('programme_requirements', 'org', 'select, insert, update, delete');

-- Assignments outlive the schedule that made them. A trigger clears their reference, and not "on delete set null",
-- which Citus refuses in a key that has the column by which it distributes.
create function let_assignments_go() returns trigger language plpgsql as $$
begin
    update public.assignments set schedule_id = null where tenant_id = old.tenant_id and schedule_id = old.id;
    return old;
end $$;

-- A recurrence rule (RFC 5545) in a time zone, and the template of the assignments that each run makes. next_at is the
-- next run; null when the rule has no further one.
create table assignment_schedules (
    tenant_id         uuid not null,
    id                uuid not null,
    org_unit_id       uuid not null,
    evaluation_id     uuid not null,
    rule              text not null,
    time_zone         text not null,
    starts_at         timestamptz not null,
    target_type       text not null check (target_type in ('user_id', 'email', 'group_id')),
    target_refs       uuid[] not null check (cardinality(target_refs) > 0),
    window_seconds    integer check (window_seconds > 0),
    run_label_pattern text not null,
    subject_id        uuid,
    engagement_id     uuid,
    invite            boolean not null,
    status            text not null check (status in ('active', 'paused', 'ended')),
    next_at           timestamptz,
    created_by        text not null,
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    foreign key (tenant_id, engagement_id) references engagements (tenant_id, id),
    check (status = 'active' or next_at is null)
);
create index assignment_schedules_updated on assignment_schedules (tenant_id, org_unit_id, updated_at desc, id);
create index assignment_schedules_by_evaluation on assignment_schedules (tenant_id, evaluation_id);
create index assignment_schedules_by_subject on assignment_schedules (tenant_id, subject_id);
create index assignment_schedules_by_engagement on assignment_schedules (tenant_id, engagement_id);
create index assignment_schedules_due on assignment_schedules (next_at) where next_at is not null;
call protect('assignment_schedules', 'org', 'select, insert, update, delete');
create trigger let_go before delete on assignment_schedules for each row execute function let_assignments_go();

-- One row a run: the primary key is what makes a run happen once. problem says why a run made nothing.
create table assignment_occurrences (
    tenant_id   uuid not null,
    schedule_id uuid not null,
    occurs_at   timestamptz not null,
    org_unit_id uuid not null,
    batch_id    uuid not null,
    run_label   text not null,
    created     integer not null,
    problem     text,
    ran_at      timestamptz not null,
    primary key (tenant_id, schedule_id, occurs_at),
    foreign key (tenant_id, schedule_id) references assignment_schedules (tenant_id, id) on delete cascade
);
call protect('assignment_occurrences', 'org', 'select, insert');

-- An evaluation is to be taken by a person, a group, or anybody with a link. target_ref is the id of a user or of a
-- group, and null for a public link. An e-mail address without an account becomes a user with the status 'invited': so
-- addresses stay in the user record, and target_ref of an 'email' assignment is that user's id.
create table assignments (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    evaluation_id uuid not null,
    target_type   text not null check (target_type in ('user_id', 'email', 'group_id', 'public_link')),
    target_ref    text,
    token_hash    bytea,
    run_label     text,
    valid_from    timestamptz,
    valid_until   timestamptz,
    batch_id      uuid,
    schedule_id   uuid,
    subject_id    uuid,
    engagement_id uuid,
    status        text not null check (status in ('active', 'closed')),
    created_by    text not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    constraint assignments_subject foreign key (tenant_id, subject_id) references subjects (tenant_id, id),
    constraint assignments_engagement foreign key (tenant_id, engagement_id) references engagements (tenant_id, id),
    constraint assignments_token unique (tenant_id, token_hash),
    check (valid_until is null or valid_from is null or valid_until > valid_from),
    constraint assignments_schedule foreign key (tenant_id, schedule_id) references assignment_schedules (tenant_id, id)
);
create unique index assignments_target on assignments
    (tenant_id, org_unit_id, evaluation_id, target_type, target_ref, coalesce(run_label, ''))
    where status = 'active' and target_ref is not null;
create index assignments_by_target on assignments (tenant_id, target_ref);
create index assignments_by_subject on assignments (tenant_id, subject_id);
create index assignments_by_engagement on assignments (tenant_id, engagement_id);
create index assignments_by_evaluation on assignments (tenant_id, evaluation_id, created_at desc, id);
create index assignments_listed on assignments (tenant_id, org_unit_id, created_at desc, id);
create index assignments_by_batch on assignments (tenant_id, batch_id) where batch_id is not null;
create index assignments_by_schedule on assignments (tenant_id, schedule_id);
call protect('assignments', 'org', 'select, insert, update');

-- A person took up an assignment.
create table assignment_redemptions (
    tenant_id     uuid not null,
    assignment_id uuid not null,
    user_id       uuid not null,
    org_unit_id   uuid not null,
    redeemed_at   timestamptz not null,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_redemptions_by_user on assignment_redemptions (tenant_id, user_id, assignment_id);
call protect('assignment_redemptions', 'org', 'select, insert');

-- What one invitee has instead of the terms of the assignment.
create table assignment_overrides (
    tenant_id          uuid not null,
    assignment_id      uuid not null,
    user_id            uuid not null,
    org_unit_id        uuid not null,
    extra_time_seconds integer not null check (extra_time_seconds >= 0),
    extra_attempts     integer not null check (extra_attempts >= 0),
    valid_from         timestamptz,
    valid_until        timestamptz,
    reason             text not null,
    created_by         text not null,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_overrides_by_user on assignment_overrides (tenant_id, user_id);
-- What somebody wrote about others is theirs too: a data export finds it by its author.
create index assignment_overrides_by_author on assignment_overrides (tenant_id, created_by);
call unsampled('assignment_overrides', 'reason');
call protect('assignment_overrides', 'org', 'select, insert, update');

-- The mail to an invitee. sending counts how often it was requested.
create table assignment_invitations (
    tenant_id     uuid not null,
    assignment_id uuid not null,
    user_id       uuid not null,
    org_unit_id   uuid not null,
    status        text not null check (status in ('queued', 'sending', 'sent', 'failed')),
    sending       integer not null,
    problem       text check (problem in ('refused', 'interrupted', 'uncertain', 'withdrawn', 'no_address')),
    queued_at     timestamptz not null,
    sent_at       timestamptz,
    primary key (tenant_id, assignment_id, user_id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index assignment_invitations_by_user on assignment_invitations (tenant_id, user_id);
call protect('assignment_invitations', 'org', 'select, insert, update');

-- A link may invite to an assignment, and links come before assignments.
alter table magic_links add foreign key (tenant_id, assignment_id) references assignments (tenant_id, id);

-- An attempt that somebody takes or took. A submission takes the id of its session: one attempt, one id.
--
-- extra_time_seconds is what overrides and proctors have added, override_seconds the part of it that is an override's.
-- receipt is the newest link of the chain of receipts: SHA-256 of the previous receipt and the saved answers. view
-- counts the devices that took the session over: only the newest may write. furthest is the place of the furthest
-- answer, under linear navigation; section_starts says when sections began, by their ids, where one has a time limit;
-- drawn lists the drawn items where more than the seed decides on them; acted_by names, as actors, everybody who
-- started the session or saved answers except its own person. swept_at says that answers and reasons of an ended
-- session are gone. events_n counts the events that the session was sent, of which there is a maximum. The statements
-- of a save travel together: the second writes answers only where the first left its save_mark, a random number. No
-- index has any of these columns except swept_at, so that a save stays a heap-only update.
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
    swept_at              timestamptz,
    events_n              integer not null default 0,
    save_mark             bigint,
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id)
) with (fillfactor = 70);
create index sessions_attempts on sessions (tenant_id, evaluation_id, user_id, started_at);
-- What lists filter by is in the index too. It changes only with what other indexes hold anyway.
create index sessions_version on sessions (tenant_id, evaluation_version_id, id) include (org_unit_id, state, deadline_at, run_label);
create index sessions_user on sessions (tenant_id, user_id);
create index sessions_assignment on sessions (tenant_id, assignment_id, user_id) where assignment_id is not null;
create index sessions_open on sessions (tenant_id, evaluation_id, evaluation_version_id) where state = 'open';
-- For expiry, and without a deadline for abandonment. last_activity_at stays out: a save changes it.
create index sessions_ending on sessions (deadline_at, started_at) where state = 'open';
-- The primary key comes last: while a table has no statistics yet, the planner takes the newest of the indexes that
-- seem equally good, and another one would read the whole tenant.
alter table sessions add primary key (tenant_id, id);
create index sessions_ended on sessions (tenant_id, ended_at, id) where ended_at is not null and swept_at is null;
call protect('sessions', 'org', 'select, insert, update, delete');

-- The newest answer to an item. An older sequence number never replaces a newer one.
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
call unsampled('session_answers', 'response');
call protect('session_answers', 'org', 'select, insert, update, delete');

-- Something that the browser reported during a session.
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

-- What a proctor did with a session. reason is free text: it stays out of the ledger and of reports, and is redacted
-- with the person's answers.
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
create index session_actions_by_author on session_actions (tenant_id, actor);
call unsampled('session_actions', 'reason');
call protect('session_actions', 'org', 'select, insert');
call written_once('session_actions', 'reason');

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

-- An attempt that was handed in.
--
-- acted_by names everybody except the person who started the session, saved answers or handed it in; null for nobody.
-- seed is the session's: with the snapshot it gives the order of options again, also when the session itself is gone.
-- pending says that an item which counts waits for a person to score it; anything that changes the scores says it anew.
--
-- retain_until is the term of the submission and retention_basis the policy that gave it; erased_at says that the term
-- is over and a sweep erased the texts. texts_erased says that the texts are gone, so nobody marks them: the person may
-- have been forgotten before the term is over. A submission that is deleted takes along everything that refers to it; a
-- test finds a reference that would keep it.
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
    erased_at             timestamptz,
    texts_erased          boolean not null default false,
    foreign key (tenant_id, evaluation_id) references evaluations (tenant_id, id),
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    foreign key (tenant_id, snapshot_hash) references version_snapshots (tenant_id, hash)
);
create index submissions_by_version on submissions (tenant_id, evaluation_version_id);
create index submissions_by_user on submissions (tenant_id, user_id, completed_at desc, id);
create index submissions_by_assignment on submissions (tenant_id, assignment_id, completed_at desc, id) where assignment_id is not null;
create index submissions_by_time on submissions (tenant_id, completed_at, id);
alter table submissions add primary key (tenant_id, id); -- last, as for sessions
create index submissions_expiring on submissions (tenant_id, retention_basis, retain_until, id)
    where retain_until is not null and erased_at is null;
-- What lists filter by is in the index, so that a filter which few of a million pass is answered from the index.
create index submissions_by_evaluation on submissions (tenant_id, evaluation_id, completed_at desc, id)
    include (org_unit_id, evaluation_version_id, status, outcome_code, approval_status, run_label, assignment_id);
-- What waits for people, to be marked or to be reviewed. A submission that waits for nobody is not in it, so that most
-- submits do not write it.
create index submissions_waiting on submissions (tenant_id, evaluation_id, completed_at, id)
    include (org_unit_id, user_id, evaluation_version_id, pending, approval_status, outcome_code, run_label, assignment_id, texts_erased)
    where status = 'completed' and (pending or approval_status = 'pending_review');
call protect('submissions', 'org', 'select, insert, update, delete');

-- An answer never changes, except that its text is replaced by the mark of what was erased.
create function refuse_rewritten_answer() returns trigger language plpgsql as $$
begin
    if old.response ? 'text' then
        old.response := jsonb_set(old.response, '{text}', '"[erased]"');
    end if;
    if new is distinct from old then
        raise exception 'the answers of a submission never change' using errcode = 'restrict_violation';
    end if;
    return new;
end $$;

-- An item of a submission, with the score that submit gave it (score version 1). id is the submission_item_id; it
-- follows the submission in the key because items are read by submission, and one index is cheaper than two.
-- right_parts are the gaps of the answer that are right, their ids joined by '+'; null where none is, or where a
-- question has none. Only scoring can tell of a text whether it is right, and reports count it.
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
    right_parts         text,
    primary key (tenant_id, submission_id, id),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade
);
call unsampled('submission_items', 'response');
call protect('submission_items', 'org', 'select, insert, update (response)');
create trigger erased_alone before update on submission_items for each row execute function refuse_rewritten_answer();

-- A decision about a submission. comment is what the decider wrote for other reviewers: free text, so it stays out of
-- the ledger and of reports, and is redacted with the person's answers.
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
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade
);
create index submission_decisions_by_author on submission_decisions (tenant_id, actor);
call unsampled('submission_decisions', 'comment');
call protect('submission_decisions', 'org', 'select, insert');
call written_once('submission_decisions', 'comment');

-- Versions of scores go only with their submission, which is gone already when a cascade comes here.
create function refuse_delete_alone() returns trigger language plpgsql as $$
begin
    if exists (select from public.submissions where tenant_id = old.tenant_id and id = old.submission_id) then
        raise exception '% goes with its submission alone', tg_table_name using errcode = 'restrict_violation';
    end if;
    return old;
end $$;

-- A change of scores is a new version after the one of the submit, which has number 1. submissions.score_version points
-- to the newest, and score, max_score and outcome there are its totals; so the first change also writes down those from
-- the submit. A submission whose scores never changed has no row here.
create table score_versions (
    tenant_id      uuid not null,
    submission_id  uuid not null,
    number         integer not null check (number >= 1),
    org_unit_id    uuid not null,
    reason         text not null check (reason in ('submitted', 'remediation_applied', 'remediation_reverted', 'scored_by_person')),
    remediation_id uuid,
    actor          text not null,
    score          numeric(20, 10) not null,
    max_score      numeric(20, 10) not null,
    outcome_code   text not null check (outcome_code in ('pass', 'fail', 'incomplete')),
    outcome_label  text not null,
    created_at     timestamptz not null,
    check ((number = 1) = (reason = 'submitted')),
    primary key (tenant_id, submission_id, number),
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade
);
call protect('score_versions', 'org', 'select, insert');
create trigger no_truncate before truncate on score_versions for each statement execute function refuse_change();
create trigger append_only before update on score_versions for each row execute function refuse_change();
create trigger goes_with_submission before delete on score_versions for each row execute function refuse_delete_alone();

-- An item whose score a version changed: the newest score of an item is the row with the greatest number, and without
-- one what submit gave it (submission_items).
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
    right_parts        text,
    primary key (tenant_id, submission_id, submission_item_id, number),
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id) on delete cascade
);
call protect('item_scores', 'org', 'select, insert');
create trigger no_truncate before truncate on item_scores for each statement execute function refuse_change();
create trigger append_only before update on item_scores for each row execute function refuse_change();
create trigger goes_with_submission before delete on item_scores for each row execute function refuse_delete_alone();

-- The order in which remediations were applied, over all tenants: what was applied later has a greater number.
create sequence remediation_order;
grant usage on sequence remediation_order to assess_app;

-- A remediation corrects one question version in the submissions of an evaluation version, or in chosen ones.
-- parameters belong to the rule. reason is free text and stays here. reached is the submission up to which the running
-- apply or revert is done, and stepped_at when it got there. While it is applied, one of an evaluation version covers
-- the submissions that come after it (also_later). open_n is how many sessions of the version were open when it was
-- last applied or reverted.
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
    also_later            boolean not null default true,
    open_n                integer not null default 0,
    foreign key (tenant_id, evaluation_version_id) references evaluation_versions (tenant_id, id)
);
create index remediations_by_version on remediations (tenant_id, evaluation_version_id, id);
create index remediations_under_way on remediations (stepped_at) where state in ('applying', 'reverting');
alter table remediations add primary key (tenant_id, id);
create index remediations_by_author on remediations (tenant_id, created_by);
call unsampled('remediations', 'reason');
call protect('remediations', 'org', 'select, insert, update, delete');

-- A submission that a remediation is about, fixed when it begins to be applied. active says that it counts in the score
-- of the submission now. active is in no index, so that turning it writes none. One that came later waits here to be
-- scored anew (waiting).
create table remediation_submissions (
    tenant_id      uuid not null,
    remediation_id uuid not null,
    submission_id  uuid not null,
    org_unit_id    uuid not null,
    active         boolean not null default false,
    waiting        boolean not null default false,
    foreign key (tenant_id, remediation_id) references remediations (tenant_id, id) on delete cascade,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade
) with (fillfactor = 70);
alter table remediation_submissions add primary key (tenant_id, remediation_id, submission_id);
-- The index comes last: while the table has no statistics yet, the planner takes the newest of the indexes that seem
-- equally good, and the primary key would read the whole tenant for the remediations of one submission.
create index remediation_submissions_of on remediation_submissions (tenant_id, submission_id);
create index remediation_submissions_waiting on remediation_submissions (tenant_id, remediation_id, submission_id) where waiting;
call protect('remediation_submissions', 'org', 'select, insert, update, delete');

-- What a person gave an item; the newest counts. comment is free text: it stays out of the ledger and of reports, and
-- is redacted with the person's answers. score_version is the one that the submission has afterwards.
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
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id) on delete cascade
);
create index item_marks_by_author on item_marks (tenant_id, actor);
call unsampled('item_marks', 'comment');
call protect('item_marks', 'org', 'select, insert');
call written_once('item_marks', 'comment');

-- A file that the blob store holds for evidence, as media_blobs for media.
create table evidence_blobs (
    tenant_id  uuid not null references tenants (id),
    sha256     text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    touched_at timestamptz not null,
    primary key (tenant_id, sha256)
);
create index evidence_blobs_touched on evidence_blobs (tenant_id, touched_at);
call protect('evidence_blobs', 'tenant', 'select, insert, update, delete');

-- A file about a submission, or about one of its items. No name of the file is kept: such names hold names of people.
-- integrity is what the last check found. A file that was erased is no longer held, and its hash stays: what was there
-- can still be named.
create table evidence (
    tenant_id          uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid,
    item_id            uuid,
    kind               text not null check (kind in ('screen_recording', 'camera_recording', 'audio_recording', 'screenshot',
                       'photo', 'document', 'log', 'other')),
    media_type         text not null,
    size_bytes         bigint not null check (size_bytes > 0),
    sha256             text not null,
    storage_tier       text not null check (storage_tier in ('HOT', 'WARM', 'COLD')),
    integrity          text not null check (integrity in ('unchecked', 'ok', 'changed', 'missing')),
    checked_at         timestamptz,
    added_by           text not null,
    created_at         timestamptz not null,
    void_reason        text,
    voided_by          text,
    voided_at          timestamptz,
    erased_at          timestamptz,
    held_sha256        text generated always as (case when erased_at is null then sha256 end) stored,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id) on delete cascade,
    check ((submission_item_id is null) = (item_id is null)),
    check ((voided_at is null) = (voided_by is null) and (voided_at is null) = (void_reason is null)),
    check ((integrity = 'unchecked') = (checked_at is null)),
    constraint evidence_blob foreign key (tenant_id, held_sha256) references evidence_blobs (tenant_id, sha256)
);
create unique index evidence_by_submission on evidence (tenant_id, submission_id, id);
create index evidence_by_item on evidence (tenant_id, submission_id, submission_item_id) where submission_item_id is not null;
create index evidence_by_org on evidence (tenant_id, org_unit_id, id);
alter table evidence add primary key (tenant_id, id); -- last, as for sessions
create index evidence_by_content on evidence (tenant_id, held_sha256);
create index evidence_by_author on evidence (tenant_id, added_by);
create index evidence_by_age on evidence (tenant_id, created_at, id) where erased_at is null;
call unsampled('evidence', 'void_reason');
call protect('evidence', 'org', 'select, insert, update, delete');

-- What somebody observed about a submission. A finding never changes; detail is free text, stays here, and goes with
-- the person's answers.
create table findings (
    tenant_id          uuid not null,
    id                 uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    submission_item_id uuid,
    item_id            uuid,
    code               text not null check (code ~ '^[A-Z][A-Z0-9_]{0,63}$'),
    severity           text not null check (severity in ('info', 'minor', 'major', 'critical')),
    detail             text not null default '',
    detected_by        text not null,
    detected_at        timestamptz not null,
    ledger_event_id    uuid not null,
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade,
    foreign key (tenant_id, submission_id, submission_item_id) references submission_items (tenant_id, submission_id, id) on delete cascade,
    check ((submission_item_id is null) = (item_id is null))
);
create unique index findings_by_submission on findings (tenant_id, submission_id, id);
create index findings_by_item on findings (tenant_id, submission_id, submission_item_id) where submission_item_id is not null;
alter table findings add primary key (tenant_id, id); -- last, as for sessions
create index findings_by_author on findings (tenant_id, detected_by);
call unsampled('findings', 'detail');
call protect('findings', 'org', 'select, insert');
call written_once('findings', 'detail');

-- Evidence of a finding. Both references have the submission, so that evidence of another one cannot be named.
create table finding_evidence (
    tenant_id     uuid not null,
    finding_id    uuid not null,
    evidence_id   uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    primary key (tenant_id, submission_id, finding_id, evidence_id),
    foreign key (tenant_id, submission_id, finding_id) references findings (tenant_id, submission_id, id) on delete cascade,
    foreign key (tenant_id, submission_id, evidence_id) references evidence (tenant_id, submission_id, id) on delete cascade
);
create index finding_evidence_by_evidence on finding_evidence (tenant_id, submission_id, evidence_id);
call protect('finding_evidence', 'org', 'select, insert');

-- A claim or a dispute about a submission. Both have the same states, and differ in who may raise them. statement and
-- comment are free texts, which stay here.
create table submission_cases (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    kind          text not null check (kind in ('claim', 'dispute')),
    state         text not null check (state in ('open', 'upheld', 'rejected', 'withdrawn')),
    statement     text not null,
    raised_by     text not null,
    raised_at     timestamptz not null,
    decided_by    text,
    decided_at    timestamptz,
    comment       text not null default '',
    foreign key (tenant_id, submission_id) references submissions (tenant_id, id) on delete cascade,
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null))
);
create unique index submission_cases_by_submission on submission_cases (tenant_id, submission_id, id);
-- One open dispute a person and submission: pressing twice, or again and again, raises one.
create unique index submission_cases_one_dispute on submission_cases (tenant_id, submission_id, raised_by)
    where kind = 'dispute' and state = 'open';
alter table submission_cases add primary key (tenant_id, id); -- last, as for sessions
create index submission_cases_by_author on submission_cases (tenant_id, raised_by);
call unsampled('submission_cases', 'comment', 'statement');
call protect('submission_cases', 'org', 'select, insert, update');

-- A finding that a claim or dispute is about.
create table case_findings (
    tenant_id     uuid not null,
    case_id       uuid not null,
    finding_id    uuid not null,
    org_unit_id   uuid not null,
    submission_id uuid not null,
    primary key (tenant_id, submission_id, case_id, finding_id),
    foreign key (tenant_id, submission_id, case_id) references submission_cases (tenant_id, submission_id, id) on delete cascade,
    foreign key (tenant_id, submission_id, finding_id) references findings (tenant_id, submission_id, id) on delete cascade
);
create index case_findings_by_finding on case_findings (tenant_id, submission_id, finding_id);
call protect('case_findings', 'org', 'select, insert');

-- Learning platforms (LTI 1.3) launch exams and get grades back.

-- A platform that the tenant trusts. The process that sends grades to it has it by claimed_by until claimed_until;
-- after calls that failed it rests until next_at.
create table lti_platforms (
    tenant_id     uuid not null references tenants (id),
    id            uuid not null,
    name          text not null,
    status        text not null default 'active' check (status in ('active', 'disabled')),
    issuer        text not null,
    client_id     text not null,
    auth_url      text not null,
    token_url     text not null,
    keys_url      text not null,
    audience      text not null,
    identity      text not null check (identity in ('create', 'link')),
    roles         jsonb not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    claimed_by    uuid,
    claimed_until timestamptz,
    failures      integer not null default 0,
    next_at       timestamptz,
    primary key (tenant_id, id),
    constraint lti_platforms_client unique (tenant_id, issuer, client_id)
);
call protect('lti_platforms', 'tenant', 'select, insert, update');

-- A place in the platform where the service was put. It is written down by its first launch and launches nothing until
-- an administrator says to which org unit it leads.
create table lti_deployments (
    tenant_id     uuid not null,
    id            uuid not null,
    platform_id   uuid not null,
    deployment_id text not null,
    status        text not null default 'pending' check (status in ('pending', 'allowed', 'blocked')),
    joined_id     uuid,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, joined_id) references org_units (tenant_id, id),
    constraint lti_deployments_named unique (tenant_id, platform_id, deployment_id),
    check (status <> 'allowed' or joined_id is not null)
);
create index lti_deployments_joined on lti_deployments (tenant_id, joined_id);
call protect('lti_deployments', 'tenant', 'select, insert, update');

-- A course of the platform, and the group that has its members. The group may be gone: the next launch makes another.
-- members_url is where the platform lists the members; null where it does not. They are read when sync_at is over, by
-- the process that has the course until claimed_until; problem says why that failed since synced_at, failures how
-- often.
create table lti_contexts (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    deployment_id uuid not null,
    context_id    text not null,
    title         text not null,
    group_id      uuid not null,
    created_at    timestamptz not null,
    members_url   text,
    synced_at     timestamptz,
    sync_at       timestamptz,
    failures      integer not null default 0,
    problem       text,
    claimed_until timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    constraint lti_contexts_named unique (tenant_id, deployment_id, context_id)
);
create index lti_contexts_listed on lti_contexts (tenant_id, org_unit_id, created_at desc, id);
create index lti_contexts_of_group on lti_contexts (tenant_id, group_id);
create index lti_contexts_due on lti_contexts (sync_at) where sync_at is not null;
call protect('lti_contexts', 'org', 'select, insert, update');

-- A resource link: what one activity of a course hands out, and how its grade goes back.
create table lti_links (
    tenant_id     uuid not null,
    id            uuid not null,
    org_unit_id   uuid not null,
    platform_id   uuid not null,
    deployment_id uuid not null,
    context_id    uuid not null,
    link_id       text not null,
    title         text not null,
    assignment_id uuid not null,
    line_item     text,
    counts        text not null default 'best' check (counts in ('best', 'latest', 'first', 'mean')),
    sent_when     text not null default 'scored' check (sent_when in ('submitted', 'scored', 'approved')),
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    foreign key (tenant_id, context_id) references lti_contexts (tenant_id, id),
    foreign key (tenant_id, assignment_id) references assignments (tenant_id, id),
    constraint lti_links_named unique (tenant_id, deployment_id, link_id)
);
create index lti_links_listed on lti_links (tenant_id, org_unit_id, created_at desc, id);
create index lti_links_of_platform on lti_links (tenant_id, platform_id);
create index lti_links_of_context on lti_links (tenant_id, context_id);
create index lti_links_of_assignment on lti_links (tenant_id, assignment_id);
call protect('lti_links', 'org', 'select, insert, update');

-- A launch that is at the platform: it comes back once, within ten minutes, in the browser that began it.
create table lti_flows (
    tenant_id    uuid not null,
    id           uuid not null,
    platform_id  uuid not null,
    state_hash   bytea not null,
    browser_hash bytea not null,
    nonce_hash   bytea not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    used_at      timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    constraint lti_flows_state unique (tenant_id, state_hash)
);
create index lti_flows_expiry on lti_flows (tenant_id, expires_at);
create index lti_flows_of_platform on lti_flows (tenant_id, platform_id);
call protect('lti_flows', 'tenant', 'select, insert, update, delete');

-- A link by which a platform may register itself, once.
create table lti_registrations (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    ticket_hash bytea not null,
    created_by  text not null,
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    used_at     timestamptz,
    primary key (tenant_id, id),
    constraint lti_registrations_ticket unique (tenant_id, ticket_hash)
);
create index lti_registrations_expiry on lti_registrations (tenant_id, expires_at);
call protect('lti_registrations', 'tenant', 'select, insert, update, delete');

-- A key of the tenant as a tool. The newest whose signs_from is over signs; platforms read the public halves.
create table lti_keys (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    sealed_key bytea not null,
    public_key jsonb not null,
    created_at timestamptz not null,
    signs_from timestamptz not null,
    primary key (tenant_id, id)
);
create index lti_keys_newest on lti_keys (tenant_id, signs_from desc);
call protect('lti_keys', 'tenant', 'select, insert, delete');

-- The grade of a person in an activity. changed counts how often it had to be looked at. prepared is a body that was
-- given to a call whose end nobody knows yet, at the time of stamp; sent is the last that the platform took.
create table lti_scores (
    tenant_id   uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    platform_id uuid not null,
    link_id     uuid not null,
    user_id     uuid not null,
    state       text not null default 'due' check (state in ('due', 'sent', 'refused', 'none')),
    changed     bigint not null default 1,
    attempts    integer not null default 0,
    next_at     timestamptz not null,
    stamp       timestamptz,
    prepared    text,
    sent        text,
    status      integer,
    answer      text,
    sent_at     timestamptz,
    created_at  timestamptz not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, platform_id) references lti_platforms (tenant_id, id),
    foreign key (tenant_id, link_id) references lti_links (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint lti_scores_one unique (tenant_id, link_id, user_id)
);
create index lti_scores_due on lti_scores (tenant_id, platform_id, next_at) where state = 'due';
create index lti_scores_of_platform on lti_scores (tenant_id, platform_id);
create index lti_scores_of_user on lti_scores (tenant_id, user_id);
create index lti_scores_listed on lti_scores (tenant_id, org_unit_id, created_at desc, id);
create index lti_scores_refused on lti_scores (tenant_id, org_unit_id, created_at desc, id) where state = 'refused';
call unsampled('lti_scores', 'answer');
call protect('lti_scores', 'org', 'select, insert, update, delete');

-- A pick that is under way: the page of it, in the browser that was launched, for ten minutes, answers the platform
-- once. data is the platform's own, and goes back as it came. chosen are the evaluations of the answer.
create table lti_deep_links (
    tenant_id     uuid not null,
    id            uuid not null,
    deployment_id uuid not null,
    user_id       uuid not null,
    flow_hash     bytea not null,
    proof_hash    bytea not null,
    return_url    text not null,
    data          bytea,
    course        text not null,
    multiple      boolean not null,
    line_item     boolean not null,
    in_window     boolean not null,
    created_at    timestamptz not null,
    expires_at    timestamptz not null,
    used_at       timestamptz,
    chosen        uuid[],
    primary key (tenant_id, id),
    foreign key (tenant_id, deployment_id) references lti_deployments (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint lti_deep_links_flow unique (tenant_id, flow_hash)
);
create index lti_deep_links_expiry on lti_deep_links (tenant_id, expires_at);
create index lti_deep_links_of_deployment on lti_deep_links (tenant_id, deployment_id);
create index lti_deep_links_of_user on lti_deep_links (tenant_id, user_id);
call unsampled('lti_deep_links', 'course');
call protect('lti_deep_links', 'tenant', 'select, insert, update, delete');
