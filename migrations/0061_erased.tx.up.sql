-- When something was erased that has an end: the first time counts, and what has no end stays. As a function, since a cluster takes
-- now() in a change only where nothing but the value of another function hangs on it.
create function erased_if_ending(erased_at timestamptz, expires_at timestamptz, at timestamptz) returns timestamptz
    language sql immutable parallel safe
    return case when expires_at is null then erased_at else least(erased_at, at) end;
grant execute on function erased_if_ending to assess_app;
