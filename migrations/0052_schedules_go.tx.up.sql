-- Assignments outlive the schedule that made them. A trigger lets go of them, and no longer the key's
-- "on delete set null", which Citus refuses in a key that has the column by which it distributes.
alter table assignments drop constraint assignments_schedule,
    add constraint assignments_schedule foreign key (tenant_id, schedule_id) references assignment_schedules (tenant_id, id);

create function let_assignments_go() returns trigger language plpgsql as $$
begin
    update public.assignments set schedule_id = null where tenant_id = old.tenant_id and schedule_id = old.id;
    return old;
end $$;
create trigger let_go before delete on assignment_schedules for each row execute function let_assignments_go();
