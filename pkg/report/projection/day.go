package projection

// dayCells are the measures of report_question_day, over flat rows f. Every figure of question
// health is made of these: the projector adds them up by day, a filtered report at once.
var dayCells = append(ItemMeasures[:len(ItemMeasures):len(ItemMeasures)], []SummaryMeasure{
	{"pending_n", "count(*) filter (where f.score_status = 'PENDING')"},
	{"invalid_n", "count(*) filter (where f.score_status = 'INVALID')"},
	{"exempt_n", "count(*) filter (where f.score_status = 'EXEMPT')"},
	{"score_sum", "coalesce(sum(f.score_awarded) filter (where f.score_status = 'SCORED'), 0)"},
	{"focus_lost_n", "count(*) filter (where f.focus_lost)"},
}...)

var (
	dayMeasures = joined(dayCells, "%[2]s as %[1]s")
	// dayColumns are the same in report_question_day.
	dayColumns = joined(dayCells, "%[1]s")
)

// choiceKinds gives everything that the attempts of the CTE picked count for in
// report_question_choice_day, grouped by the given columns of it, a select for each kind.
// Options are those of every choice question, the rest concerns questions with several
// answers. Each select groups for itself, because PostgreSQL would sort all of them
// together.
func choiceKinds(by string) string {
	group := " group by " + by + ", code\n"
	return `
	with several as materialized (select * from picked f where f.qtype in (` + severalOptions + `))
	select ` + by + `, 'option' as kind, f.selected_option as code, count(*) as n
	from picked f where f.qtype in (` + oneOption + `) and f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'option', o as code, count(*)
	from several f, unnest(f.choice_ids) o where f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'pattern', array_to_string(f.choice_ids, '+') as code, count(*)
	from several f where f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'credit', least(greatest(floor(f.score_awarded / f.max_score * 10), 0), 10)::int::text as code, count(*)
	from several f where f.score_status = 'SCORED' and f.max_score > 0` + group + `
	union all
	select ` + by + `, 'error', e.code, count(*)
	from several f
	join report_item_attempt_choice c using (tenant_id, submission_id, submission_item_id),
		lateral (values
			('missed_correct', c.correct_selected < c.total_correct),
			('selected_incorrect', c.incorrect_selected > 0),
			('both', c.correct_selected < c.total_correct and c.incorrect_selected > 0)
		) e (code, applies)
	where f.score_status = 'SCORED' and e.applies` + group + `
	union all
	select ` + by + `, 'violation', f.invalid_code as code, count(*)
	from several f where f.score_status = 'INVALID' and f.invalid_code is not null` + group
}

// choiceColumns are what choiceKinds needs of flat rows f, besides what it groups by.
const choiceColumns = `f.tenant_id, f.submission_id, f.submission_item_id, f.question_version_id, f.qtype, f.score_status,
	f.score_awarded, f.max_score, f.selected_option, f.choice_ids, f.invalid_code`
