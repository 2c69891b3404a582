package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// key names rollup rows: those of a question version, an evaluation version or an evaluation in
// an org unit.
type key struct {
	Org, Version ids.ID
}

// touched are the rollup rows of what a batch has locked: questions have to be derived anew,
// and those of evaluations and their versions may have come to count nothing.
type touched struct {
	questions, evaluations []key
}

func (t *touched) add(more touched) {
	t.questions = mergeKeys(t.questions, more.questions)
	t.evaluations = mergeKeys(t.evaluations, more.evaluations)
}

func mergeKeys(a, b []key) []key {
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareKeys)
	return slices.Compact(all)
}

func compareKeys(a, b key) int {
	if c := slices.Compare(a.Org[:], b.Org[:]); c != 0 {
		return c
	}
	return slices.Compare(a.Version[:], b.Version[:])
}

func columns(keys []key) (orgs, versions []ids.ID) {
	for _, k := range keys {
		orgs, versions = append(orgs, k.Org), append(versions, k.Version)
	}
	return orgs, versions
}

// questionRef is a question version in an org unit, with its type.
type questionRef struct {
	key
	qtype string
}

// comingSQL finds the questions of submissions that leave ($2) or enter ($3).
const comingSQL = `
select f.org_unit_id, f.question_version_id, f.qtype from report_item_attempts_flat f
where f.tenant_id = $1 and f.submission_id = any($2)
union
select s.org_unit_id, i.question_version_id, i.qtype
from submissions s join submission_items i on i.tenant_id = s.tenant_id and i.submission_id = s.id
where s.tenant_id = $1 and s.id = any($3)`

func questionsOf(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]questionRef, error) {
	var all []questionRef
	var q questionRef
	err := each(ctx, tx, sql, args, []any{&q.Org, &q.Version, &q.qtype}, func() { all = append(all, q) })
	slices.SortFunc(all, func(a, b questionRef) int { return compareKeys(a.key, b.key) })
	return all, err
}

// mergeRefs puts the questions of both in the order of their keys; b knows no types.
func mergeRefs(a, b []questionRef) []questionRef {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b questionRef) int { return compareKeys(a.key, b.key) })
	return slices.CompactFunc(all, func(a, b questionRef) bool { return a.key == b.key })
}

// The locks are taken in one pass in the order of the keys: a conflict locks the row that
// is there, and "where false" leaves it as it is. PostgreSQL cannot lock rows that are not
// there yet, and inserting first and locking afterwards would give two orders.
const lockQuestionsSQL = `
insert into report_question_health_rollup as r (tenant_id, org_unit_id, question_version_id, qtype, last_computed_at)
select $1::uuid, k.*, $5 from unnest($2::uuid[], $3::uuid[], $4::text[]) k order by 2, 3
on conflict (tenant_id, org_unit_id, question_version_id) do update set qtype = excluded.qtype where false`

// An evaluation is locked as a whole, since its people are counted over all versions.
const lockEvaluationsSQL = `
with keys as (
	select org_unit_id, evaluation_version_id, evaluation_id from report_submissions
	where tenant_id = $1 and submission_id = any($2)
	union
	select org_unit_id, evaluation_version_id, evaluation_id from submissions where tenant_id = $1 and id = any($3)
	union
	select org_unit_id, evaluation_version_id, evaluation_id from report_session_starts
	where tenant_id = $1 and session_id = any($4)
), locked as (
	insert into report_evaluation_rollup as r (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id)
	select distinct $1::uuid, org_unit_id, evaluation_id, 'evaluation', '', ` + noGroup + `, evaluation_id from keys order by 2, 3
	on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id) do update set evaluation_id = excluded.evaluation_id where false
)
select org_unit_id, evaluation_version_id from keys union select org_unit_id, evaluation_id from keys`

// lock takes the locks of the questions, then those of all evaluations that the plans touch.
func lock(ctx context.Context, tx *db.Tx, questions []questionRef, p submissionPlan, s startPlan) (touched, error) {
	locked, err := lockQuestions(ctx, tx, questions)
	if err != nil {
		return touched{}, err
	}
	evaluations, err := lockEvaluations(ctx, tx, p, s)
	return touched{locked, evaluations}, err
}

func lockQuestions(ctx context.Context, tx *db.Tx, questions []questionRef) ([]key, error) {
	var keys []key
	var qtypes []string
	for _, q := range questions {
		keys, qtypes = append(keys, q.key), append(qtypes, q.qtype)
	}
	orgs, versions := columns(keys)
	_, err := tx.Exec(ctx, lockQuestionsSQL, tx.Tenant(), orgs, versions, qtypes, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("lock questions: %w", err)
	}
	return keys, nil
}

func lockEvaluations(ctx context.Context, tx *db.Tx, p submissionPlan, s startPlan) ([]key, error) {
	keys, err := keysOf(ctx, tx, lockEvaluationsSQL, tx.Tenant(), p.retract, p.write, slices.Concat(s.fresh, s.changed))
	if err != nil {
		return nil, fmt.Errorf("lock evaluations: %w", err)
	}
	return keys, nil
}

func keysOf(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]key, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[key])
}
