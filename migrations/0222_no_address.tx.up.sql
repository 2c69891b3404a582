-- People may have no e-mail address. They get no mail and no link to sign in; everything else is as for others.
alter table users alter column email drop not null;
alter table users alter column email_key drop not null;
alter table users add constraint users_email_and_key check ((email is null) = (email_key is null));

-- As in 0002, but for people without an address.
create or replace function user_words(tenant uuid, name text, email text, metadata jsonb) returns tsvector
    language sql immutable parallel safe cost 100000 begin atomic
    select array_to_tsvector(array(
        select tenant || 'w' || w from words_for_search(name || coalesce(' ' || email || ' ' || split_part(email, '@', 2), '')) w
        union all
        select tenant || 'm' || left(key || '=' || value, 201) from (
            select key, jsonb_array_elements_text(case jsonb_typeof(value) when 'array' then value else jsonb_build_array(value) end)
            from jsonb_each(metadata)
        ) as pairs (key, value) where value is not null));
end;

alter table assignment_invitations drop constraint assignment_invitations_problem_check;
alter table assignment_invitations add constraint assignment_invitations_problem_check
    check (problem in ('refused', 'interrupted', 'uncertain', 'withdrawn', 'no_address'));
