-- Which rules of the mapping versions $2 match which questions of the published evaluation versions $3
-- (decisions, section 13). The terms of a question are those frozen in
-- the snapshot, with those of the evaluation; a merged term stands for its survivor, and what stands
-- below a term is what the tree of today says. Questions that count for nothing match nothing. The
-- term of a row is the first that made the rule match.
with recursive rules as materialized (
	select id, version_id, rule_type, selector, target_skill_id, weight
	from skill_mapping_rules where tenant_id = $1 and version_id = any($2)
), named as materialized (
	-- What predicates name: each rule and part with its terms.
	select distinct r.id as rule_id, p.part, coalesce(t.merged_into, t.id, n.id::uuid) as named,
		coalesce((r.selector ->> 'includeDescendants')::boolean, false) as with_descendants
	from rules r, (values ('all'), ('any'), ('none')) p (part), jsonb_array_elements_text(nullif(r.selector -> p.part, 'null')) n (id)
	left join terms t on t.tenant_id = $1 and t.id = n.id::uuid
	where r.rule_type = 'tag_predicate'
), below as (
	select distinct named, named as term_id from named
	union
	select b.named, r.term_id from below b join term_relations r on r.tenant_id = $1 and r.parent_id = b.term_id
), accepted as materialized (
	select n.rule_id, n.part, n.named, b.term_id
	from named n join below b on b.named = n.named and (n.with_descendants or b.term_id = n.named)
), snapshots as materialized (
	select e.org_unit_id, e.evaluation_id, e.id as evaluation_version_id, v.content
	from (select distinct id from unnest($3::uuid[]) n (id)) n
	cross join lateral (select id, org_unit_id, evaluation_id, snapshot_hash from evaluation_versions where tenant_id = $1 and id = n.id offset 0) e
	cross join lateral (select content from version_snapshots where tenant_id = $1 and hash = e.snapshot_hash offset 0) v
), items as materialized (
	select distinct s.org_unit_id, s.evaluation_id, s.evaluation_version_id, (i ->> 'questionVersionId')::uuid as question_version_id
	from snapshots s, jsonb_array_elements(s.content -> 'sections') t, jsonb_array_elements(t -> 'items') i
	where coalesce((i #>> '{key,contributesToScore}')::boolean, true)
), tagged as materialized (
	select s.evaluation_version_id, q.key::uuid as question_version_id, n.id::uuid as term_id
	from snapshots s, jsonb_each(s.content -> 'questions') q, jsonb_array_elements_text(nullif(q.value -> 'taxonomyTermIds', 'null')) n (id)
	union
	select s.evaluation_version_id, q.key::uuid, n.id::uuid
	from snapshots s, jsonb_object_keys(s.content -> 'questions') q (key), jsonb_array_elements_text(nullif(s.content -> 'evaluationTaxonomyTermIds', 'null')) n (id)
), hits as materialized (
	select a.rule_id, g.evaluation_version_id, g.question_version_id,
		count(distinct a.named) filter (where a.part = 'all') as all_n, count(*) filter (where a.part = 'any') as any_n,
		count(*) filter (where a.part = 'none') as none_n,
		(min(a.term_id::text) filter (where a.part <> 'none'))::uuid as term_id
	from (select distinct g.evaluation_version_id, g.question_version_id, coalesce(t.merged_into, g.term_id) as term_id
		from tagged g left join terms t on t.tenant_id = $1 and t.id = g.term_id) g
	join accepted a on a.term_id = g.term_id
	group by 1, 2, 3
), wanted as materialized (
	select rule_id, count(*) filter (where part = 'all') as all_n, count(*) filter (where part = 'any') as any_n from named group by 1
), direct as materialized (
	select i.evaluation_version_id, i.question_version_id, h.rule_id, h.term_id
	from hits h join wanted w on w.rule_id = h.rule_id
	join items i on i.evaluation_version_id = h.evaluation_version_id and i.question_version_id = h.question_version_id
	where h.all_n = w.all_n and (w.any_n = 0 or h.any_n > 0) and h.none_n = 0
	union all
	-- A rule that asks for the absence of terms alone.
	select i.evaluation_version_id, i.question_version_id, w.rule_id, null
	from wanted w cross join items i
	where w.all_n + w.any_n = 0 and not exists (select from hits h where h.rule_id = w.rule_id
		and h.evaluation_version_id = i.evaluation_version_id and h.question_version_id = i.question_version_id)
	union all
	select i.evaluation_version_id, i.question_version_id, r.id, null
	from rules r join items i on i.evaluation_id = (r.selector ->> 'evaluationId')::uuid where r.rule_type = 'evaluation'
	union all
	select i.evaluation_version_id, i.question_version_id, r.id, null
	from rules r join items i on i.evaluation_version_id = (r.selector ->> 'evaluationVersionId')::uuid where r.rule_type = 'evaluation_version'
	union all
	select i.evaluation_version_id, i.question_version_id, r.id, null
	from rules r join items i on i.question_version_id = (r.selector ->> 'questionVersionId')::uuid where r.rule_type = 'question_version'
), gathered as (
	-- A framework rule takes up what other rules of its version say about skills of the framework.
	select d.evaluation_version_id, d.question_version_id, f.id as rule_id, min(d.term_id::text)::uuid as term_id
	from rules f join skills s on s.tenant_id = $1 and s.framework_id = (f.selector ->> 'frameworkId')::uuid
		and s.id <> f.target_skill_id and starts_with(coalesce(s.code, ''), coalesce(f.selector ->> 'codePrefix', ''))
	join rules r on r.version_id = f.version_id and r.target_skill_id = s.id and r.rule_type <> 'framework'
	join direct d on d.rule_id = r.id
	where f.rule_type = 'framework'
	group by 1, 2, 3
)
select $1::uuid as tenant_id, i.org_unit_id, m.evaluation_version_id, m.question_version_id, m.rule_id, r.target_skill_id as skill_id,
	r.weight, m.term_id
from (select * from direct union all select * from gathered) m
join rules r on r.id = m.rule_id
join items i on i.evaluation_version_id = m.evaluation_version_id and i.question_version_id = m.question_version_id
order by 3, 4, 5
