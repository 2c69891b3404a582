-- People: tenants, org units, users, roles and groups; how people sign in; what is required of them and what protects
-- them (specification, sections 2.1, 2.5 and 5; decisions, sections 1, 4 and 6).

-- An institution. Its key is its id, so its policy is spelled out.
create table tenants (
    id         uuid primary key,
    slug       text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null
);
alter table tenants enable row level security, force row level security;
create policy scope on tenants to assess_app using (id = scope_tenant()) with check (id = scope_tenant());
grant select, insert, update on tenants to assess_app;

-- A part of a tenant: a school, a department. One that was made by mistake can be deleted; foreign keys keep every
-- other.
create table org_units (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    slug       text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    constraint org_units_slug unique (tenant_id, slug)
);
call protect('org_units', 'tenant', 'select, insert, update, delete');

-- Every process caches who may do what. A change of what people may do is announced by the code that makes it, in the
-- same transaction (db.Tx.AnnounceAccess), which says so in assess.announced. The trigger cannot do it where Citus
-- spreads the database: it fires on the node of the row, where nobody listens, and a node does not prepare a
-- transaction that has notified. There the table is a shard, with a number in its name, and a change that was not
-- announced is refused. On one server the trigger announces what somebody changes by hand, unless the setting is
-- 'must', as it is in tests.
create function announce_access() returns trigger language plpgsql as $$
declare
    announced text := current_setting('assess.announced', true);
begin
    if announced = 'true' then
        return null;
    end if;
    if announced = 'must' or tg_table_name ~ '_[0-9]{6,}$' then
        raise exception 'a change of % is to be announced first', regexp_replace(tg_table_name, '_[0-9]{6,}$', '')
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    perform pg_notify('assess_access', coalesce(new.tenant_id, old.tenant_id)::text);
    return null;
end $$;

-- What users are searched by, folded: compatibility forms and case are one, and marks above and below letters do not
-- count, so that "zoe" finds "Zoë". This and words_for_search are not strict, so that they become a part of the query
-- that calls them: an import of users spends most of its time here, and a call of its own for each user would cost as
-- much as the work.
create function fold_for_search(s text) returns text
    language sql immutable parallel safe
    return case when octet_length(s) = length(s) then lower(s)
        else lower(regexp_replace(normalize(s, nfkd), '[\u0300-\u036f]', '', 'g')) end;

-- The words of a text: as they are between spaces ("jean-luc", "ada@example.org") and, for each, what punctuation parts
-- ("jean", "luc"). A word counts up to its 64th character; one that occurs twice comes twice.
create function words_for_search(s text) returns setof text
    language sql immutable parallel safe begin atomic
    select left(word, 64) from (
        select unnest(string_to_array(line, ' ') || string_to_array(translate(line, '@._+-', '     '), ' '))
        from regexp_replace(fold_for_search(s), '[][\s!"#$%&''()*,/:;<=>?\\^`{|}~]+', ' ', 'g') as line
    ) as words (word) where word <> '';
end;

-- Every word of an index entry begins with the tenant: a search reads only the words of its own, however many tenants
-- have an Ada. "w" marks words of name and address, "m" metadata, of which the first 201 characters count: searches
-- have at most 200. The cost keeps the planner from computing it for every user of a tenant while a young table has no
-- statistics.
create function user_words(tenant uuid, name text, email text, metadata jsonb) returns tsvector
    language sql immutable parallel safe cost 100000 begin atomic
    select array_to_tsvector(array(
        select tenant || 'w' || w from words_for_search(name || coalesce(' ' || email || ' ' || split_part(email, '@', 2), '')) w
        union all
        select tenant || 'm' || left(key || '=' || value, 201) from (
            select key, jsonb_array_elements_text(case jsonb_typeof(value) when 'array' then value else jsonb_build_array(value) end)
            from jsonb_each(metadata)
        ) as pairs (key, value) where value is not null));
end;

-- A person. This is the only place for names, e-mail addresses and metadata. email_key is the address in canonical,
-- case-folded form; people without an address get no mail and no link to sign in. An invited user was named by address
-- in an assignment and has neither org unit nor role before redeeming it. Tokens hold as long as they name the user's
-- token_generation: counting it up ends them all.
--
-- restricted and held say in short what holds say in full: a processing restriction is in force, or any hold of the
-- whole person. erasing says that a job is removing the person's data, in more than one transaction: from then on
-- nobody holds them any more.
create table users (
    tenant_id        uuid not null references tenants (id),
    id               uuid not null,
    email            text,
    email_key        text,
    name             text not null default '',
    metadata         jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    status           text not null default 'active' check (status in ('invited', 'active', 'deactivated')),
    token_generation integer not null default 0,
    created_at       timestamptz not null,
    updated_at       timestamptz not null,
    restricted       boolean not null default false,
    held             boolean not null default false,
    erasing          boolean not null default false,
    primary key (tenant_id, id),
    constraint users_email unique (tenant_id, email_key),
    constraint users_email_and_key check ((email is null) = (email_key is null))
);
create index users_created on users (tenant_id, created_at, id);
create index users_by_status on users (tenant_id, status, created_at, id);
create index users_words on users using gin (user_words(tenant_id, name, email_key, metadata)) with (fastupdate = off);
alter index users_words alter column 1 set statistics 0;
call unsampled('users', 'email', 'email_key', 'metadata', 'name');
call protect('users', 'tenant', 'select, insert, update, delete');
create trigger announce after update of status, token_generation or delete on users for each row execute function announce_access();

-- An address that a user had before, until the mail is out that tells it of the change: the job that sends it knows
-- only the id of the row.
create table former_addresses (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    email      text not null,
    changed_at timestamptz not null,
    user_id    uuid,
    primary key (tenant_id, id)
);
create index former_addresses_age on former_addresses (tenant_id, changed_at);
create index former_addresses_by_user on former_addresses (tenant_id, user_id);
call unsampled('former_addresses', 'email');
call protect('former_addresses', 'tenant', 'select, insert, delete');

-- A person belongs to an org unit.
create table user_org_units (
    tenant_id   uuid not null,
    user_id     uuid not null,
    org_unit_id uuid not null,
    primary key (tenant_id, user_id, org_unit_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index user_org_units_by_org on user_org_units (tenant_id, org_unit_id, user_id);
call protect('user_org_units', 'tenant', 'select, insert, delete');
create trigger announce after insert or delete on user_org_units for each row execute function announce_access();

-- A capability that a role can have; pkg/kernel/capability says what each allows.
create table capabilities (
    name text primary key
);
grant select on capabilities to assess_app;
insert into capabilities (name) values
    ('reporting.view'), ('reporting.view_named'), ('taxonomy.read'), ('taxonomy.manage'),
    ('questions.read'), ('questions.write'), ('evaluations.read'), ('evaluations.write'),
    ('media.manage'), ('locales.manage'), ('users.read'), ('users.manage'), ('users.import'),
    ('groups.manage'), ('groups.view'), ('groups.join'), ('assignments.create'),
    ('assignments.monitor'), ('assignments.manage'), ('assignments.override'),
    ('sessions.proctor'), ('sessions.take'), ('submissions.read'), ('submissions.review'),
    ('submissions.void'), ('remediations.manage'), ('evidence.read'), ('evidence.manage'),
    ('exceptions.read'), ('exceptions.triage'), ('compliance.read'), ('compliance.manage'),
    ('roles.manage'), ('subjects.manage'), ('policies.manage'), ('packs.manage'),
    ('billing.manage'), ('scope.all'), ('skills.read'), ('skills.manage'),
    ('skills.mapping.manage'), ('skills.taxonomy.manage'), ('integrations.read'), ('integrations.manage');

-- A role: a name for capabilities. system_key names the system role that the row is; it is null for a tenant's own
-- roles.
create table roles (
    tenant_id   uuid not null references tenants (id),
    id          uuid not null,
    system_key  text,
    name        text not null,
    description text not null default '',
    created_at  timestamptz not null,
    updated_at  timestamptz not null,
    primary key (tenant_id, id),
    constraint roles_system_key unique (tenant_id, system_key)
);
create unique index roles_name on roles (tenant_id, lower(name));
call protect('roles', 'tenant', 'select, insert, update, delete');
create trigger announce after update or delete on roles for each row execute function announce_access();

-- A role has a capability.
create table role_capabilities (
    tenant_id  uuid not null,
    role_id    uuid not null,
    capability text not null references capabilities (name),
    primary key (tenant_id, role_id, capability),
    foreign key (tenant_id, role_id) references roles (tenant_id, id) on delete cascade
);
call protect('role_capabilities', 'tenant', 'select, insert, delete');
create trigger announce after insert or delete on role_capabilities for each row execute function announce_access();

-- A person has a role.
create table user_roles (
    tenant_id  uuid not null,
    user_id    uuid not null,
    role_id    uuid not null,
    granted_at timestamptz not null,
    primary key (tenant_id, user_id, role_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint user_roles_role foreign key (tenant_id, role_id) references roles (tenant_id, id)
);
create index user_roles_by_role on user_roles (tenant_id, role_id, user_id);
call protect('user_roles', 'tenant', 'select, insert, delete');
create trigger announce after insert or delete on user_roles for each row execute function announce_access();

-- The condition of a dynamic group ({"all": [{"key", "op", "value" | "values"}]}) as a JSON path over a user's
-- metadata: the one place that says what a rule means. In strict mode a missing key or another type is no match, and
-- numbers are never strings.
create function rule_path(rule jsonb) returns jsonpath
    language sql immutable strict parallel safe begin atomic
    select ('strict ' || string_agg(case c ->> 'op'
        when 'equals' then format('$.%s == %s', c -> 'key', c -> 'value')
        when 'contains' then format('exists($.%s[*] ? (%s))', c -> 'key',
            (select string_agg(format('@ == %s', v), ' || ') from jsonb_array_elements(c -> 'values') v))
        when 'exists' then format('exists($.%s)', c -> 'key') end, ' && '))::jsonpath
    from jsonb_array_elements(rule -> 'all') c;
end;

-- A group lives in one org unit. membership_rule is the rule of a dynamic group, under rule_version; join_token is the
-- SHA-256 of the token, which is shown once. name_key is a column because behind a policy a condition with lower() is
-- no index condition.
create table groups (
    tenant_id       uuid not null,
    id              uuid not null,
    org_unit_id     uuid not null,
    name            text not null,
    name_key        text collate "C" not null generated always as (lower(name)) stored,
    description     text not null default '',
    is_dynamic      boolean not null default false,
    membership_rule jsonb,
    membership_path jsonpath generated always as (rule_path(membership_rule)) stored,
    rule_version    integer not null default 0,
    join_token      bytea,
    allowed_domains text[] not null default '{}',
    created_at      timestamptz not null,
    updated_at      timestamptz not null,
    primary key (tenant_id, id),
    unique (tenant_id, id, org_unit_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint groups_join_token unique (tenant_id, join_token),
    check (is_dynamic = (membership_rule is not null)),
    check (not (is_dynamic and join_token is not null))
);
create unique index groups_name on groups (tenant_id, org_unit_id, name_key);
create index groups_updated on groups (tenant_id, org_unit_id, updated_at desc, id);
create index groups_dynamic on groups (tenant_id, org_unit_id) where is_dynamic;
call protect('groups', 'org', 'select, insert, update, delete');

-- A person in a group. Members of dynamic groups are stored too. The foreign keys see to it that a member belongs to
-- the org unit of the group: someone who leaves the org unit leaves its groups. provider_id names the identity provider
-- whose claim made the membership, which ends with the claim. Redeeming an assignment locks the membership that it
-- depends on, for which PostgreSQL wants a right to update.
create table group_members (
    tenant_id   uuid not null,
    group_id    uuid not null,
    user_id     uuid not null,
    org_unit_id uuid not null,
    added_at    timestamptz not null,
    provider_id uuid,
    primary key (tenant_id, group_id, user_id),
    foreign key (tenant_id, group_id, org_unit_id) references groups (tenant_id, id, org_unit_id) on delete cascade,
    constraint group_members_org_unit foreign key (tenant_id, user_id, org_unit_id)
        references user_org_units (tenant_id, user_id, org_unit_id) on delete cascade
);
create index group_members_by_user on group_members (tenant_id, user_id, org_unit_id, group_id);
create index group_members_listed on group_members (tenant_id, group_id, org_unit_id, added_at, user_id);
call protect('group_members', 'org', 'select, insert, delete, update (added_at)');

-- Ed25519 keys that sign tokens. The newest one that is not retired signs; all verify until the last token that they
-- signed has expired. sealed_seed is the private key under a secret that is not in the database: AES-256-GCM, nonce
-- first.
create table signing_keys (
    kid         text primary key,
    sealed_seed bytea not null check (length(sealed_seed) = 60),
    created_at  timestamptz not null,
    retired_at  timestamptz
);
grant select, insert, update (retired_at), delete on signing_keys to assess_app;

-- A link that signs a person in. token_hash is null until the mail goes out: the job that mails the link makes the
-- token, so the token itself is stored nowhere. It carries the tenant, because a link is redeemed before there is a
-- scope. A row without a user answers a request for an unknown address; it costs the same and leads nowhere. A link
-- that invites to an assignment admits its user; one without signs in anybody who has an account.
--
-- After its button was pressed a link has no token any more, but a code that the application trades for a token, once,
-- at redirect_uri (specification, section 5; RFC 7636). A sign-in at an identity provider (provider_id) ends in such a
-- code too. proof is what trading the code proves: null for a mail that was read, where no provider gave the code.
-- Someone who lets a terminal in can pass on the proof that a link in a mail gave to their browser.
create table magic_links (
    tenant_id       uuid not null references tenants (id),
    id              uuid not null,
    user_id         uuid,
    org_unit_id     uuid,
    token_hash      bytea,
    created_at      timestamptz not null,
    expires_at      timestamptz not null,
    redeemed_at     timestamptz,
    assignment_id   uuid,
    redirect_uri    text,
    code_challenge  text,
    state           text,
    code_hash       bytea,
    code_expires_at timestamptz,
    provider_id     uuid,
    proof           text check (proof in ('none', 'magic_link', 'oidc')),
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    constraint magic_links_token unique (tenant_id, token_hash),
    constraint magic_links_code unique (tenant_id, code_hash),
    check ((code_hash is null) = (code_expires_at is null)),
    check (code_challenge is null or redirect_uri is not null),
    check (state is null or redirect_uri is not null)
);
create index magic_links_expiry on magic_links (tenant_id, expires_at);
create index magic_links_user on magic_links (tenant_id, user_id);
create index magic_links_by_assignment on magic_links (tenant_id, assignment_id);
call protect('magic_links', 'tenant', 'select, insert, update, delete');

-- A person proved who they are once more, for one protected action.
create table step_up_proofs (
    tenant_id   uuid not null,
    id          uuid not null,
    user_id     uuid not null,
    method      text not null check (method in ('magic_link', 'operator', 'oidc')),
    created_at  timestamptz not null,
    expires_at  timestamptz not null,
    consumed_at timestamptz,
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);
create index step_up_proofs_expiry on step_up_proofs (tenant_id, expires_at);
create index step_up_proofs_user on step_up_proofs (tenant_id, user_id);
call protect('step_up_proofs', 'tenant', 'select, insert, update, delete');

-- A token that its owner ended by signing out, until it would have expired. Tokens that ended are read with what a
-- person may do, which processes cache, so ending one is announced.
create table ended_tokens (
    tenant_id  uuid not null references tenants (id),
    user_id    uuid not null,
    token_id   uuid not null,
    expires_at timestamptz not null,
    primary key (tenant_id, user_id, token_id),
    foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index ended_tokens_over on ended_tokens (tenant_id, expires_at);
call protect('ended_tokens', 'tenant', 'select, insert, delete');

-- One row a limited key, whose name is hashed: it may contain an e-mail address. next_free is the theoretical arrival
-- time of the generic cell rate algorithm.
create table rate_limits (
    key       bytea primary key,
    next_free timestamptz not null
);
create index rate_limits_stale on rate_limits (next_free);
grant select, insert, update, delete on rate_limits to assess_app;

-- The answer to a call, for the same call when it comes again. The tenant comes from a verified token. A foreign key to
-- it would make every call of a tenant lock the same row, and all calls at once queue up to note that.
create table idempotency_keys (
    tenant_id  uuid not null,
    actor      text not null,
    method     text not null,
    path       text not null,
    key        text not null,
    body_hash  bytea not null,
    status     integer not null,
    location   text not null default '',
    body       bytea not null,
    created_at timestamptz not null,
    primary key (tenant_id, actor, method, path, key)
);
-- It does not start with the tenant: while the table has no statistics yet, the planner would find keys by it, and read
-- all keys of the tenant each time.
create index idempotency_keys_age on idempotency_keys (created_at);
call protect('idempotency_keys', 'tenant', 'select, insert, delete');

-- A provider of identities (OpenID Connect). The secret is sealed; the service may sign with a key instead. People
-- whose first sign-in is here get the roles and join the org unit joined_id. step_up says which answers of the provider
-- (acr, amr) prove who somebody is once more.
create table identity_providers (
    tenant_id     uuid not null references tenants (id),
    id            uuid not null,
    slug          text not null,
    name          text not null,
    status        text not null default 'active' check (status in ('active', 'disabled')),
    issuer        text not null,
    client_id     text not null,
    sealed_secret bytea,
    scopes        text[] not null,
    claims        jsonb not null,
    email_trust   text not null check (email_trust in ('verified', 'never')),
    domains       text[] not null,
    provisioning  text not null check (provisioning in ('off', 'invited', 'jit')),
    joined_id     uuid not null,
    role_ids      uuid[] not null,
    groups        jsonb not null,
    created_at    timestamptz not null,
    updated_at    timestamptz not null,
    step_up       jsonb not null default '{}',
    sealed_key    bytea,
    public_key    jsonb,
    primary key (tenant_id, id),
    foreign key (tenant_id, joined_id) references org_units (tenant_id, id),
    constraint identity_providers_slug unique (tenant_id, slug)
);
create index identity_providers_joined on identity_providers (tenant_id, joined_id);
call protect('identity_providers', 'tenant', 'select, insert, update');

-- Who a person is elsewhere: source_id is the provider, subject what the person is called there. Never an address,
-- which changes hands. A test account is one that a learning platform has for trying things out: its grades are sent
-- nowhere.
create table user_accounts (
    tenant_id    uuid not null,
    id           uuid not null,
    user_id      uuid not null,
    source       text not null check (source in ('oidc', 'lti', 'oneroster', 'scim')),
    source_id    uuid not null,
    subject      text not null,
    linked_by    text not null,
    linked_at    timestamptz not null,
    last_seen_at timestamptz,
    test         boolean not null default false,
    primary key (tenant_id, id),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    constraint user_accounts_subject unique (tenant_id, source, source_id, subject)
);
create index user_accounts_user on user_accounts (tenant_id, user_id);
call unsampled('user_accounts', 'subject');
call protect('user_accounts', 'tenant', 'select, insert, update, delete');

-- A sign-in that is at the provider: it comes back once, within ten minutes, in the browser that began it. A flow with
-- a user is of somebody who is signed in already: they step up, or link an account.
create table sign_in_flows (
    tenant_id      uuid not null,
    id             uuid not null,
    provider_id    uuid not null,
    state_hash     bytea not null,
    browser_hash   bytea not null,
    sealed         bytea not null,
    redirect_uri   text not null,
    code_challenge text not null,
    state          text,
    created_at     timestamptz not null,
    expires_at     timestamptz not null,
    used_at        timestamptz,
    purpose        text not null default 'sign_in' check (purpose in ('sign_in', 'step_up', 'link')),
    user_id        uuid,
    org_unit_id    uuid,
    primary key (tenant_id, id),
    foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
    constraint sign_in_flows_state unique (tenant_id, state_hash),
    foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index sign_in_flows_expiry on sign_in_flows (tenant_id, expires_at);
create index sign_in_flows_provider on sign_in_flows (tenant_id, provider_id);
create index sign_in_flows_user on sign_in_flows (tenant_id, user_id);
create index sign_in_flows_org_unit on sign_in_flows (tenant_id, org_unit_id);
call protect('sign_in_flows', 'tenant', 'select, insert, update, delete');

-- A version of a retention policy. A change adds one; the one with the greatest number of a domain and scope is in
-- force. Records name the version that they were kept under ("policy:<id>"), so none ever changes. Without days and
-- action a version says that there is no policy any more.
--
-- A policy of submissions can be about one evaluation, one outcome, one way of handing out, or several of these at
-- once; null means all. scope names the three in one text, '' for the policy of all. The most specific policy that fits
-- counts: first by evaluation, then by outcome, then by the way of handing out.
create table retention_policies (
    tenant_id       uuid not null references tenants (id),
    domain          text not null check (domain in ('submissions', 'evidence', 'sessions', 'telemetry', 'exports')),
    number          integer not null check (number > 0),
    id              uuid not null,
    days            integer check (days between 1 and 36500),
    action          text check (action in ('redact', 'delete')),
    set_by          text not null,
    set_at          timestamptz not null,
    evaluation_id   uuid,
    outcome         text check (outcome in ('pass', 'fail', 'incomplete')),
    assignment_kind text check (assignment_kind in ('none', 'user_id', 'email', 'group_id', 'public_link')),
    scope           text not null default '',
    primary key (tenant_id, domain, scope, number),
    unique (tenant_id, id),
    check ((days is null) = (action is null)),
    check (scope = '' or domain = 'submissions'),
    check ((scope = '') = (evaluation_id is null and outcome is null and assignment_kind is null))
);
call protect('retention_policies', 'tenant', 'select, insert');
call append_only('retention_policies');

-- How actions of a level have to be verified. Only what differs from the defaults, which the program knows, or once
-- did.
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

-- How a protected action was verified. subject_id is a submission or an evaluation. fields is what the caller said of
-- the circumstances: free text, so it stays out of the ledger and is redacted with the person's answers. An action for
-- which no policy required anything has no row.
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
-- What somebody stated when they acted on others is theirs too: a data export finds it by its author.
create index verifications_by_author on verifications (tenant_id, actor);
call unsampled('verifications', 'fields');
call protect('verifications', 'org', 'select, insert, delete');
call written_once('verifications', 'fields');

-- A hold on a person: a restriction of processing, or a legal hold, which may name one submission; the row outlives it.
-- A lifted hold stays. A hold can belong to a matter, a code that the tenant gives to a dispute or an inquiry, and has
-- a day (review_at) on which somebody checks whether it is still needed.
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
    matter        text not null default '' check (matter ~ '^[A-Za-z0-9._-]{0,64}$'),
    review_at     timestamptz,
    foreign key (tenant_id, subject_id) references users (tenant_id, id),
    check (submission_id is null or kind = 'legal'),
    check ((lifted_at is null) = (lifted_by is null))
);
create index holds_listed on holds (tenant_id, placed_at desc, id desc);
create index holds_by_subject on holds (tenant_id, subject_id, placed_at desc, id desc);
alter table holds add primary key (tenant_id, id); -- last, as for sessions
create index holds_by_submission on holds (tenant_id, submission_id) where submission_id is not null;
create unique index holds_standing on holds (tenant_id, subject_id, kind, reason_code, submission_id, matter)
    nulls not distinct where lifted_at is null;
create index holds_of_matter on holds (tenant_id, matter, subject_id, id) where lifted_at is null and matter <> '';
create index holds_to_review on holds (tenant_id, review_at, id) where lifted_at is null and review_at is not null;
call protect('holds', 'tenant', 'select, insert, update (lifted_by, lifted_at), update (review_at)');
