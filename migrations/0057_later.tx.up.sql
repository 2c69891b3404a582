-- What just_after (0053) is, for any number of seconds: the instant so much later, worked out from a row's own
-- columns in a change. Seconds are the same everywhere, so this is immutable, which "time + interval" is not.
create function later_by(t timestamptz, seconds double precision) returns timestamptz language sql immutable parallel safe
    return (t at time zone 'UTC' + make_interval(secs => seconds)) at time zone 'UTC';

-- An instant that we wrote down as JSON does, with its zone, so that no setting changes how it is read.
create function instant_of(written text) returns timestamptz language plpgsql immutable parallel safe as $$
begin
    return written::timestamptz;
end $$;
grant execute on function later_by, instant_of to assess_app;
