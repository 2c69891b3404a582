-- Where a sign-in link leads after its button was pressed, and the code that the app trades for a
-- token (specification, section 5; RFC 7636). A link whose button was pressed has no token any more.
alter table magic_links
    add column redirect_uri    text,
    add column code_challenge  text,
    add column state           text,
    add column code_hash       bytea,
    add column code_expires_at timestamptz,
    add constraint magic_links_code unique (tenant_id, code_hash),
    add check ((code_hash is null) = (code_expires_at is null)),
    add check (code_challenge is null or redirect_uri is not null),
    add check (state is null or redirect_uri is not null);
