-- Letters about requests (package requests). The words of a letter are a template: what is built in, or what the tenant made of
-- it. A version is never changed; one without words takes the templates of before out of force. word is a reason or a kind of
-- request that a template is for; empty for all.
create table letter_templates (
    tenant_id uuid not null references tenants (id),
    letter    text not null check (letter in ('received', 'identity_needed', 'extended', 'refused', 'ready', 'done')),
    word      text not null check (word ~ '^[a-z_]*$'),
    locale    text not null,
    version   integer not null check (version > 0),
    subject   text not null,
    body      text not null,
    set_by    text not null,
    set_at    timestamptz not null,
    primary key (tenant_id, letter, word, locale, version),
    check ((subject = '') = (body = ''))
);
call protect('letter_templates', 'tenant', 'select, insert');
call append_only('letter_templates');

-- What was sent for a request: the hash of the text and the version of its template, never the text. sealed is the address of
-- somebody who is being erased meanwhile, under auth.key_secret; it goes when the letter has gone.
create table request_letters (
    tenant_id        uuid not null,
    request_id       uuid not null,
    id               uuid not null,
    letter           text not null,
    locale           text not null default '',
    template_version integer,
    sha256           text,
    state            text not null check (state in ('held', 'queued', 'sending', 'sent', 'failed')),
    problem          text,
    sealed           bytea,
    created_at       timestamptz not null,
    sent_at          timestamptz,
    primary key (tenant_id, request_id, id),
    foreign key (tenant_id, request_id) references compliance_requests (tenant_id, id),
    check (sealed is null or state in ('held', 'queued', 'sending')),
    check ((state = 'sent') = (sent_at is not null))
);
call protect('request_letters', 'tenant', 'select, insert, update');

-- The language of the letters about a request; empty: that of the tenant.
alter table compliance_requests add column locale text not null default '';
-- Whether the service sends letters by itself.
alter table request_rules add column letters boolean not null default true;
