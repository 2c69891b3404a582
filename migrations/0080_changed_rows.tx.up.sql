-- What a statement changed is the difference of its rows after and before, and no join of them: PL/pgSQL keeps the plan of the first call,
-- which may have had no rows, and for ten thousand that plan is a loop over all of them for each.

create or replace function ask_for_merged_terms() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select distinct tenant_id from (
        select tenant_id, id, merged_into from changed except select tenant_id, id, merged_into from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;

create or replace function ask_for_skill_levels() returns trigger language plpgsql as $$
declare
    c record;
begin
    for c in select tenant_id, id from (
        select tenant_id, id, current_version_id from changed except select tenant_id, id, current_version_id from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id and skill_id = c.id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'levels', c.id, now());
        end if;
    end loop;
    for c in select distinct tenant_id from (
        select tenant_id, id, code, framework_id from changed except select tenant_id, id, code, framework_id from former) n
    loop
        if exists (select from public.report_skill_targets where tenant_id = c.tenant_id) then
            insert into public.projection_outbox (tenant_id, kind, subject_id, enqueued_at)
            values (c.tenant_id, 'terms', c.tenant_id, now());
        end if;
    end loop;
    return null;
end $$;
