package projection

import (
	"strings"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/scoring"
)

// The question types whose answers are options, as lists in SQL: their names are letters and
// underscores.
var (
	oneOption      = sqlNames(scoring.OneOption)
	severalOptions = sqlNames(scoring.SeveralOptions)
	anyOptions     = sqlNames(scoring.OneOption, scoring.SeveralOptions)
)

func sqlNames(answers ...scoring.Answer) string {
	return "'" + strings.Join(scoring.QTypes(answers...), "', '") + "'"
}

// taggedCTE reads each snapshot once, however many items refer to it: taking one
// question's tags out of it item by item would unpack the whole snapshot each time.
const taggedCTE = `
tagged as materialized (
	select v.hash, q.key::uuid as question_version_id, q.value -> 'structuredTags' as tags,
		q.value -> 'options' as options
	from version_snapshots v, jsonb_each(v.content -> 'questions') q
	where v.tenant_id = $1
		and v.hash in (select distinct snapshot_hash from submissions
			where tenant_id = $1 and ($2::uuid[] is null or id = any($2)))
)`

// tagsCTE holds the tags of all questions of a snapshot in one row, so that items need no
// join for theirs: PostgreSQL expects a handful of items and would compare each of
// thousands with each question.
const tagsCTE = taggedCTE + `, tags as materialized (
	select hash, jsonb_object_agg(question_version_id, tags) filter (where tags is not null) as of_question
	from tagged group by hash
)`

// itemSource is report_item_attempts_flat as the items make it with their newest scores, and
// behind it the counts that only the choice table keeps. choice_ids is sorted, without
// repetitions.
var itemSource = `
select s.tenant_id, s.org_unit_id, s.id as submission_id, i.id as submission_item_id, s.user_id, s.completed_at,
	s.evaluation_id, s.evaluation_version_id, s.run_label, i.question_version_id, i.qtype, i.is_correct,
	i.score as score_awarded, i.max_score,
	case when i.is_omitted then 'EXEMPT' else i.score_status end as score_status,
	i.score_method, i.invalid_code,
	case when i.qtype in (` + oneOption + `) and not i.is_omitted then i.response #>> '{optionIds,0}' end as selected_option,
	case when i.is_omitted then null
		when i.qtype in (` + oneOption + `) then array[i.response #>> '{optionIds,0}']
		when i.qtype in (` + severalOptions + `) then array(select distinct o collate "C"
			from jsonb_array_elements_text(i.response -> 'optionIds') o order by 1) end as choice_ids,
	i.is_omitted, i.omit_reason,
	coalesce(i.time_spent_ms, case when i.answered_at >= i.started_at
		then (extract(epoch from i.answered_at - i.started_at) * 1000)::bigint end) as time_on_item_ms,
	coalesce(t.focus_lost_n > 0, false) as focus_lost,
	coalesce(g.of_question -> i.question_version_id::text, '{}') as structured_tags,
	case when i.qtype in (` + anyOptions + `) then i.correct_selected end as correct_selected,
	case when i.qtype in (` + anyOptions + `) then i.incorrect_selected end as incorrect_selected,
	case when i.qtype in (` + anyOptions + `) then i.total_correct end as total_correct
from submissions s
cross join ` + submission.NewestItems + ` i
left join submission_telemetry_summary t on t.tenant_id = s.tenant_id and t.submission_id = s.id
left join tags g on g.hash = s.snapshot_hash
where s.tenant_id = $1 and s.id = any($2)`

// writeFlat writes flat rows and goes on with what follows; chooseSQL are the choice rows. A
// pattern's hash is that of scoring.PatternHash: the first 16 hex digits of the SHA-256 of the
// sorted option ids joined by '+'.
var (
	writeFlat = `
with ` + tagsCTE + `, fresh as materialized (` + itemSource + `),
flat as (
	insert into report_item_attempts_flat
	select tenant_id, org_unit_id, submission_id, submission_item_id, user_id, completed_at, evaluation_id,
		evaluation_version_id, run_label, question_version_id, qtype, is_correct, score_awarded, max_score,
		score_status, score_method, invalid_code, selected_option, choice_ids, is_omitted, omit_reason,
		time_on_item_ms, focus_lost, structured_tags
	from fresh
)`
	chooseSQL = `
	insert into report_item_attempt_choice
	select tenant_id, org_unit_id, submission_id, submission_item_id, question_version_id, completed_at,
		coalesce(choice_ids, '{}'),
		case when qtype in (` + severalOptions + `) and not is_omitted
			then substr(encode(sha256(convert_to(array_to_string(choice_ids, '+'), 'UTF8')), 'hex'), 1, 16) end,
		score_status = 'SCORED' and score_awarded >= max_score,
		score_status = 'SCORED' and score_awarded > 0 and score_awarded < max_score,
		correct_selected, incorrect_selected, total_correct,
		case when score_status = 'INVALID' then invalid_code end
	from fresh where qtype in (` + anyOptions + `)`
	// writeItemsSQL gives the questions among the items.
	writeItemsSQL = writeFlat + `, choice as (` + chooseSQL + `)
select distinct org_unit_id, question_version_id, qtype from fresh`
)

var writeItems = []statement{{"write item attempts", writeFlat + chooseSQL}}

// writeFactsSQL writes what the snapshots say of the questions that the submissions
// contain. It runs after the days are counted: their days tell which questions were drawn,
// without a look at every item.
const writeFactsSQL = `
with ` + taggedCTE + `, facts as materialized (
	select s.org_unit_id, s.evaluation_version_id, g.question_version_id, g.tags, g.options
	from (select distinct org_unit_id, evaluation_version_id, snapshot_hash from submissions
		where tenant_id = $1 and ($2::uuid[] is null or id = any($2))) s
	join tagged g on g.hash = s.snapshot_hash
	where exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = s.org_unit_id
		and d.question_version_id = g.question_version_id and d.evaluation_version_id = s.evaluation_version_id offset 0)
), options as (
	insert into report_question_options (tenant_id, org_unit_id, question_version_id, option_id, position, is_correct)
	select distinct on (f.org_unit_id, f.question_version_id, o.value ->> 'id')
		$1::uuid, f.org_unit_id, f.question_version_id, o.value ->> 'id', o.ordinality,
		coalesce((o.value ->> 'isCorrect')::boolean, false)
	from facts f, jsonb_array_elements(nullif(f.options, 'null')) with ordinality o
	order by f.org_unit_id, f.question_version_id, o.value ->> 'id', o.ordinality
	on conflict do nothing
)
insert into report_question_tags (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
select distinct $1::uuid, f.org_unit_id, facet.key || ':' || term, f.question_version_id, f.evaluation_version_id
from facts f, jsonb_each(nullif(f.tags, 'null')) facet, jsonb_array_elements_text(facet.value) term
order by 1, 2, 3, 4, 5
on conflict do nothing`
