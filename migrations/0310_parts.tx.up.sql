-- Questions whose answers have parts, such as the order of options. 'part' counts what was answered to a part: its id and the
-- answer, "B=2" for option B at the second place.
alter table report_question_choice_day drop constraint report_question_choice_day_kind_check;
alter table report_question_choice_day add constraint report_question_choice_day_kind_check
    check (kind in ('option', 'part', 'pattern', 'credit', 'error', 'violation'));

-- The parts that the snapshots give a question, and what is right there; position is their order, from 1.
create table report_question_parts (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    part_id             text not null,
    position            integer not null,
    right_values        text[] not null,
    primary key (tenant_id, org_unit_id, question_version_id, part_id)
);
call protect('report_question_parts', 'org', 'select, insert, delete');

-- What a new key has as right, a list of answers for each part; null where it speaks of options alone.
alter table report_question_keys add column part_values jsonb;
