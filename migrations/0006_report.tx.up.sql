-- The reporting read model (specification, sections 2.4, 2.9 and 2.10; decisions, section 11). Only the projector
-- writes it, except the triage of exceptions. It is rebuilt from submissions and snapshots at any time, and free of
-- names, e-mail and metadata. No table refers to session or authoring tables: a report never joins them.
--
-- Sums are numeric and therefore exact, so that the order of projection cannot matter.

-- What the projector still has to do. No unique key and no counter: submits never wait for one another here. A subject
-- that cannot be projected waits until not_before, longer after each failure, and holds up nobody else.
--
-- 'readiness' is only the standing of a submission, 'policy' the standing of all submissions of a verification level,
-- which the last digit of the subject names; 'terms' says that rules may match other questions than before, 'member'
-- that a person joined or left a group, 'levels' that a skill has other levels.
create table projection_outbox (
    tenant_id   uuid not null,
    id          bigint generated always as identity,
    kind        text not null check (kind in ('session', 'submission', 'finding', 'assignment', 'key',
                'readiness', 'policy', 'terms', 'member', 'levels')),
    subject_id  uuid not null,
    enqueued_at timestamptz not null,
    not_before  timestamptz,
    failures    integer not null default 0,
    primary key (tenant_id, id)
);
call protect('projection_outbox', 'tenant', 'select, insert, update, delete');
grant usage on sequence projection_outbox_id_seq to assess_app; -- for Citus, as for ledger_states_due

-- A projection or calculation of percentiles that somebody requested (specification, section 4.5). arguments hold only
-- ids and times. A job goes through its subjects in the order of their ids and keeps the last one, so that it can be
-- interrupted; org_unit_id is null for a job over all org units of the tenant.
create table report_jobs (
    tenant_id    uuid not null,
    id           uuid not null,
    org_unit_id  uuid,
    kind         text not null check (kind in ('submission', 'range', 'remediation', 'telemetry', 'percentiles',
                 'exceptions', 'skills', 'skill_preview')),
    state        text not null check (state in ('queued', 'running', 'completed', 'failed')),
    arguments    jsonb not null,
    requested_by uuid,
    total_n      bigint,
    done_n       bigint not null default 0,
    last_subject uuid not null default '00000000-0000-0000-0000-000000000000',
    error_code   text,
    created_at   timestamptz not null,
    started_at   timestamptz,
    finished_at  timestamptz,
    result       jsonb,
    primary key (tenant_id, id)
);
create index report_jobs_newest on report_jobs (tenant_id, created_at desc, id);
call protect('report_jobs', 'tenant', 'select, insert, update');

-- A step is some leading bits of a duration: close enough to find where the median is, coarse enough that many attempts
-- share a row. duration_step gives the step that holds a duration, step_end the duration at which a step ends. The more
-- rows a step's table has for one, the fewer bits: six for questions and days, ten for evaluations at all times, five
-- for evaluations by day. They set no search path and are not strict, so that PostgreSQL writes them into the statement
-- instead of calling them for each row. bits is the number of binary digits: it looks for the place among the powers of
-- two, which is exact and takes no text. Their bodies are read when they are made: ANALYZE and VACUUM call them without
-- any schema to look names up in.
create function bits(n bigint) returns integer language sql immutable parallel safe
    return width_bucket(n, '{1,2,4,8,16,32,64,128,
        256,512,1024,2048,4096,8192,16384,32768,
        65536,131072,262144,524288,1048576,2097152,4194304,8388608,
        16777216,33554432,67108864,134217728,268435456,536870912,1073741824,2147483648,
        4294967296,8589934592,17179869184,34359738368,68719476736,137438953472,274877906944,549755813888,
        1099511627776,2199023255552,4398046511104,8796093022208,17592186044416,35184372088832,70368744177664,140737488355328,
        281474976710656,562949953421312,1125899906842624,2251799813685248,4503599627370496,9007199254740992,18014398509481984,36028797018963968,
        72057594037927936,144115188075855872,288230376151711744,576460752303423488,1152921504606846976,2305843009213693952,4611686018427387904}'::bigint[]);
create function duration_step(ms bigint, kept integer) returns bigint language sql immutable parallel safe
    return (ms >> greatest(bits(ms) - kept, 0)) << greatest(bits(ms) - kept, 0);
create function step_end(step bigint, kept integer) returns bigint language sql immutable parallel safe
    return step + (1::bigint << greatest(bits(step) - kept, 0));

-- An item of a submission, as reports count it.
create table report_item_attempts_flat (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    submission_id         uuid not null,
    submission_item_id    uuid not null,
    user_id               uuid not null,
    completed_at          timestamptz not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    run_label             text,
    question_version_id   uuid not null,
    qtype                 text not null,
    is_correct            boolean not null,
    score_awarded         numeric(20, 10) not null,
    max_score             numeric(20, 10) not null,
    score_status          text not null,
    score_method          text not null,
    invalid_code          text,
    selected_option       text,
    choice_ids            text[],
    is_omitted            boolean not null,
    omit_reason           text,
    time_on_item_ms       bigint,
    focus_lost            boolean not null,
    structured_tags       jsonb not null,
    primary key (tenant_id, submission_id, submission_item_id)
);
-- Medians look up single times by this index and need nothing else of the rows. The filters are in it, too. Counts read
-- item attempts only at the edges of a period, submission by submission.
--
-- The further indexes of reporting tables begin with the org unit, which every report states, as it does the tenant.
-- With the tenant in front they would also answer "the rows of these submissions of the tenant": for a tenant that is
-- too young for the statistics the planner takes them to be as good as the primary key, and reads the whole tenant for
-- each submission.
create index report_flat_by_time on report_item_attempts_flat (org_unit_id, question_version_id, time_on_item_ms)
    include (tenant_id, evaluation_version_id, run_label, completed_at) where not is_omitted;
-- A rebuild lets several processors count where many attempts share a cell. Only these tell the planner that they do:
-- it would take each attempt for a day of its own.
create statistics report_flat_days on ((completed_at at time zone 'UTC')::date) from report_item_attempts_flat;
create statistics report_flat_quarters on (date_bin(make_interval(hours => 6), completed_at, timestamptz '2001-01-01 00:00Z')) from report_item_attempts_flat;
create statistics report_flat_runs on (coalesce(run_label, '')) from report_item_attempts_flat;
create statistics report_flat_steps on (duration_step(time_on_item_ms, 6)) from report_item_attempts_flat;
call protect('report_item_attempts_flat', 'org', 'select, insert, update, delete');

-- What was chosen in an item attempt with options or parts.
create table report_item_attempt_choice (
    tenant_id                 uuid not null,
    org_unit_id               uuid not null,
    submission_id             uuid not null,
    submission_item_id        uuid not null,
    question_version_id       uuid not null,
    completed_at              timestamptz not null,
    selected_option_ids       text[] not null,
    response_pattern_hash     text,
    is_full_credit            boolean not null,
    is_partial_credit         boolean not null,
    correct_selected          integer not null,
    incorrect_selected        integer not null,
    total_correct             integer not null,
    constraint_violation_code text,
    primary key (tenant_id, submission_id, submission_item_id)
);
call protect('report_item_attempt_choice', 'org', 'select, insert, update, delete');

-- One row a question version, evaluation version, run and UTC day. run_label is '' for attempts without one. time_n
-- counts answered attempts with a known time.
create table report_question_day (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    day                   date not null,
    evaluation_id         uuid not null,
    qtype                 text not null,
    attempts_n            bigint not null,
    scored_n              bigint not null,
    pending_n             bigint not null,
    invalid_n             bigint not null,
    exempt_n              bigint not null,
    correct_n             bigint not null,
    omitted_n             bigint not null,
    score_sum             numeric not null,
    score_pct_sum         numeric not null,
    time_n                bigint not null,
    time_sum_ms           bigint not null,
    focus_lost_n          bigint not null,
    primary key (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day)
);
create index report_question_day_by_version on report_question_day (org_unit_id, evaluation_version_id, day);
create index report_question_day_by_run on report_question_day (org_unit_id, run_label, day);
create index report_question_day_by_day on report_question_day (org_unit_id, day);
call protect('report_question_day', 'org', 'select, insert, update, delete');

-- How many answered attempts took how long, in the same cells: the way to exact medians.
create table report_question_times (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    day                   date not null,
    step_ms               bigint not null,
    n                     bigint not null,
    primary key (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms)
);
call protect('report_question_times', 'org', 'select, insert, update, delete');

-- What was chosen, counted by kind: 'option' (code: option id), 'part' (what was answered to a part, such as "B=2" for
-- option B at the second place), 'pattern' (the exact answer set, ids joined by '+'), 'credit' (tenth of the weight,
-- '0' to '10'), 'error' (missed_correct, selected_incorrect, both) and 'violation' (constraint code). Options, parts,
-- patterns, credit and errors count SCORED attempts; violations INVALID ones.
create table report_question_choice_day (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    day                   date not null,
    kind                  text not null check (kind in ('option', 'part', 'pattern', 'credit', 'error', 'violation')),
    code                  text not null,
    n                     bigint not null,
    primary key (tenant_id, org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code)
);
call protect('report_question_choice_day', 'org', 'select, insert, update, delete');

-- The figures of a question version. Everything except the percentiles derives from the day tables above. omit_rate,
-- drift and attention_rank exist for the sort orders of the list; percentiles_stale requests a visit of the percentiles
-- job, percentiles_at is its last one, and revision counts the derivations, so that the job sees when a row changed
-- under it. The windows of 7 and 30 days end with the newest day that has attempts, so that a rebuild next year gives
-- the same row.
create table report_question_health_rollup (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    qtype                 text not null,
    attempts_n            bigint not null default 0,
    correct_n             bigint not null default 0,
    omitted_n             bigint not null default 0,
    scored_n              bigint not null default 0,
    pending_n             bigint not null default 0,
    invalid_n             bigint not null default 0,
    exempt_n              bigint not null default 0,
    facility_pct          double precision,
    omit_rate             double precision,
    avg_time_ms           double precision,
    median_time_ms        double precision,
    p90_time_ms           double precision,
    median_7d_time_ms     double precision,
    median_30d_time_ms    double precision,
    time_7d_n             bigint not null default 0,
    avg_score_awarded     double precision,
    avg_score_pct         double precision,
    option_counts         jsonb not null default '{}',
    option_pct            jsonb not null default '{}',
    facility_7d_pct       double precision,
    facility_30d_pct      double precision,
    facility_last_run_pct double precision,
    attempts_last_run_n   bigint not null default 0,
    focus_lost_n          bigint not null default 0,
    evaluations_count     bigint not null default 0,
    recent_runs           jsonb not null default '[]',
    health_status         text not null default 'INSUFFICIENT_DATA' check (health_status in
                          ('INSUFFICIENT_DATA', 'HEALTHY', 'WATCH', 'NEEDS_ATTENTION')),
    confidence_level      text not null default 'LOW' check (confidence_level in ('LOW', 'MED', 'HIGH')),
    top_reasons           jsonb not null default '[]',
    flags                 jsonb not null default '[]',
    attention_rank        integer not null default 0,
    drift                 double precision not null default 0,
    percentiles_stale     boolean not null default true,
    percentiles_at        timestamptz,
    revision              bigint not null default 0,
    last_computed_at      timestamptz not null,
    primary key (tenant_id, org_unit_id, question_version_id)
);
create index report_health_attention on report_question_health_rollup
    (tenant_id, org_unit_id, attention_rank desc, attempts_n desc, question_version_id);
create index report_health_omit on report_question_health_rollup (tenant_id, org_unit_id, omit_rate desc nulls last, question_version_id);
create index report_health_drift on report_question_health_rollup (tenant_id, org_unit_id, drift desc, question_version_id);
create index report_health_exposed on report_question_health_rollup (tenant_id, org_unit_id, attempts_n desc, question_version_id);
create index report_health_stale on report_question_health_rollup (tenant_id, percentiles_at nulls first) where percentiles_stale;
create index report_health_question on report_question_health_rollup (tenant_id, question_version_id);
call protect('report_question_health_rollup', 'org', 'select, insert, update, delete');

-- The figures of a question in one run.
create table report_question_health_by_run (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    run_label           text not null,
    last_day            date not null,
    attempts_n          bigint not null,
    scored_n            bigint not null,
    facility_pct        double precision,
    omit_rate           double precision,
    median_time_ms      double precision,
    option_pct          jsonb not null,
    primary key (tenant_id, org_unit_id, question_version_id, run_label)
);
call protect('report_question_health_by_run', 'org', 'select, insert, update, delete');

-- An option of a choice question in the snapshot. An option that nobody chose is counted nowhere else, and it is the
-- distractor that does not work.
create table report_question_options (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    option_id           text not null,
    position            integer not null,
    is_correct          boolean not null,
    primary key (tenant_id, org_unit_id, question_version_id, option_id)
);
call protect('report_question_options', 'org', 'select, insert, delete');

-- A part that the snapshots give a question, and what is right there; position is their order, from 1.
create table report_question_parts (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    part_id             text not null,
    position            integer not null,
    right_values        text[] not null,
    primary key (tenant_id, org_unit_id, question_version_id, part_id)
);
call protect('report_question_parts', 'org', 'select, insert, delete');

-- A key that a remediation set and that holds now. One of a whole evaluation version replaces the snapshot's key there,
-- the greatest applied_number before others; one of chosen submissions (evaluation_version_id is null) is the key of
-- only these. option_ids are the right options; a question without options has none. part_values lists the right
-- answers of each part; null where the key is only about options. submissions_n is how many submissions it is about.
-- Exemptions that hold are here, too, by their rule: they have no options and change no key.
create table report_question_keys (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    remediation_id        uuid not null,
    rule                  text not null check (rule in ('rekey', 'exempt_question')),
    evaluation_version_id uuid,
    option_ids            text[] not null,
    submissions_n         integer not null,
    applied_number        bigint not null,
    applied_at            timestamptz not null,
    part_values           jsonb,
    primary key (tenant_id, org_unit_id, question_version_id, remediation_id)
);
call protect('report_question_keys', 'org', 'select, insert, update, delete');

-- A tag ('facet:term') of a question in the snapshot of an evaluation version.
create table report_question_tags (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    tag                   text not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    primary key (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
);
create index report_question_tags_by_question on report_question_tags (tenant_id, org_unit_id, question_version_id);
call protect('report_question_tags', 'org', 'select, insert, delete');

-- The section of a question in the snapshot of an evaluation version. position counts from 0. contributes is false for
-- survey items, which add nothing to a score.
create table report_question_sections (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    question_version_id   uuid not null,
    section_id            uuid not null,
    position              integer not null,
    contributes           boolean not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id, question_version_id)
);
create index report_sections_by_question on report_question_sections (tenant_id, org_unit_id, question_version_id);
call protect('report_question_sections', 'org', 'select, insert, delete');

-- Durable rollup of a session's runtime events; the raw events go once it is written.
create table submission_telemetry_summary (
    tenant_id         uuid not null,
    org_unit_id       uuid not null,
    submission_id     uuid not null,
    events_n          integer not null,
    focus_lost_n      integer not null,
    fullscreen_exit_n integer not null,
    copy_n            integer not null,
    paste_n           integer not null,
    network_lost_n    integer not null,
    heartbeat_n       integer not null,
    last_activity_at  timestamptz,
    primary key (tenant_id, submission_id)
);
create index submission_telemetry_by_age on submission_telemetry_summary (tenant_id, last_activity_at, submission_id);
call protect('submission_telemetry_summary', 'org', 'select, insert, update, delete');

-- An assignment that is counted below. The user of an assignment to an e-mail address is the one that the address
-- became, so that no address is here.
create table report_assignments (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    assignment_id uuid not null,
    evaluation_id uuid not null,
    target_type   text not null,
    user_id       uuid,
    group_id      uuid,
    run_label     text not null,
    primary key (tenant_id, assignment_id)
);
call protect('report_assignments', 'org', 'select, insert, update, delete');

-- Who is invited to an evaluation how often, in the cuts 'all' and 'run' (see report_evaluation_day).
create table report_evaluation_invitees (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    evaluation_id uuid not null,
    cut           text not null,
    run_label     text not null,
    user_id       uuid not null,
    n             bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_id, cut, run_label, user_id)
);
call protect('report_evaluation_invitees', 'org', 'select, insert, update, delete');

-- Assignments of an evaluation by kind, and different people invited, in each cut.
create table report_access_points (
    tenant_id     uuid not null,
    org_unit_id   uuid not null,
    evaluation_id uuid not null,
    cut           text not null,
    run_label     text not null,
    group_id      uuid not null,
    user_id_n     bigint not null,
    email_n       bigint not null,
    group_id_n    bigint not null,
    public_link_n bigint not null,
    invitees_n    bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_id, cut, run_label, group_id)
);
call protect('report_access_points', 'org', 'select, insert, update, delete');

-- A session that began. This and report_submissions are the base of the evaluation summary. attempt_at is when the
-- attempt was completed, or begun as long as it is not; is_invited says that it belongs to an assignment to one person.
-- run_label is '' without a run.
create table report_session_starts (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    session_id            uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    run_label             text not null,
    started_at            timestamptz not null,
    state                 text not null,
    assignment_id         uuid,
    group_id              uuid,
    is_invited            boolean not null,
    is_completed          boolean not null,
    is_voided             boolean not null,
    attempt_at            timestamptz not null,
    primary key (tenant_id, session_id)
);
create index report_starts_by_version on report_session_starts (org_unit_id, evaluation_version_id, attempt_at);
call protect('report_session_starts', 'org', 'select, insert, update, delete');

-- A submission. score_tenth is the tenth of the maximum, 0 to 9. It and score_pct are null where there was nothing to
-- earn; duration_ms is null when the times contradict each other.
create table report_submissions (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    submission_id         uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    run_label             text not null,
    started_at            timestamptz not null,
    completed_at          timestamptz not null,
    completion_method     text not null,
    outcome_code          text not null,
    is_scored             boolean not null,
    score                 numeric(20, 10) not null,
    max_score             numeric(20, 10) not null,
    score_pct             numeric,
    score_tenth           smallint,
    duration_ms           bigint,
    assignment_id         uuid,
    group_id              uuid,
    telemetry_known       boolean not null,
    focus_lost_n          integer not null check (focus_lost_n >= 0),
    fullscreen_exit_n     integer not null,
    primary key (tenant_id, submission_id)
);
create index report_submissions_by_version on report_submissions (org_unit_id, evaluation_version_id, completed_at);
-- For reports on all evaluations. They state its condition, which holds for every row; a report on one evaluation does
-- not, and is not led astray into the days of all.
create index report_submissions_by_day on report_submissions (org_unit_id, completed_at) where focus_lost_n >= 0;
-- Medians go along these: of all attempts, of a run, of a group.
create index report_submissions_by_duration on report_submissions
    (org_unit_id, evaluation_version_id, duration_ms)
    include (tenant_id, completed_at, run_label, group_id) where duration_ms is not null;
create index report_submissions_by_run on report_submissions
    (org_unit_id, evaluation_version_id, run_label, duration_ms)
    include (tenant_id, completed_at, group_id) where duration_ms is not null;
create index report_submissions_by_group on report_submissions
    (org_unit_id, evaluation_version_id, group_id, duration_ms)
    include (tenant_id, completed_at, run_label) where duration_ms is not null;
call protect('report_submissions', 'org', 'select, insert, update, delete');

-- A finding about a submission. The key serves the list of a submission. What was said in free text is not here.
create table report_findings (
    tenant_id          uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    finding_id         uuid not null,
    submission_item_id uuid,
    code               text not null,
    severity           text not null,
    detected_at        timestamptz not null,
    ledger_event_id    uuid not null,
    primary key (tenant_id, submission_id, finding_id)
);
call protect('report_findings', 'org', 'select, insert, update, delete');

-- One row an evaluation version, cut and UTC day of attempt_at. A cut is what its rows count: 'all' attempts, the
-- attempts of a 'run', of a 'group', or of a group in a run ('run_group'). So every filter finds its figures added up.
-- run_label is '' and group_id nil where the cut has none; the run without a label is '' too. An attempt has the group
-- of its assignment. graded_0_n to graded_9_n count graded submissions (pass or fail) by tenth of the maximum,
-- scored_0_n to scored_9_n the ones without pending items. graded_nothing_n and scored_nothing_n count the ones that
-- had nothing to earn, and so have no share of it.
create table report_evaluation_day (
    tenant_id                uuid not null,
    org_unit_id              uuid not null,
    evaluation_version_id    uuid not null,
    cut                      text not null check (cut in ('all', 'run', 'group', 'run_group')),
    run_label                text not null,
    group_id                 uuid not null,
    day                      date not null,
    evaluation_id            uuid not null,
    started_n                bigint not null default 0,
    in_progress_n            bigint not null default 0,
    expired_n                bigint not null default 0,
    closed_n                 bigint not null default 0,
    abandoned_n              bigint not null default 0,
    voided_n                 bigint not null default 0,
    completed_n              bigint not null default 0,
    scored_n                 bigint not null default 0,
    pass_n                   bigint not null default 0,
    fail_n                   bigint not null default 0,
    time_known_n             bigint not null default 0,
    duration_sum_ms          bigint not null default 0,
    telemetry_known_n        bigint not null default 0,
    focus_lost_n             bigint not null default 0,
    fullscreen_exit_n        bigint not null default 0,
    submitted_n bigint not null default 0, submitted_pass_n bigint not null default 0, submitted_fail_n bigint not null default 0,
    auto_submitted_n bigint not null default 0, auto_submitted_pass_n bigint not null default 0, auto_submitted_fail_n bigint not null default 0,
    proctor_submitted_n bigint not null default 0, proctor_submitted_pass_n bigint not null default 0, proctor_submitted_fail_n bigint not null default 0,
    imported_n bigint not null default 0, imported_pass_n bigint not null default 0, imported_fail_n bigint not null default 0,
    graded_0_n bigint not null default 0, graded_1_n bigint not null default 0, graded_2_n bigint not null default 0,
    graded_3_n bigint not null default 0, graded_4_n bigint not null default 0, graded_5_n bigint not null default 0,
    graded_6_n bigint not null default 0, graded_7_n bigint not null default 0, graded_8_n bigint not null default 0,
    graded_9_n bigint not null default 0,
    scored_0_n bigint not null default 0, scored_1_n bigint not null default 0, scored_2_n bigint not null default 0,
    scored_3_n bigint not null default 0, scored_4_n bigint not null default 0, scored_5_n bigint not null default 0,
    scored_6_n bigint not null default 0, scored_7_n bigint not null default 0, scored_8_n bigint not null default 0,
    scored_9_n bigint not null default 0,
    graded_nothing_n         bigint not null default 0,
    scored_nothing_n         bigint not null default 0,
    graded_score_pct_sum     numeric not null default 0,
    scored_score_pct_sum     numeric not null default 0,
    primary key (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day)
);
call protect('report_evaluation_day', 'org', 'select, insert, update, delete');

-- How many submissions of a cut took how long: the way to the exact median.
create table report_evaluation_durations (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    cut                   text not null,
    run_label             text not null,
    group_id              uuid not null,
    step_ms               bigint not null,
    n                     bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, step_ms)
);
call protect('report_evaluation_durations', 'org', 'select, insert, update, delete');

-- The same in wide steps (bands), at all times (days is 0) and by UTC week from Monday (7) and day (1) of completion:
-- which band holds the median, of a period too.
create table report_evaluation_bands (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    cut                   text not null,
    run_label             text not null,
    group_id              uuid not null,
    days                  smallint not null,
    day                   date not null,
    band_ms               bigint not null,
    n                     bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, days, day, band_ms)
);
call protect('report_evaluation_bands', 'org', 'select, insert, update, delete');

-- Who took a version on which UTC day of attempt_at, by run and group of the attempt. invited_n and invited_completed_n
-- count attempts at assignments to that person. The key begins so that the days of a person at one version, and at all
-- of the evaluation, lie together.
create table report_evaluation_takers (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    user_id               uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    group_id              uuid not null,
    day                   date not null,
    starts_n              bigint not null,
    invited_n             bigint not null,
    invited_completed_n   bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day)
);
call protect('report_evaluation_takers', 'org', 'select, insert, update, delete');

-- How many people were there on a day and on the day 'before', in each cut, and on none between; before is -infinity
-- where the day was their first. So each person counts once among the days from any day on: on the day whose day before
-- lies earlier. Different people of a period are a sum of these rows, however many there are. They are kept for each
-- evaluation version and for each evaluation as a whole: subject_id is the one or the other. kind is what makes a
-- person be there: any attempt ('user'), one at an assignment to them ('invited'), a completed one of these
-- ('completed').
create table report_evaluation_people (
    tenant_id   uuid not null,
    org_unit_id uuid not null,
    subject_id  uuid not null,
    cut         text not null,
    run_label   text not null,
    group_id    uuid not null,
    kind        text not null check (kind in ('user', 'invited', 'completed')),
    before      date not null,
    day         date not null,
    n           bigint not null,
    primary key (tenant_id, org_unit_id, subject_id, cut, run_label, group_id, kind, before, day)
);
call protect('report_evaluation_people', 'org', 'select, insert, update, delete');

-- Attempts in each cut of a version. A row of the cut 'evaluation' counts the attempts at all versions, with the
-- evaluation in the place of the version, and is the lock of the evaluation.
create table report_evaluation_rollup (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    cut                   text not null,
    run_label             text not null,
    group_id              uuid not null,
    evaluation_id         uuid not null,
    started_n             bigint not null default 0,
    completed_n           bigint not null default 0,
    primary key (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id)
);
create index report_evaluation_versions on report_evaluation_rollup (org_unit_id, evaluation_id) where cut = 'all';
-- A page of the versions with attempts, newest first; ids grow.
create index report_evaluations_newest on report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id desc) where cut = 'all';
call protect('report_evaluation_rollup', 'org', 'select, insert, update, delete');

-- The items of a version by question, cut and time: tags and sections of runs, groups and groups in a run are added up
-- from them. A row covers so many hours from since on, in UTC: runs and groups have weeks from Monday (168), and
-- quarters of days (6) for the edges of a period; groups in a run are many, and have days (24). No list is of the cut
-- 'all'.
create table report_evaluation_items (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    cut                   text not null check (cut in ('run', 'group', 'run_group')),
    hours                 smallint not null,
    run_label             text not null,
    group_id              uuid not null,
    since                 timestamptz not null,
    question_version_id   uuid not null,
    attempts_n            bigint not null,
    scored_n              bigint not null,
    correct_n             bigint not null,
    omitted_n             bigint not null,
    score_pct_sum         numeric not null,
    time_n                bigint not null,
    time_sum_ms           bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since, question_version_id)
);
call protect('report_evaluation_items', 'org', 'select, insert, update, delete');

-- A submission in the exceptions queue (specification, sections 2.10 and 3). The projector writes what is known of a
-- submission, people write state, owner and suppression. Every submission has a row, so that the counts below can be
-- kept by differences; one that was always ready has no first_seen_at, and is in no list. is_active says that the
-- submission is not voided.
create table defensibility_exception_triage (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    submission_id    uuid not null,
    evaluation_id    uuid not null,
    user_id          uuid not null,
    engagement_id    uuid,
    completed_at     timestamptz not null,
    is_active        boolean not null,
    readiness_state  text not null check (readiness_state in ('met', 'pending', 'not_met')),
    reasons          text[] not null,
    state            text not null check (state in ('open', 'acknowledged', 'resolved')),
    owner_user_id    uuid,
    suppressed_until timestamptz,
    first_seen_at    timestamptz,
    last_seen_at     timestamptz,
    updated_at       timestamptz not null,
    check ((readiness_state = 'met') = (cardinality(reasons) = 0)),
    check (readiness_state <> 'met' or state = 'resolved'),
    check (readiness_state = 'met' or first_seen_at is not null)
);
-- What lists filter by is in the index, so that a filter which few pass is answered from it.
create index exceptions_queue on defensibility_exception_triage (tenant_id, org_unit_id, first_seen_at, submission_id)
    include (state, readiness_state, owner_user_id, suppressed_until, evaluation_id, reasons) where state <> 'resolved';
create index exceptions_resolved on defensibility_exception_triage (tenant_id, org_unit_id, first_seen_at, submission_id)
    include (readiness_state, owner_user_id, suppressed_until, evaluation_id, reasons) where state = 'resolved' and first_seen_at is not null;
alter table defensibility_exception_triage add primary key (tenant_id, submission_id); -- last, as for sessions
call protect('defensibility_exception_triage', 'org', 'select, insert, update, delete');

-- How many submissions of an engagement or of an evaluation are active, and how many of these are not ready: blocked by
-- what is not met, or waiting for somebody.
create table defensibility_exception_counts (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    kind             text not null check (kind in ('engagement', 'evaluation')),
    target_id        uuid not null,
    active_n         bigint not null,
    blocked_n        bigint not null,
    needs_review_n   bigint not null,
    first_seen_at    timestamptz,
    last_computed_at timestamptz not null,
    primary key (tenant_id, org_unit_id, kind, target_id)
);
call protect('defensibility_exception_counts', 'org', 'select, insert, update, delete');

-- The triage of a rollup, once somebody has written one.
create table defensibility_rollup_triage (
    tenant_id        uuid not null,
    org_unit_id      uuid not null,
    kind             text not null check (kind in ('engagement', 'programme_requirement')),
    target_id        uuid not null,
    state            text not null check (state in ('open', 'acknowledged', 'resolved')),
    owner_user_id    uuid,
    suppressed_until timestamptz,
    updated_at       timestamptz not null,
    primary key (tenant_id, org_unit_id, kind, target_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('defensibility_rollup_triage', 'org', 'select, insert, update');

-- What a row of another table is like while a verification builds it anew: its key, and a hash of its content. Nobody
-- commits rows here.
create unlogged table report_live_rows (
    tenant_id  uuid not null,
    table_name text not null,
    key        text not null,
    content    bigint not null,
    primary key (tenant_id, table_name, key)
);
call protect('report_live_rows', 'tenant', 'select, insert');
