{{question_facts}}, tags as materialized (
	-- All questions of a snapshot in one row, so that items need no join for theirs: PostgreSQL expects
	-- a handful of items and would compare each of thousands with each question.
	select hash, jsonb_object_agg(question_version_id, tags) filter (where tags is not null) as of_question,
		jsonb_object_agg(question_version_id, (select jsonb_object_agg(g ->> 'id', g ->> 'kind') from jsonb_array_elements(gaps) g))
			filter (where jsonb_typeof(gaps) = 'array') as gap_kinds
	from tagged group by hash
), fresh as materialized (
	-- report_item_attempts_flat as the items of the submissions $2 make it with their newest scores, and
	-- behind it the counts that only the choice table keeps. choice_ids is sorted, without repetitions; that of an order is
	-- its sequence, that of a match has its pairs ("p1=A"), that of gaps the option that was chosen ("g1=A") or, in place of what was typed,
	-- whether it is right ("g2=right", "g2=wrong").
	select s.tenant_id, s.org_unit_id, s.id as submission_id, i.id as submission_item_id, s.user_id, s.completed_at,
		s.evaluation_id, s.evaluation_version_id, s.run_label, i.question_version_id, i.qtype, i.is_correct,
		i.score as score_awarded, i.max_score,
		case when i.is_omitted then 'EXEMPT' else i.score_status end as score_status,
		i.score_method, i.invalid_code,
		case when i.qtype in ({{types of one option}}) and not i.is_omitted then i.response #>> '{optionIds,0}' end as selected_option,
		case when i.is_omitted then null
			when i.qtype in ({{types of one option}}) then array[i.response #>> '{optionIds,0}']
			when i.qtype in ({{types of an order}}) then array(select o
				from jsonb_array_elements_text(i.response -> 'optionIds') with ordinality e (o, place) order by place)
			when i.qtype in ({{types of pairs}}) then array(select distinct ((e ->> 0) || '=' || (e ->> 1)) collate "C"
				from jsonb_array_elements(i.response -> 'pairs') e order by 1)
			when i.qtype in ({{types of gaps}}) then array(select (e.key || '=' || case
					when g.gap_kinds -> i.question_version_id::text ->> e.key in ({{kinds of chosen gaps}}) then btrim(e.value)
					when e.key = any(string_to_array(i.right_parts, '+')) then 'right' else 'wrong' end) collate "C"
				from jsonb_each_text(i.response -> 'gaps') e where e.value ~ {{not blank}} order by 1)
			when i.qtype in ({{types of several options}}) then array(select distinct o collate "C"
				from jsonb_array_elements_text(i.response -> 'optionIds') o order by 1) end as choice_ids,
		i.is_omitted, i.omit_reason,
		coalesce(i.time_spent_ms, case when i.answered_at >= i.started_at
			then (extract(epoch from i.answered_at - i.started_at) * 1000)::bigint end) as time_on_item_ms,
		coalesce(t.focus_lost_n > 0, false) as focus_lost,
		coalesce(g.of_question -> i.question_version_id::text, '{}') as structured_tags,
		case when i.qtype in ({{types of any options}}) then i.correct_selected end as correct_selected,
		case when i.qtype in ({{types of any options}}) then i.incorrect_selected end as incorrect_selected,
		case when i.qtype in ({{types of any options}}) then i.total_correct end as total_correct
	from {{submissions}} s
	cross join {{newest items}} i
	left join submission_telemetry_summary t on t.tenant_id = $1 and t.submission_id = s.id
	left join tags g on g.hash = s.snapshot_hash
)
