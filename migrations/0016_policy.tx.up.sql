-- Retention and verification policies (specification, sections 2.1, 5 and 9; decisions,
-- sections 4 and 6).

-- A change adds a version; the one with the greatest number of a domain is in force. Records
-- name the version that they were kept under ("policy:<id>"), so none ever changes. Without
-- days and action a version says that the domain has no policy any more.
create table retention_policies (
    tenant_id uuid not null references tenants (id),
    domain    text not null check (domain in ('submissions', 'evidence', 'sessions', 'telemetry', 'exports')),
    number    integer not null check (number > 0),
    id        uuid not null,
    days      integer check (days between 1 and 36500),
    action    text check (action in ('redact', 'delete')),
    set_by    text not null,
    set_at    timestamptz not null,
    primary key (tenant_id, domain, number),
    unique (tenant_id, id),
    check ((days is null) = (action is null))
);
call protect('retention_policies', 'tenant', 'select, insert');
call append_only('retention_policies');

-- Only what differs from the defaults, which the program knows, or once did.
create table verification_policies (
    tenant_id               uuid not null references tenants (id),
    level                   text not null check (level in ('L1', 'L2', 'L3', 'L4')),
    applies_to              text not null check (applies_to in
                            ('submissions', 'evidence', 'review_actions', 'claims', 'disputes', 'evaluation_publish')),
    require_context         boolean not null,
    require_step_up         boolean not null,
    required_context_fields text[] not null,
    methods                 text[] not null,
    updated_at              timestamptz not null,
    primary key (tenant_id, level, applies_to)
);
call protect('verification_policies', 'tenant', 'select, insert, update');

-- How a protected action was verified. subject_id is a submission or an evaluation. fields
-- is what the caller said of the circumstances: free text, so it stays out of the ledger and
-- is redacted with the person's answers. An action that no policy asked anything of has no
-- row.
create table verifications (
    tenant_id   uuid not null,
    subject_id  uuid not null,
    id          uuid not null,
    org_unit_id uuid not null,
    applies_to  text not null,
    policy_ref  text not null,
    kind        text not null check (kind in ('auth.session', 'auth.step_up')),
    method      text,
    proof_id    uuid,
    fields      jsonb not null,
    actor       text not null,
    verified_at timestamptz not null,
    primary key (tenant_id, subject_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    check ((kind = 'auth.step_up') = (method is not null and proof_id is not null))
);
call protect('verifications', 'org', 'select, insert, update');
