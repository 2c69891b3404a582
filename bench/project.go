package main

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// projectedDays is the time that the projected submissions are spread over. The projector keeps up
// with the candidates: submissions that wait for it are recent.
const projectedDays = 3

// The projection by hand, over all submissions of a tenant: one statement a table. It
// knows that every question is an mcq.
const (
	handTagged = `
	with tagged as materialized (
		select v.hash, q.key::uuid as question, q.value -> 'structuredTags' as tags
		from version_snapshots v, jsonb_each(v.content -> 'questions') q where v.tenant_id = $1
	)`
	handFlatSQL = handTagged + `
	insert into report_item_attempts_flat
	select s.tenant_id, s.org_unit_id, s.id, i.id, s.user_id, s.completed_at, s.evaluation_id, s.evaluation_version_id,
		s.run_label, i.question_version_id, i.qtype, i.is_correct, i.score, i.max_score, i.score_status, i.score_method,
		i.invalid_code, i.response #>> '{optionIds,0}',
		case when not i.is_omitted then array[i.response #>> '{optionIds,0}'] end, i.is_omitted, i.omit_reason,
		i.time_spent_ms, coalesce(t.focus_lost_n > 0, false), coalesce(g.tags, '{}')
	from submissions s
	join submission_items i on i.tenant_id = s.tenant_id and i.submission_id = s.id
	left join submission_telemetry_summary t on t.tenant_id = s.tenant_id and t.submission_id = s.id
	left join tagged g on g.hash = s.snapshot_hash and g.question = i.question_version_id
	where s.tenant_id = $1`
	handChoiceSQL = `
	insert into report_item_attempt_choice
	select s.tenant_id, s.org_unit_id, s.id, i.id, i.question_version_id, s.completed_at,
		case when i.is_omitted then '{}' else array[i.response #>> '{optionIds,0}'] end, null, i.is_correct, false,
		i.correct_selected, i.incorrect_selected, i.total_correct, i.invalid_code
	from submissions s
	join submission_items i on i.tenant_id = s.tenant_id and i.submission_id = s.id
	where s.tenant_id = $1`
)

// project writes flat and choice rows.
func (h hand) project(ctx context.Context, e *exam) error {
	return h.write(ctx, e, handFlatSQL, handChoiceSQL)
}

// measureProjection compares the projector, which also counts by day and derives the
// rollups, with statements that only write the rows of the items.
func measureProjection(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "projection", 1)
	if err != nil {
		return nil, err
	}
	err = e.load(ctx, h.super, h.size.projected, h.size.projected/attemptsOfOne, projectedDays)
	if err != nil {
		return nil, err
	}
	err = h.calm(ctx, "sessions", "submissions", "submission_items")
	if err != nil {
		return nil, err
	}
	empty := func(ctx context.Context, _ int) error { return h.emptyReports(ctx) }
	rates, err := contest(ctx, h.size.projectionRounds, 1, 1,
		contender{"hand", empty, func(ctx context.Context, _, _ int) error { return hand{h.super, false}.project(ctx, &e) }},
		contender{"scoped", empty, func(ctx context.Context, _, _ int) error { return hand{h.super, true}.project(ctx, &e) }},
		contender{"policies", empty, func(ctx context.Context, _, _ int) error { return hand{h.plain, true}.project(ctx, &e) }},
		contender{"projector",
			func(ctx context.Context, _ int) error { return h.queueAll(ctx, &e) },
			func(ctx context.Context, _, _ int) error { return h.projectAll(ctx, &e) }})
	if err != nil {
		return nil, err
	}
	inItems := func(turns []float64) []float64 {
		for i := range turns {
			turns[i] *= float64(h.size.projected * items)
		}
		return turns
	}
	byHand := inItems(rates["hand"])
	what := fmt.Sprintf("projection of %d submissions", h.size.projected)
	return []result{
		compared(what, "items/s", inItems(rates["projector"]), byHand, 0.7),
		compared(what+" by hand, under row-level security", "items/s", inItems(rates["policies"]), inItems(rates["scoped"]), 0.9),
	}, h.emptyReports(ctx)
}

// emptyReports empties the reporting tables and keeps the statistics of the planner: a database
// that has been up for a minute has statistics.
func (h *house) emptyReports(ctx context.Context) error {
	tables := strings.Join(projection.Tables, ", ")
	for _, sql := range []string{"analyze " + tables, "truncate projection_outbox, " + tables, "checkpoint"} {
		_, err := h.super.Exec(ctx, sql)
		if err != nil {
			return err
		}
	}
	return nil
}

// queueAll queues every submission of the exam, as submits do.
func (h *house) queueAll(ctx context.Context, e *exam) error {
	err := h.emptyReports(ctx)
	if err != nil {
		return err
	}
	_, err = h.super.Exec(ctx, `
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
		select tenant_id, 'submission', id, completed_at from submissions where tenant_id = $1 order by id`, uuid(e.operator.Tenant))
	return err
}

// projectAll does what one worker of the projector does.
func (h *house) projectAll(ctx context.Context, e *exam) error {
	for n := 1; n > 0; {
		err := h.store.Write(ctx, db.System(e.operator.Tenant, "bench"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(ctx, tx, projection.BatchSize)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
