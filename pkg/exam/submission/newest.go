package submission

import "strings"

// asSubmitted are the columns of submission_items i that no correction touches.
const asSubmitted = `i.tenant_id, i.submission_id, i.id, i.org_unit_id, i.item_id, i.question_version_id, i.position,
	i.qtype, i.response, i.is_omitted, i.omit_reason, i.time_spent_ms, i.started_at, i.answered_at`

// NewestItems are the items of the submission s with their newest scores: a lateral
// subquery with the columns of submission_items. s has id and score_version; tenant is how the statement
// names its tenant, "$1" for example.
//
// A submission that was never corrected, as nearly all are, costs nothing more for it: the
// test of score_version is made once a submission, and the other half is not run at all.
// "offset 0" keeps the planner from joining each half with everything else.
func NewestItems(tenant string) string {
	return strings.ReplaceAll(newestItems, "{{tenant}}", tenant)
}

const newestItems = `lateral (
	select ` + asSubmitted + `, i.score_status, i.score_method, i.score, i.max_score, i.is_correct, i.invalid_code,
		i.correct_selected, i.incorrect_selected, i.total_correct, i.right_parts
	from submission_items i where i.tenant_id = {{tenant}} and i.submission_id = s.id and s.score_version = 1
	union all
	select ` + asSubmitted + `, coalesce(c.score_status, i.score_status), coalesce(c.score_method, i.score_method),
		coalesce(c.score, i.score), coalesce(c.max_score, i.max_score), coalesce(c.is_correct, i.is_correct),
		case when c.number is null then i.invalid_code else c.invalid_code end,
		coalesce(c.correct_selected, i.correct_selected), coalesce(c.incorrect_selected, i.incorrect_selected),
		coalesce(c.total_correct, i.total_correct), case when c.number is null then i.right_parts else c.right_parts end
	from submission_items i
	left join lateral (select * from item_scores c
		where c.tenant_id = {{tenant}} and c.submission_id = s.id and c.submission_item_id = i.id
			and c.number <= s.score_version
		order by c.number desc limit 1) c on true
	where i.tenant_id = {{tenant}} and i.submission_id = s.id and s.score_version > 1
	offset 0)`
