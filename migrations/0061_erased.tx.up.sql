-- When something was erased that has an end: the first time counts, and what has no end stays. It is in PL/pgSQL, which is not
-- written into the statement that calls it: a cluster takes no now() within case there.
create function erased_if_ending(erased_at timestamptz, expires_at timestamptz, at timestamptz) returns timestamptz
    language plpgsql immutable parallel safe as $$
begin
    return case when expires_at is null then erased_at else least(erased_at, at) end;
end $$;
grant execute on function erased_if_ending to assess_app;
