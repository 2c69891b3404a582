-- Checks what waits for the commit, on the node that a statement about a tenant goes to: "set constraints" stays where it
-- is sent. The argument is what keeps Citus from calling it before.
create function check_now(of_rows bigint) returns boolean language plpgsql as $$
begin
    set constraints all immediate;
    return true;
end $$;
grant execute on function check_now to assess_app;
