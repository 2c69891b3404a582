-- The words of a published question stay as they were written. Only the author's own id follows the newest evaluation that shows it.
create trigger immutable before update on snapshot_questions for each row
    when (to_jsonb(old) - 'external_id' is distinct from to_jsonb(new) - 'external_id') execute function refuse_change();
create trigger kept before delete on snapshot_questions for each row execute function refuse_change();
create trigger no_truncate before truncate on snapshot_questions for each statement execute function refuse_change();
