tagged as materialized (
	-- Each snapshot is read once, however many items refer to it: taking one question's tags out of it
	-- item by item would unpack the whole snapshot each time.
	select v.hash, q.key::uuid as question_version_id, q.value -> 'structuredTags' as tags, q.value -> 'options' as options,
		q.value #> '{order}' as right_order,
		q.value -> 'prompts' as prompts, q.value -> 'pairs' as pairs, q.value -> 'gaps' as gaps
	from version_snapshots v, jsonb_each(v.content -> 'questions') q
	where v.tenant_id = $1
		and v.hash in (select distinct snapshot_hash from {{submissions or all}} s)
)
