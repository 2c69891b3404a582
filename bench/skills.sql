-- Ten skills with levels, and a set of 500 rules of which each of the questions $3 matches one: the others ask for
-- questions that nobody was shown. $1 is the tenant, $2 the set.
with made as (
	insert into skills (tenant_id, id, identifier, code, created_at, updated_at)
	select $1, gen_random_uuid(), gen_random_uuid(), 'S' || n, now(), now() from generate_series(1, 10) n returning id
), named as (
	insert into skill_versions (tenant_id, id, skill_id, number, status, name, levels, created_at, updated_at, published_at)
	select $1, id, id, 1, 'published', 'Skill ' || id, '[{"name":"Knows","threshold":0.5},{"name":"Masters","threshold":0.8}]', now(), now(), now() from made
), sets as (
	insert into skill_mapping_sets (tenant_id, id, title, active_version_id, created_at, updated_at) select $1, $2, 'Rules', $2, now(), now()
), versions as (
	insert into skill_mapping_versions (tenant_id, id, set_id, number, status, content_hash, created_at, updated_at, published_at)
	select $1, $2, $2, 1, 'published', 'bench', now(), now(), now()
), targets as (
	select id, row_number() over () as n from made
)
insert into skill_mapping_rules (tenant_id, id, version_id, pos, rule_type, selector, target_skill_id, weight, strategy)
select $1, gen_random_uuid(), $2, r, 'question_version', jsonb_build_object('questionVersionId', coalesce(($3::uuid[])[r], gen_random_uuid())),
	t.id, 1, (array['mean', 'latest', 'best'])[1 + t.n % 3]
from generate_series(1, 500) r join targets t on t.n = 1 + r % 4 + case when r > cardinality($3::uuid[]) then 4 else 0 end
