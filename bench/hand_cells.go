package main

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// The rest of a rebuild by hand: a plain statement for each table of attempts and of the cells of
// questions and groups, over all submissions of a tenant. It knows that every question is an mcq,
// that nothing was corrected, and that there are no surveys.
//
// It leaves out the cells of evaluations, the tags and options, the health rollups and the
// percentiles, which a rebuild writes too.
const (
	handSubmissionsSQL = `
	insert into report_submissions
	select s.tenant_id, s.org_unit_id, s.id, s.evaluation_id, s.evaluation_version_id, s.user_id, coalesce(s.run_label, ''), s.started_at,
		s.completed_at, s.completion_method, s.outcome_code, s.outcome_code <> 'incomplete', s.score, s.max_score,
		round(s.score / s.max_score, 10), least(floor(s.score / s.max_score * 10), 9),
		extract(epoch from s.completed_at - s.started_at) * 1000, s.assignment_id, a.target_ref::uuid,
		t.submission_id is not null, coalesce(t.focus_lost_n, 0), coalesce(t.fullscreen_exit_n, 0)
	from submissions s
	left join submission_telemetry_summary t on t.tenant_id = s.tenant_id and t.submission_id = s.id
	left join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id and a.target_type = 'group_id'
	where s.tenant_id = $1`
	handStartsSQL = `
	insert into report_session_starts
	select s.tenant_id, s.org_unit_id, s.id, s.evaluation_id, s.evaluation_version_id, s.user_id, coalesce(s.run_label, ''), s.started_at,
		s.state, s.assignment_id, case a.target_type when 'group_id' then a.target_ref::uuid end,
		coalesce(a.target_type in ('user_id', 'email'), false), m.status = 'completed', m.status = 'voided', m.completed_at
	from sessions s
	join submissions m on m.tenant_id = s.tenant_id and m.id = s.id
	left join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id
	where s.tenant_id = $1`
	handDaysSQL = `
	insert into report_question_day (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day,
		evaluation_id, qtype, attempts_n, scored_n, pending_n, invalid_n, exempt_n, correct_n, omitted_n, score_sum,
		score_pct_sum, time_n, time_sum_ms, focus_lost_n)
	select tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, (completed_at at time zone 'UTC')::date,
		evaluation_id, qtype, count(*), count(*) filter (where score_status = 'SCORED'),
		count(*) filter (where score_status = 'PENDING'), count(*) filter (where score_status = 'INVALID'),
		count(*) filter (where score_status = 'EXEMPT'), count(*) filter (where score_status = 'SCORED' and is_correct),
		count(*) filter (where is_omitted), sum(score_awarded) filter (where score_status = 'SCORED'),
		sum(round(score_awarded / max_score, 10)) filter (where score_status = 'SCORED'),
		count(time_on_item_ms) filter (where not is_omitted), sum(time_on_item_ms) filter (where not is_omitted),
		count(*) filter (where focus_lost)
	from report_item_attempts_flat where tenant_id = $1 group by 1, 2, 3, 4, 5, 6, 7, 8`
	handOptionsSQL = `
	insert into report_question_choice_day (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind, code, n)
	select tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, (completed_at at time zone 'UTC')::date,
		'option', selected_option, count(*)
	from report_item_attempts_flat where tenant_id = $1 and score_status = 'SCORED' group by 1, 2, 3, 4, 5, 6, 8`
	handTimesSQL = `
	insert into report_question_times (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms, n)
	select tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, (completed_at at time zone 'UTC')::date,
		duration_step(time_on_item_ms, 6), count(*)
	from report_item_attempts_flat
	where tenant_id = $1 and not is_omitted and time_on_item_ms is not null group by 1, 2, 3, 4, 5, 6, 7`
	handListsSQL = `
	insert into report_evaluation_items (tenant_id, org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since, question_version_id,
		attempts_n, scored_n, correct_n, omitted_n, time_n, time_sum_ms, score_pct_sum)
	select f.tenant_id, f.org_unit_id, f.evaluation_version_id, c.cut, c.hours, c.run_label, c.group_id,
		date_bin(make_interval(hours => c.hours), f.completed_at, '2001-01-01Z'), f.question_version_id,
		count(*), count(*) filter (where score_status = 'SCORED'), count(*) filter (where score_status = 'SCORED' and is_correct),
		count(*) filter (where is_omitted), count(time_on_item_ms) filter (where not is_omitted),
		coalesce(sum(time_on_item_ms) filter (where not is_omitted), 0),
		coalesce(sum(round(score_awarded / f.max_score, 10)) filter (where score_status = 'SCORED'), 0)
	from report_item_attempts_flat f
	join report_submissions r on r.tenant_id = f.tenant_id and r.submission_id = f.submission_id,
		lateral (values ('run', 168, f.run_label, '00000000-0000-0000-0000-000000000000'), ('run', 6, f.run_label, '00000000-0000-0000-0000-000000000000'),
			('group', 168, '', r.group_id), ('group', 6, '', r.group_id), ('run_group', 24, f.run_label, r.group_id)) c (cut, hours, run_label, group_id)
	where f.tenant_id = $1 group by 1, 2, 3, 4, 5, 6, 7, 8, 9`
)

// rebuild writes the rows of items and attempts and counts them.
func (h hand) rebuild(ctx context.Context, e *exam) error {
	return h.write(ctx, e, handFlatSQL, handChoiceSQL, handSubmissionsSQL, handStartsSQL, handDaysSQL, handOptionsSQL, handTimesSQL, handListsSQL)
}

func (h hand) write(ctx context.Context, e *exam, statements ...string) error {
	return h.do(ctx, candidate{scope: e.operator}, func(tx *pgx.Conn) error {
		for _, sql := range statements {
			_, err := tx.Exec(ctx, sql, uuid(e.operator.Tenant))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
