-- What people wrote about submissions is written once. It changes in one way alone: a text gives way to
-- the mark of what was erased (decisions, section 10).

-- The columns that the arguments name may turn into the mark, and a JSON object into one that has the
-- mark in each of its fields. All others stay as they are.
create function refuse_rewritten_text() returns trigger language plpgsql as $$
declare
    was constant jsonb := to_jsonb(old);
    becomes constant jsonb := to_jsonb(new);
    text_column text;
begin
    if becomes - tg_argv <> was - tg_argv then
        raise exception '% is written once', tg_table_name using errcode = 'restrict_violation';
    end if;
    foreach text_column in array tg_argv loop
        if becomes -> text_column is distinct from was -> text_column
            and becomes -> text_column is distinct from (case jsonb_typeof(was -> text_column)
                when 'string' then '"[erased]"'
                when 'object' then (select coalesce(jsonb_object_agg(field, '[erased]'), '{}') from jsonb_object_keys(was -> text_column) field)
            end)
        then
            raise exception '% of % is written once, and changes to [erased] alone', text_column, tg_table_name
                using errcode = 'restrict_violation';
        end if;
    end loop;
    return new;
end $$;
revoke execute on function refuse_rewritten_text from public;

create procedure written_once(tbl regclass, variadic texts text[]) language plpgsql as $$
begin
    execute format('create trigger written_once before update on %s for each row execute function refuse_rewritten_text(%s)',
        tbl, (select string_agg(quote_literal(t), ', ') from unnest(texts) t));
    execute format('revoke update on %s from assess_app', tbl);
    execute format('grant update (%s) on %s to assess_app', (select string_agg(quote_ident(t), ', ') from unnest(texts) t), tbl);
end $$;
revoke execute on procedure written_once from public;

call written_once('session_actions', 'reason');
call written_once('submission_decisions', 'comment');
call written_once('item_marks', 'comment');
call written_once('findings', 'detail');
call written_once('verifications', 'fields');
