package projection

import (
	"fmt"
	"strings"
)

// How many leading bits of a duration are kept where durations are counted, as duration_step
// takes them: of the time on an item by day, of an attempt's duration at all times, and of the
// same by time, in wide steps called bands.
const (
	timeBits     = "6"
	DurationBits = "10"
	BandBits     = "5"
)

// SummaryMeasure is a figure of the evaluation summary that adds up: the projector adds it up by
// day, a report adds up days and the rows of parts of a day. SQL is over the rows r of
// report_session_starts or report_submissions.
type SummaryMeasure struct{ Name, SQL string }

// StartMeasures are over report_session_starts r. Started attempts are completed, in progress,
// closed, abandoned or voided; the expired ones are some of the completed ones.
var StartMeasures = []SummaryMeasure{
	{"started_n", "count(*)"},
	{"in_progress_n", "count(*) filter (where r.state = 'open')"},
	{"expired_n", "count(*) filter (where r.state = 'expired' and r.is_completed)"},
	{"closed_n", "count(*) filter (where r.state = 'closed')"},
	{"abandoned_n", "count(*) filter (where r.state = 'abandoned')"},
	{"voided_n", "count(*) filter (where r.is_voided)"},
}

// CompletionMeasures are over report_submissions r, the ones that are integers. An attempt is
// graded when its outcome is pass or fail, and scored when nothing is pending.
var CompletionMeasures = completionMeasures()

// CompletionSums are the others.
var CompletionSums = []SummaryMeasure{
	{"graded_score_pct_sum", "coalesce(sum(r.score_pct) filter (where r.outcome_code <> 'incomplete'), 0)"},
	{"scored_score_pct_sum", "coalesce(sum(r.score_pct) filter (where r.is_scored), 0)"},
}

// CompletionMethods are the ways in which an attempt can be completed.
var CompletionMethods = []string{"submitted", "auto_submitted", "proctor_submitted", "imported"}

// Tenths is the number of ranges of a score histogram.
const Tenths = 10

func completionMeasures() []SummaryMeasure {
	all := []SummaryMeasure{
		{"completed_n", "count(*)"},
		{"scored_n", "count(*) filter (where r.is_scored)"},
		{"pass_n", "count(*) filter (where r.outcome_code = 'pass')"},
		{"fail_n", "count(*) filter (where r.outcome_code = 'fail')"},
		{"time_known_n", "count(r.duration_ms)"},
		{"duration_sum_ms", "coalesce(sum(r.duration_ms), 0)::bigint"},
		{"telemetry_known_n", "count(*) filter (where r.telemetry_known)"},
		{"focus_lost_n", "count(*) filter (where r.focus_lost_n > 0)"},
		{"fullscreen_exit_n", "count(*) filter (where r.fullscreen_exit_n > 0)"},
	}
	for _, method := range CompletionMethods {
		with := fmt.Sprintf("count(*) filter (where r.completion_method = '%s'", method)
		all = append(all, SummaryMeasure{method + "_n", with + ")"},
			SummaryMeasure{method + "_pass_n", with + " and r.outcome_code = 'pass')"},
			SummaryMeasure{method + "_fail_n", with + " and r.outcome_code = 'fail')"})
	}
	for i := range Tenths {
		tenth := fmt.Sprintf("r.score_tenth = %d)", i)
		all = append(all, SummaryMeasure{fmt.Sprintf("graded_%d_n", i), "count(*) filter (where r.outcome_code <> 'incomplete' and " + tenth},
			SummaryMeasure{fmt.Sprintf("scored_%d_n", i), "count(*) filter (where r.is_scored and " + tenth})
	}
	return append(all, SummaryMeasure{"graded_nothing_n", "count(*) filter (where r.outcome_code <> 'incomplete' and r.score_pct is null)"},
		SummaryMeasure{"scored_nothing_n", "count(*) filter (where r.is_scored and r.score_pct is null)"})
}

// ItemMeasures are what tags and sections of a summary are made of, over flat rows f.
var ItemMeasures = []SummaryMeasure{
	{"attempts_n", "count(*)"},
	{"scored_n", "count(*) filter (where f.score_status = 'SCORED')"},
	{"correct_n", "count(*) filter (where f.score_status = 'SCORED' and f.is_correct)"},
	{"omitted_n", "count(*) filter (where f.is_omitted)"},
	{"time_n", "count(f.time_on_item_ms) filter (where not f.is_omitted)"},
	{"time_sum_ms", "coalesce(sum(f.time_on_item_ms) filter (where not f.is_omitted), 0)::bigint"},
	{"score_pct_sum", `coalesce(sum(round(f.score_awarded / nullif(f.max_score, 0), 10)) filter (where f.score_status = 'SCORED'), 0)`},
}

// dayMeasures are the measures of report_question_day, over flat rows f. Every figure of question
// health is made of these: the projector adds them up by day, a filtered report at once.
var dayMeasures = append(ItemMeasures[:len(ItemMeasures):len(ItemMeasures)], []SummaryMeasure{
	{"pending_n", "count(*) filter (where f.score_status = 'PENDING')"},
	{"invalid_n", "count(*) filter (where f.score_status = 'INVALID')"},
	{"exempt_n", "count(*) filter (where f.score_status = 'EXEMPT')"},
	{"score_sum", "coalesce(sum(f.score_awarded) filter (where f.score_status = 'SCORED'), 0)"},
	{"focus_lost_n", "count(*) filter (where f.focus_lost)"},
}...)

// joined writes each measure by a format with its name (%[1]s) and its SQL (%[2]s).
func joined(measures []SummaryMeasure, format string) string {
	var all []string
	for _, m := range measures {
		all = append(all, fmt.Sprintf(format, m.Name, m.SQL))
	}
	return strings.Join(all, ",\n\t")
}
