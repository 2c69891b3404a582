-- What reports say of published content in words, written by the transaction that publishes an evaluation. It says
-- what the snapshot says, and outlives what it was published from, as the snapshot does; nobody unpacks megabytes
-- for a line of it. Texts are plain, in the default language, and cut.

-- tags has the labels of the tags ("facet:term") that the questions carry, of the time of publishing: facet and label.
create table snapshot_titles (
    tenant_id             uuid not null,
    evaluation_version_id uuid not null,
    org_unit_id           uuid not null,
    evaluation_id         uuid not null,
    number                integer not null,
    title                 text not null,
    sections              jsonb not null, -- titles by section id
    tags                  jsonb not null,
    primary key (tenant_id, evaluation_version_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
create index snapshot_titles_by_evaluation on snapshot_titles (tenant_id, evaluation_id, number);
call protect('snapshot_titles', 'org', 'select, insert');
call append_only('snapshot_titles');

-- A row for each org unit whose evaluations show the question version. options has texts by option id. The author's
-- own id is not a part of the version: it is that of the newest evaluation that shows it.
create table snapshot_questions (
    tenant_id           uuid not null,
    org_unit_id         uuid not null,
    question_version_id uuid not null,
    question_id         uuid not null,
    external_id         text,
    stem                text not null,
    options             jsonb not null,
    primary key (tenant_id, org_unit_id, question_version_id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id)
);
call protect('snapshot_questions', 'org', 'select, insert, update');

-- A page of the versions with attempts, newest first; ids grow.
create index report_evaluations_newest on report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id desc) where cut = 'all';

-- What was published before. A tag of that time has the label of today.
create policy begin on evaluation_versions for select to current_user using (true);
create policy begin on evaluation_pins for select to current_user using (true);
create policy begin on question_versions for select to current_user using (true);
create policy begin on questions for select to current_user using (true);
create policy begin on terms for select to current_user using (true);
create policy begin on facets for select to current_user using (true);
create policy begin on snapshot_titles for insert to current_user with check (true);
create policy begin on snapshot_questions for insert to current_user with check (true);

insert into snapshot_questions (tenant_id, org_unit_id, question_version_id, question_id, external_id, stem, options)
select v.tenant_id, v.org_unit_id, v.question_version_id, q.id, q.external_id, left(coalesce(said.text ->> 'stem', ''), 2000),
    coalesce((select jsonb_object_agg(o.key, left(o.value, 500)) from jsonb_each_text(said.text -> 'options') o), '{}')
from (select distinct v.tenant_id, v.org_unit_id, p.question_version_id from evaluation_versions v
    join evaluation_pins p on p.tenant_id = v.tenant_id and p.evaluation_version_id = v.id where v.status = 'published') v
join question_versions qv on qv.tenant_id = v.tenant_id and qv.id = v.question_version_id
join questions q on q.tenant_id = v.tenant_id and q.id = qv.question_id
cross join lateral (select qv.extracts -> (qv.body -> 'stem' ->> 'defaultLocale') as text) said;

insert into snapshot_titles (tenant_id, evaluation_version_id, org_unit_id, evaluation_id, number, title, sections, tags)
select v.tenant_id, v.id, v.org_unit_id, v.evaluation_id, v.number, v.title,
    coalesce((select jsonb_object_agg(s ->> 'id', s ->> 'title') from jsonb_array_elements(v.sections) s), '{}'),
    coalesce((select jsonb_object_agg(f.slug || ':' || t.slug, jsonb_build_object('facet', f.label, 'label', t.label))
        from (select distinct unnest(qv.term_ids) as id from evaluation_pins p
            join question_versions qv on qv.tenant_id = v.tenant_id and qv.id = p.question_version_id
            where p.tenant_id = v.tenant_id and p.evaluation_version_id = v.id) carried
        join terms own on own.tenant_id = v.tenant_id and own.id = carried.id
        join terms t on t.tenant_id = v.tenant_id and t.id in (own.id, own.merged_into)
        join facets f on f.tenant_id = v.tenant_id and f.id = t.facet_id), '{}')
from evaluation_versions v where v.status = 'published';

drop policy begin on evaluation_versions;
drop policy begin on evaluation_pins;
drop policy begin on question_versions;
drop policy begin on questions;
drop policy begin on terms;
drop policy begin on facets;
drop policy begin on snapshot_titles;
drop policy begin on snapshot_questions;
