package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
)

// shelf is a tenant in which many questions were attempted, twenty in each of its evaluation
// versions: three quarters single choice, the others multiple choice.
type shelf struct {
	operator  db.Scope
	questions int
}

// attemptsEach is how often each question of a shelf was attempted.
const attemptsEach = 40

// The statements of a shelf write what submits would have written. Everything follows from
// numbers: version v has the questions 20v to 20v+19, attempt a is one at version a % versions.
// Arguments: $1 tenant, $2 org unit, $3 number of versions, $4 number of attempts. Words in braces
// become ids.
var shelfSQL = []string{
	`insert into version_snapshots (tenant_id, hash, org_unit_id, content, created_at)
	select $1, 'shelf-' || v, $2, jsonb_build_object('questions', (select jsonb_object_agg({question}, jsonb_build_object(
		'structuredTags', jsonb_build_object('topic', jsonb_build_array('t' || v % 50)),
		'options', '[{"id":"A","isCorrect":true},{"id":"B"},{"id":"C"},{"id":"D"}]'::jsonb)) from generate_series(v * 20, v * 20 + 19) q)), now()
	from generate_series(0, $3::int - 1) v where $4::int > 0`,
	`insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, run_label,
		started_at, last_activity_at, ended_at, seed, revision)
	select $1, {attempt}, $2, {version}, {version}, {version}, 'user:bench', 'submitted', 'run ' || a * 3 / $4::int, s.at, s.at, s.at, a, 1
	from generate_series(0, $4::int - 1) a, lateral (select a % $3::int as v, timestamptz '2026-01-01 08:00Z' + a * interval '60 days' / $4::int as at) s`,
	`insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, run_label, seed,
		status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status, score, max_score, outcome_code, outcome_label)
	select tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, run_label, seed, 'completed', started_by,
		'submitted', ended_at, 'shelf-' || seed % $3::int, 'not_required', 10, 20, 'pass', 'Pass'
	from sessions where tenant_id = $1 and org_unit_id = $2 and $4::int > 0`,
	`insert into submission_items (tenant_id, submission_id, org_unit_id, id, item_id, question_version_id, position, qtype,
		response, score_status, score_method, score, max_score, is_correct, is_omitted, correct_selected, incorrect_selected, total_correct,
		time_spent_ms)
	select tenant_id, s.id, org_unit_id, {item}, {question}, {question}, n, case when n < 15 then 'mcq' else 'mrq' end,
		jsonb_build_object('optionIds', case when n < 15 then jsonb_build_array(chosen) else jsonb_build_array(chosen, 'D') end),
		'SCORED', 'all_or_nothing', (chosen = 'A')::int, 1, chosen = 'A', false, (chosen = 'A')::int, (chosen <> 'A')::int, 1,
		5000 + abs(dice % 60000)
	from submissions s cross join generate_series(0, 19) n
	cross join lateral (select seed % $3::int * 20 + n as q, seed * 20 + n as row, hashint8(seed * 20 + n) as dice) i
	cross join lateral (select (array['A','A','B','C'])[abs(dice % 4) + 1] as chosen) d
	where tenant_id = $1 and org_unit_id = $2 and $4::int > 0`,
}

// writeShelf loads a shelf, set-based, and projects it.
func (h *house) writeShelf(ctx context.Context, name string, questions int) (*shelf, error) {
	b := &shelf{operator: db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "bench"}}, questions: questions}
	err := h.store.Write(ctx, b.operator, func(tx *db.Tx) error {
		_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: name, Name: "Bench " + name})
		if err != nil {
			return err
		}
		unit, err := people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: "main", Name: "Main"})
		b.operator.OrgUnit = unit.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.load(ctx, h.super)
	if err != nil {
		return nil, err
	}
	err = h.calm(ctx, "sessions", "submissions", "submission_items")
	if err != nil {
		return nil, err
	}
	return b, projection.Rebuild(ctx, h.store, b.operator.Tenant, nil)
}

func (b *shelf) load(ctx context.Context, pool *pgxpool.Pool) error {
	versions := b.questions / items
	words := strings.NewReplacer("{version}", fmt.Sprintf(idSQL, "v", "version"), "{question}", fmt.Sprintf(idSQL, "q", "question"),
		"{attempt}", fmt.Sprintf(idSQL, "a", "attempt"), "{item}", fmt.Sprintf(idSQL, "row", "item"))
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "set local session_replication_role = replica")
		if err != nil {
			return err
		}
		for _, sql := range shelfSQL {
			_, err := tx.Exec(ctx, words.Replace(sql),
				uuid(b.operator.Tenant), uuid(b.operator.OrgUnit), versions, versions*attemptsEach)
			if err != nil {
				return fmt.Errorf("load shelf: %w", err)
			}
		}
		return nil
	})
}

// analyst is somebody who reads the reports of the shelf.
func (b *shelf) analyst() db.Scope { return readerOf(b.operator) }
