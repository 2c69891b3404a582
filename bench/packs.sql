-- Copies every published question and evaluation of one org unit into another, with their terms, words, pins and snapshots:
-- the rows that installing a pack writes, but for those that say what is a copy of what.
create temporary table copied_question on commit drop as
	select id as old, gen_random_uuid() as new, published_id as old_version, gen_random_uuid() as new_version from questions
	where tenant_id = current_setting('app.tenant_id')::uuid and org_unit_id = current_setting('bench.from')::uuid;
create temporary table copied_evaluation on commit drop as
	select id as old, gen_random_uuid() as new, published_id as old_version, gen_random_uuid() as new_version from evaluations
	where tenant_id = current_setting('app.tenant_id')::uuid and org_unit_id = current_setting('bench.from')::uuid;
analyze copied_question;
insert into questions (tenant_id, id, org_unit_id, external_id, status, published_id, qtype, contributes_to_score, created_at, updated_at)
	select q.tenant_id, c.new, current_setting('bench.to')::uuid, q.external_id, 'published', c.new_version, q.qtype, q.contributes_to_score, now(), now()
	from copied_question c join questions q on q.tenant_id = current_setting('app.tenant_id')::uuid and q.id = c.old;
insert into question_versions (tenant_id, id, org_unit_id, question_id, number, status, qtype, body, term_ids, pins, extracts, content_hash,
		canonical_scheme, hash_scheme, created_at, updated_at, published_at)
	select v.tenant_id, c.new_version, current_setting('bench.to')::uuid, c.new, 1, 'published', v.qtype, v.body, v.term_ids, v.pins, v.extracts, v.content_hash,
		v.canonical_scheme, v.hash_scheme, now(), now(), now()
	from copied_question c join question_versions v on v.tenant_id = current_setting('app.tenant_id')::uuid and v.id = c.old_version;
insert into question_terms (tenant_id, question_id, term_id, org_unit_id, is_newest, is_published)
	select t.tenant_id, c.new, t.term_id, current_setting('bench.to')::uuid, true, true
	from copied_question c join question_terms t on t.tenant_id = current_setting('app.tenant_id')::uuid and t.question_id = c.old and t.is_published;
insert into question_search (tenant_id, question_id, org_unit_id, document)
	select s.tenant_id, c.new, current_setting('bench.to')::uuid, s.document
	from copied_question c join question_search s on s.tenant_id = current_setting('app.tenant_id')::uuid and s.question_id = c.old;
create temporary table copied_snapshot on commit drop as
	select c.new_version, s.content || jsonb_build_object('evaluationId', c.new, 'evaluationVersionId', c.new_version,
		'questions', (select jsonb_object_agg(q.new_version, p.value || jsonb_build_object('questionId', q.new))
			from jsonb_each(s.content -> 'questions') p join copied_question q on q.old_version = p.key::uuid),
		'sections', (select jsonb_agg(x.value || jsonb_build_object('items', (
				select jsonb_agg(i.value || jsonb_build_object('questionId', q.new, 'questionVersionId', q.new_version) order by i.ordinality)
				from jsonb_array_elements(x.value -> 'items') with ordinality i join copied_question q on q.old = (i.value ->> 'questionId')::uuid)) order by x.ordinality)
			from jsonb_array_elements(s.content -> 'sections') with ordinality x)) as content
	from copied_evaluation c
	join evaluation_versions v on v.tenant_id = current_setting('app.tenant_id')::uuid and v.id = c.old_version
	join version_snapshots s on s.tenant_id = v.tenant_id and s.hash = v.snapshot_hash;
insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
	select current_setting('app.tenant_id')::uuid, encode(sha256(convert_to(content::text, 'UTF8')), 'hex'), current_setting('bench.to')::uuid, content, now()
	from copied_snapshot;
insert into evaluations (tenant_id, id, org_unit_id, external_id, title, status, draft_id, created_at, updated_at)
	select e.tenant_id, c.new, current_setting('bench.to')::uuid, e.external_id, e.title, 'draft', c.new_version, now(), now()
	from copied_evaluation c join evaluations e on e.tenant_id = current_setting('app.tenant_id')::uuid and e.id = c.old;
insert into evaluation_versions (tenant_id, id, org_unit_id, evaluation_id, number, status, title, sections, settings, term_ids, created_at, updated_at)
	select v.tenant_id, c.new_version, current_setting('bench.to')::uuid, c.new, 1, 'draft', v.title, v.sections, v.settings, v.term_ids, now(), now()
	from copied_evaluation c join evaluation_versions v on v.tenant_id = current_setting('app.tenant_id')::uuid and v.id = c.old_version;
insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id, weight)
	select i.tenant_id, c.new_version, i.id, current_setting('bench.to')::uuid, i.section_id, i.position, q.new, i.weight
	from copied_evaluation c join evaluation_items i on i.tenant_id = current_setting('app.tenant_id')::uuid and i.evaluation_version_id = c.old_version
	join copied_question q on q.old = i.question_id;
insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id, question_version_id)
	select p.tenant_id, c.new_version, p.id, current_setting('bench.to')::uuid, p.group_id, p.position, q.new, q.new_version
	from copied_evaluation c join evaluation_pins p on p.tenant_id = current_setting('app.tenant_id')::uuid and p.evaluation_version_id = c.old_version
	join copied_question q on q.old = p.question_id;
insert into evaluation_search (tenant_id, evaluation_id, org_unit_id, document)
	select s.tenant_id, c.new, current_setting('bench.to')::uuid, s.document
	from copied_evaluation c join evaluation_search s on s.tenant_id = current_setting('app.tenant_id')::uuid and s.evaluation_id = c.old;
update evaluation_versions v set status = 'published', published_at = now(),
	snapshot_hash = (select encode(sha256(convert_to(s.content::text, 'UTF8')), 'hex') from copied_snapshot s where s.new_version = v.id)
	from copied_evaluation c where v.tenant_id = current_setting('app.tenant_id')::uuid and v.id = c.new_version;
update evaluations e set status = 'published', published_id = c.new_version, draft_id = null
	from copied_evaluation c where e.tenant_id = current_setting('app.tenant_id')::uuid and e.id = c.new;
