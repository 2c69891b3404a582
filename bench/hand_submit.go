package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"assess/pkg/kernel/ids"
)

const (
	handSessionSQL = `
		select evaluation_id, evaluation_version_id, user_id, started_at, seed from sessions
		where tenant_id = $1 and id = $2 and state = 'open' for no key update`
	handAnswersSQL = `
		select item_id, response::text, time_spent_ms, answered_at from session_answers
		where tenant_id = $1 and session_id = $2`
	handSubmissionSQL = `
		insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, seed,
			status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status, score, max_score,
			outcome_code, outcome_label)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 'completed', $9, 'submitted', $10, $11, 'not_required', 20, 20, 'pass', 'Pass')`
	handItemsSQL = `
		insert into submission_items (tenant_id, submission_id, org_unit_id, id, item_id, question_version_id, position, qtype,
			response, score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected,
			incorrect_selected, total_correct, time_spent_ms, answered_at)
		select $1, $2, $3, i.id, item, question, n - 1, 'mcq', response::jsonb, 'SCORED', 'all_or_nothing', 1, 1, true, false,
			1, 0, 1, time_spent, answered
		from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::bigint[], $9::timestamptz[]) with ordinality
			as i (id, item, question, response, time_spent, answered, n)`
	handOutboxSQL = `
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, $3)`
	handEndSQL = `
		update sessions set state = 'submitted', ended_at = $3 where tenant_id = $1 and id = $2`
)

// handAnswers are the answers of a session by column.
type handAnswers struct {
	fresh, items, questions pgtype.FlatArray[pgtype.UUID]
	responses               []string
	times                   []int64
	answered                []time.Time
}

// submit turns a session into a submission.
func (h hand) submit(ctx context.Context, e *exam, c candidate, session ids.ID) error {
	tenant, id := uuid(c.scope.Tenant), uuid(session)
	return h.do(ctx, c, func(tx *pgx.Conn) error {
		var evaluation, version, user pgtype.UUID
		var started time.Time
		var seed int64
		err := tx.QueryRow(ctx, handSessionSQL, tenant, id).Scan(&evaluation, &version, &user, &started, &seed)
		if err != nil {
			return err
		}
		a, err := readAnswers(ctx, tx, e, tenant, id)
		if err != nil {
			return err
		}
		now, org := time.Now(), uuid(c.scope.OrgUnit)
		for _, step := range []struct {
			sql  string
			args []any
		}{
			{handSubmissionSQL, []any{tenant, id, org, evaluation, version, user, started, seed, c.scope.Actor.String(), now, e.snapshot}},
			{handItemsSQL, []any{tenant, id, org, a.fresh, a.items, a.questions, a.responses, a.times, a.answered}},
			{handOutboxSQL, []any{tenant, id, now}},
			{handEndSQL, []any{tenant, id, now}},
		} {
			_, err := tx.Exec(ctx, step.sql, step.args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func readAnswers(ctx context.Context, tx *pgx.Conn, e *exam, tenant, id pgtype.UUID) (handAnswers, error) {
	var a handAnswers
	rows, err := tx.Query(ctx, handAnswersSQL, tenant, id)
	if err != nil {
		return a, err
	}
	var item pgtype.UUID
	var response string
	var spent int64
	var answered time.Time
	_, err = pgx.ForEachRow(rows, []any{&item, &response, &spent, &answered}, func() error {
		a.fresh = append(a.fresh, uuid(ids.New()))
		a.items = append(a.items, item)
		a.questions = append(a.questions, e.question[item.Bytes])
		a.responses = append(a.responses, response)
		a.times = append(a.times, spent)
		a.answered = append(a.answered, answered)
		return nil
	})
	return a, err
}
