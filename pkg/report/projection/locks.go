package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// rollupKey names the rollup rows of a question version, an evaluation version or an evaluation in an
// org unit.
type rollupKey struct {
	Org, Version ids.ID
}

// affected are the rollup rows of what a batch has locked: questions have to be derived anew, rows of
// evaluations and their versions may now count nothing, and the cells of skills that changed have to
// be marked.
type affected struct {
	questions, evaluations []rollupKey
	skills                 []skillKey
}

func (a *affected) add(more affected) {
	a.questions = mergeKeys(a.questions, more.questions)
	a.evaluations = mergeKeys(a.evaluations, more.evaluations)
}

func mergeKeys(a, b []rollupKey) []rollupKey {
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareKeys)
	return slices.Compact(all)
}

func compareKeys(a, b rollupKey) int {
	if c := slices.Compare(a.Org[:], b.Org[:]); c != 0 {
		return c
	}
	return slices.Compare(a.Version[:], b.Version[:])
}

func columns(keys []rollupKey) (orgs, versions []ids.ID) {
	for _, k := range keys {
		orgs, versions = append(orgs, k.Org), append(versions, k.Version)
	}
	return orgs, versions
}

// typedQuestion is a question version in an org unit, with its type.
type typedQuestion struct {
	rollupKey
	qtype string
}

// leavingOrEnteringSQL finds the questions of submissions that leave ($2) or enter ($3).
const leavingOrEnteringSQL = `
select f.org_unit_id, f.question_version_id, f.qtype from report_item_attempts_flat f
where f.tenant_id = $1 and f.submission_id = any($2)
union
select s.org_unit_id, i.question_version_id, i.qtype
from submissions s join submission_items i on i.tenant_id = s.tenant_id and i.submission_id = s.id
where s.tenant_id = $1 and s.id = any($3)`

func questionsOf(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]typedQuestion, error) {
	var all []typedQuestion
	var q typedQuestion
	err := eachRow(ctx, tx, sql, args, []any{&q.Org, &q.Version, &q.qtype}, func() { all = append(all, q) })
	slices.SortFunc(all, func(a, b typedQuestion) int { return compareKeys(a.rollupKey, b.rollupKey) })
	return all, err
}

// mergeQuestions puts the questions of both in the order of their keys; b has no types.
func mergeQuestions(a, b []typedQuestion) []typedQuestion {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b typedQuestion) int { return compareKeys(a.rollupKey, b.rollupKey) })
	return slices.CompactFunc(all, func(a, b typedQuestion) bool { return a.rollupKey == b.rollupKey })
}

// The locks are taken in one pass in the order of the keys: a conflict locks the existing row, and
// "where false" leaves it as it is. PostgreSQL cannot lock rows that do not exist yet, and
// inserting first and locking afterwards would give two orders.
const lockQuestionsSQL = `
insert into report_question_health_rollup as r (tenant_id, org_unit_id, question_version_id, qtype, last_computed_at)
select $1::uuid, k.*, $5 from unnest($2::uuid[], $3::uuid[], $4::text[]) k order by 2, 3
on conflict (tenant_id, org_unit_id, question_version_id) do update set qtype = excluded.qtype where false`

// An evaluation is locked as a whole, since its people are counted over all versions.
const lockEvaluationsSQL = `
with keys as (
	select s.* from unnest($2::uuid[]) n (id) cross join lateral (
		select org_unit_id, evaluation_version_id, evaluation_id from report_submissions where tenant_id = $1 and submission_id = n.id offset 0) s
	union
	select s.* from unnest($3::uuid[]) n (id) cross join lateral (
		select org_unit_id, evaluation_version_id, evaluation_id from submissions where tenant_id = $1 and id = n.id offset 0) s
	union
	select s.* from unnest($4::uuid[]) n (id) cross join lateral (
		select org_unit_id, evaluation_version_id, evaluation_id from report_session_starts where tenant_id = $1 and session_id = n.id offset 0) s
), locked as (
	insert into report_evaluation_rollup as r (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id)
	select distinct u.tenant_id, org_unit_id, evaluation_id, 'evaluation', '', ` + noGroup + `, evaluation_id from keys r ` + ofItsUnit + ` order by 2, 3
	on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id) do update set evaluation_id = excluded.evaluation_id where false
)
select org_unit_id, evaluation_version_id from keys union select org_unit_id, evaluation_id from keys`

// lockRollups locks the questions, then all evaluations that the plans touch.
func lockRollups(ctx context.Context, tx *db.Tx, questions []typedQuestion, p submissionPlan, s startPlan) (affected, error) {
	locked, err := lockQuestions(ctx, tx, questions)
	if err != nil {
		return affected{}, err
	}
	evaluations, err := lockEvaluations(ctx, tx, p, s)
	return affected{questions: locked, evaluations: evaluations}, err
}

func lockQuestions(ctx context.Context, tx *db.Tx, questions []typedQuestion) ([]rollupKey, error) {
	var keys []rollupKey
	var qtypes []string
	for _, q := range questions {
		keys, qtypes = append(keys, q.rollupKey), append(qtypes, q.qtype)
	}
	orgs, versions := columns(keys)
	_, err := tx.Exec(ctx, lockQuestionsSQL, tx.Tenant(), orgs, versions, qtypes, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("lock questions: %w", err)
	}
	return keys, nil
}

func lockEvaluations(ctx context.Context, tx *db.Tx, p submissionPlan, s startPlan) ([]rollupKey, error) {
	keys, err := keysOf(ctx, tx, lockEvaluationsSQL, tx.Tenant(), p.retract, p.write, slices.Concat(s.fresh, s.changed))
	if err != nil {
		return nil, fmt.Errorf("lock evaluations: %w", err)
	}
	return keys, nil
}

func keysOf(ctx context.Context, tx *db.Tx, sql string, args ...any) ([]rollupKey, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[rollupKey])
}

// Batches of a tenant share an advisory lock, which a rebuild or a verification holds exclusively:
// it neither disturbs a batch nor is disturbed by one.
const tenantLock = `hashtextextended('projection ' || $1::text, 0)`

// planAnew makes PostgreSQL plan each call: the statements are few and large, and a plan that was
// made while the tables were small would still be used, and be as slow as can be, when they have grown.
const planAnew = `set_config('plan_cache_mode', 'force_custom_plan', true)`

// shareProjection gives false while the tenant is being rebuilt or verified. Batches do not
// wait for that: their rows stay in the outbox.
func shareProjection(ctx context.Context, tx *db.Tx) (bool, error) {
	var free bool
	err := tx.QueryRow(ctx, "select pg_try_advisory_xact_lock_shared("+tenantLock+"), "+planAnew, tx.Tenant().String()).Scan(&free, nil)
	if err != nil {
		return false, fmt.Errorf("join projection: %w", err)
	}
	return free, nil
}

// ownProjection waits for the batches that are running and keeps out new ones; request_timeout
// when they do not end within the lock timeout.
func ownProjection(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock("+tenantLock+"), "+planAnew, tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("own projection: %w", err)
	}
	return nil
}
