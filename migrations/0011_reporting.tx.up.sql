-- The reporting read model (specification, section 2.4). Written by the projector alone,
-- rebuilt from submissions and snapshots at any time, free of names, e-mail and metadata.
-- No table refers to delivery or authoring tables: a report never joins them.
--
-- Sums are numeric and therefore exact, so that the order of projection cannot matter.

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
-- The further indexes of item attempts, starts and submissions begin with the org unit, which
-- every report states beside the tenant. With the tenant in front they would also answer
-- "the rows of these submissions of the tenant": for a tenant that is too young for the
-- statistics the planner takes them to be as good as the primary key, and reads the whole
-- tenant for each submission.
create index report_flat_by_question on report_item_attempts_flat
    (org_unit_id, question_version_id, completed_at);
create index report_flat_by_version on report_item_attempts_flat
    (org_unit_id, evaluation_version_id, completed_at);
create index report_flat_by_time on report_item_attempts_flat (org_unit_id, completed_at);
create index report_flat_by_run on report_item_attempts_flat (org_unit_id, run_label, completed_at)
    where run_label is not null;
call protect('report_item_attempts_flat', 'org', 'select, insert, update, delete');

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
create index report_choice_by_question on report_item_attempt_choice
    (org_unit_id, question_version_id, completed_at);
call protect('report_item_attempt_choice', 'org', 'select, insert, update, delete');

-- One row a question version, evaluation version, run and UTC day. run_label is '' for
-- attempts without one. time_n counts answered attempts with a known time.
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
call protect('report_question_day', 'org', 'select, insert, update, delete');

-- What was chosen, counted by kind: 'option' (code: option id), 'pattern' (the exact
-- answer set, ids joined by '+'), 'credit' (tenth of the weight, '0' to '10'), 'error'
-- (missed_correct, selected_incorrect, both) and 'violation' (constraint code).
-- Options, patterns, credit and errors count SCORED attempts; violations INVALID ones.
create table report_question_choice_day (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    day                   date not null,
    kind                  text not null check (kind in ('option', 'pattern', 'credit', 'error', 'violation')),
    code                  text not null,
    n                     bigint not null,
    primary key (tenant_id, org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code)
);
call protect('report_question_choice_day', 'org', 'select, insert, update, delete');

-- Everything here but the percentiles derives from the day tables above. omit_rate,
-- drift and attention_rank exist for the sort orders of the list; percentiles_stale asks
-- the percentiles job for a visit, percentiles_at is its last one, and revision counts the
-- derivations, so that the job sees when a row changed under it. The windows of 7 and 30
-- days end with the newest day that has attempts, so that a rebuild next year gives the
-- same row.
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
create index report_health_omit on report_question_health_rollup
    (tenant_id, org_unit_id, omit_rate desc nulls last, question_version_id);
create index report_health_drift on report_question_health_rollup
    (tenant_id, org_unit_id, drift desc, question_version_id);
create index report_health_exposed on report_question_health_rollup
    (tenant_id, org_unit_id, attempts_n desc, question_version_id);
create index report_health_stale on report_question_health_rollup
    (tenant_id, percentiles_at nulls first) where percentiles_stale;
create index report_health_question on report_question_health_rollup (tenant_id, question_version_id);
call protect('report_question_health_rollup', 'org', 'select, insert, update, delete');

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

-- The snapshot's options of a choice question. An option that nobody chose is counted
-- nowhere else, and it is the distractor that does not work.
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

-- The snapshot's tags ('facet:term') of a question in an evaluation version.
create table report_question_tags (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    tag                   text not null,
    question_version_id   uuid not null,
    evaluation_version_id uuid not null,
    primary key (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
);
call protect('report_question_tags', 'org', 'select, insert, delete');

-- Durable rollup of a session's runtime events; the raw events go once it is written.
create table submission_telemetry_summary (
    tenant_id          uuid not null,
    org_unit_id        uuid not null,
    submission_id      uuid not null,
    events_n           integer not null,
    focus_lost_n       integer not null,
    fullscreen_exit_n  integer not null,
    copy_n             integer not null,
    paste_n            integer not null,
    network_lost_n     integer not null,
    heartbeat_n        integer not null,
    last_activity_at   timestamptz,
    primary key (tenant_id, submission_id)
);
call protect('submission_telemetry_summary', 'org', 'select, insert, update, delete');

-- The base of the evaluation summary: one row a session start and one a submission.
create table report_session_starts (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    session_id            uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    run_label             text,
    started_at            timestamptz not null,
    state                 text not null,
    primary key (tenant_id, session_id)
);
create index report_starts_by_version on report_session_starts
    (org_unit_id, evaluation_version_id, started_at);
call protect('report_session_starts', 'org', 'select, insert, update, delete');

create table report_submissions (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    submission_id         uuid not null,
    evaluation_id         uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    run_label             text,
    started_at            timestamptz not null,
    completed_at          timestamptz not null,
    completion_method     text not null,
    outcome_code          text not null,
    is_scored             boolean not null,
    score                 numeric(20, 10) not null,
    max_score             numeric(20, 10) not null,
    score_pct             numeric,
    focus_lost_n          integer not null,
    fullscreen_exit_n     integer not null,
    primary key (tenant_id, submission_id)
);
create index report_submissions_by_version on report_submissions
    (org_unit_id, evaluation_version_id, completed_at);
call protect('report_submissions', 'org', 'select, insert, update, delete');

-- Observation findings, one row a finding. The key serves the list of a submission. What was
-- said in free text is not here.
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

-- Adds two rows of counts, place by place; sum_counts adds many.
create function add_counts(a bigint[], b bigint[]) returns bigint[] language sql immutable strict parallel safe
    set search_path = pg_catalog
    as $$ select array(select x + y from unnest(a, b) with ordinality as u (x, y, place) order by place) $$;
create aggregate sum_counts(bigint[]) (sfunc = add_counts, stype = bigint[], parallel = safe);
grant execute on function add_counts, sum_counts to assess_app;

-- One row an evaluation version, run and UTC day (of the start, or of the completion).
-- histogram counts graded submissions (pass or fail) by tenth of the maximum.
create table report_evaluation_day (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    run_label             text not null,
    day                   date not null,
    evaluation_id         uuid not null,
    started_n             bigint not null,
    in_progress_n         bigint not null,
    expired_n             bigint not null,
    closed_n              bigint not null,
    abandoned_n           bigint not null,
    completed_n           bigint not null,
    scored_n              bigint not null,
    pass_n                bigint not null,
    fail_n                bigint not null,
    graded_score_pct_sum  numeric not null,
    histogram             bigint[] not null check (cardinality(histogram) = 10),
    primary key (tenant_id, org_unit_id, evaluation_version_id, run_label, day)
);
call protect('report_evaluation_day', 'org', 'select, insert, update, delete');

-- Who took a version how often: unique users are its rows, counted as they come and go.
create table report_evaluation_takers (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    user_id               uuid not null,
    starts_n              bigint not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id, user_id)
);
call protect('report_evaluation_takers', 'org', 'select, insert, update, delete');

create table report_evaluation_rollup (
    tenant_id             uuid not null,
    org_unit_id           uuid not null,
    evaluation_version_id uuid not null,
    evaluation_id         uuid not null,
    started_n             bigint not null default 0,
    in_progress_n         bigint not null default 0,
    expired_n             bigint not null default 0,
    closed_n              bigint not null default 0,
    abandoned_n           bigint not null default 0,
    completed_n           bigint not null default 0,
    scored_n              bigint not null default 0,
    pass_n                bigint not null default 0,
    fail_n                bigint not null default 0,
    graded_score_pct_sum  numeric not null default 0,
    histogram             bigint[] not null default '{0,0,0,0,0,0,0,0,0,0}',
    unique_users_n        bigint not null default 0,
    last_completed_day    date,
    last_computed_at      timestamptz not null,
    primary key (tenant_id, org_unit_id, evaluation_version_id)
);
call protect('report_evaluation_rollup', 'org', 'select, insert, update, delete');
