-- Readiness: whether a result can be defended (specification, section 2.9; decisions, section 11).

-- What a submit had to prove, and which items count for nothing, stand beside the content of a
-- snapshot, as its settings do, so that nobody unpacks megabytes for it.
alter table version_snapshots
    add column verification_policy jsonb generated always as (content -> 'verificationPolicy') stored,
    add column survey_items jsonb generated always as (jsonb_path_query_array(content,
        '$.sections[*].items[*] ? (@.key.contributesToScore == false).itemId')) stored;

-- What was to be said of a submission when it was handed in, for ever. Only submissions of which
-- something was asked have a row; of others there is nothing to say. It names no table, so that it
-- outlives the submission.
create table submission_executions (
    tenant_id     uuid not null,
    submission_id uuid not null,
    org_unit_id   uuid not null,
    logic_version text not null,
    reasons       text[] not null,
    written_at    timestamptz not null,
    primary key (tenant_id, submission_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('submission_executions', 'org', 'select, insert');
call append_only('submission_executions');
