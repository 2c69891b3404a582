-- Tenants, org units, users and their roles (specification, section 2.5).

create table tenants (
    id         uuid primary key,
    slug       text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null
);
alter table tenants enable row level security, force row level security;
create policy scope on tenants to assess_app
    using (id = scope_tenant()) with check (id = scope_tenant());
grant select, insert, update on tenants to assess_app;

create table org_units (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    slug       text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name       text not null,
    created_at timestamptz not null,
    primary key (tenant_id, id),
    constraint org_units_slug unique (tenant_id, slug)
);
call protect('org_units', 'tenant', 'select, insert, update');

-- The user record is the only place for names, e-mail addresses and metadata.
-- email_key is the address in canonical, case-folded form. An invited user was named by
-- address in an assignment and has neither org unit nor role before redeeming it. Tokens hold
-- as long as they name the user's token_generation: counting it up ends them all.
create table users (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    email      text not null,
    email_key  text not null,
    name       text not null default '',
    metadata   jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    status     text not null default 'active' check (status in ('invited', 'active', 'deactivated')),
    token_generation integer not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id),
    constraint users_email unique (tenant_id, email_key)
);
create index users_created on users (tenant_id, created_at, id);
create index users_by_status on users (tenant_id, status, created_at, id);
call protect('users', 'tenant', 'select, insert, update, delete');

-- An address that a user had before, until the mail is out that tells it of the change: the job
-- that sends it knows the row by its id alone.
create table former_addresses (
    tenant_id  uuid not null references tenants (id),
    id         uuid not null,
    email      text not null,
    changed_at timestamptz not null,
    primary key (tenant_id, id)
);
create index former_addresses_age on former_addresses (tenant_id, changed_at);
call protect('former_addresses', 'tenant', 'select, insert, delete');

-- What users are searched by, folded: compatibility forms and case are one, and marks above
-- and below letters do not count, so that "zoe" finds "Zoë". This and words_for_search are not
-- strict, so that they become a part of the query that calls them: an import of users spends
-- most of its time here, and a call of its own for each user would cost as much as the work.
create function fold_for_search(s text) returns text
    language sql immutable parallel safe
    return case when octet_length(s) = length(s) then lower(s)
        else lower(regexp_replace(normalize(s, nfkd), '[\u0300-\u036f]', '', 'g')) end;

-- The words of a text: as they stand between spaces ("jean-luc", "ada@example.org") and, for
-- each, what punctuation parts ("jean", "luc"). A word counts up to its 64th character; one that
-- occurs twice comes twice.
create function words_for_search(s text) returns setof text
    language sql immutable parallel safe begin atomic
    select left(word, 64) from (
        select unnest(string_to_array(line, ' ') || string_to_array(translate(line, '@._+-', '     '), ' '))
        from regexp_replace(fold_for_search(s), '[][\s!"#$%&''()*,/:;<=>?\\^`{|}~]+', ' ', 'g') as line
    ) as words (word) where word <> '';
end;

-- Every word of an index entry begins with the tenant: a search reads those of its own alone,
-- however many tenants have an Ada. "w" marks words of name and address, "m" metadata, of
-- which the first 201 characters count: searches have at most 200. The cost keeps the planner
-- from computing it for every user of a tenant while a young table has no statistics.
create function user_words(tenant uuid, name text, email text, metadata jsonb) returns tsvector
    language sql immutable parallel safe cost 100000 begin atomic
    select array_to_tsvector(array(
        select tenant || 'w' || w from words_for_search(name || ' ' || email || ' ' || split_part(email, '@', 2)) w
        union all
        select tenant || 'm' || left(key || '=' || value, 201) from (
            select key, jsonb_array_elements_text(case jsonb_typeof(value) when 'array' then value else jsonb_build_array(value) end)
            from jsonb_each(metadata)
        ) as pairs (key, value) where value is not null));
end;
create index users_words on users using gin (user_words(tenant_id, name, email_key, metadata)) with (fastupdate = off);

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
    ('skills.mapping.manage'), ('skills.taxonomy.manage');

-- system_key names the system role that the row is; null for a tenant's own roles.
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

create table role_capabilities (
    tenant_id  uuid not null,
    role_id    uuid not null,
    capability text not null references capabilities (name),
    primary key (tenant_id, role_id, capability),
    foreign key (tenant_id, role_id) references roles (tenant_id, id) on delete cascade
);
call protect('role_capabilities', 'tenant', 'select, insert, delete');

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

-- The condition of a dynamic group ({"all": [{"key", "op", "value" | "values"}]}) as a JSON
-- path over a user's metadata: the one place that says what a rule means. In strict mode
-- a missing key or another type is no match, and numbers are never strings.
create function rule_path(rule jsonb) returns jsonpath
    language sql immutable strict parallel safe begin atomic
    select ('strict ' || string_agg(case c ->> 'op'
        when 'equals' then format('$.%s == %s', c -> 'key', c -> 'value')
        when 'contains' then format('exists($.%s[*] ? (%s))', c -> 'key',
            (select string_agg(format('@ == %s', v), ' || ') from jsonb_array_elements(c -> 'values') v))
        when 'exists' then format('exists($.%s)', c -> 'key') end, ' && '))::jsonpath
    from jsonb_array_elements(rule -> 'all') c;
end;

-- A group lives in one org unit. membership_rule is the rule of a dynamic group, under
-- rule_version; join_token is the SHA-256 of the token, which is shown once. name_key is a
-- column because behind a policy a condition with lower() is no index condition.
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

-- Members are stored for dynamic groups too. The foreign keys hold that a member belongs to
-- the org unit of the group: who leaves the org unit leaves its groups.
create table group_members (
    tenant_id   uuid not null,
    group_id    uuid not null,
    user_id     uuid not null,
    org_unit_id uuid not null,
    added_at    timestamptz not null,
    primary key (tenant_id, group_id, user_id),
    foreign key (tenant_id, group_id, org_unit_id) references groups (tenant_id, id, org_unit_id) on delete cascade,
    constraint group_members_org_unit foreign key (tenant_id, user_id, org_unit_id)
        references user_org_units (tenant_id, user_id, org_unit_id) on delete cascade
);
create index group_members_by_user on group_members (tenant_id, user_id, org_unit_id, group_id);
create index group_members_listed on group_members (tenant_id, group_id, org_unit_id, added_at, user_id);
call protect('group_members', 'org', 'select, insert, delete');

-- Every process caches who may do what. A change announces its tenant when it commits;
-- equal announcements of one transaction are sent once.
create function announce_access() returns trigger language plpgsql as $$
begin
    perform pg_notify('assess_access', coalesce(new.tenant_id, old.tenant_id)::text);
    return null;
end $$;
create trigger announce after update or delete on roles for each row execute function announce_access();
create trigger announce after insert or delete on role_capabilities for each row execute function announce_access();
create trigger announce after insert or delete on user_roles for each row execute function announce_access();
create trigger announce after insert or delete on user_org_units for each row execute function announce_access();
create trigger announce after update of status, token_generation or delete on users for each row execute function announce_access();
