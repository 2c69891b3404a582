package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// idSQL makes ids as the application does, growing with time (UUIDv7), of the row number
// %s and a salt.
const idSQL = `(lpad(to_hex(1700000000000 + %[1]s), 12, '0') || '7' || substr(md5('%[2]s' || %[1]s), 1, 3) || '8' ||
	substr(md5(%[1]s || '%[2]s'), 1, 15))::uuid`

// attemptsOfOne is how many attempts a person makes by default.
const attemptsOfOne = 10

// loadSessionsSQL and the statements after it write n attempts of so many people, spread over days,
// runs, assignments and versions. Everything about an attempt follows from its number, so that the
// statements agree without reading each other's rows.
const loadSessionsSQL = `
insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, run_label,
	assignment_id, started_at, last_activity_at, ended_at, seed, revision)
select $1, {session}, $2, $3, ($4::uuid[])[abs(hashint4(g) % cardinality($4::uuid[])) + 1], {person}, 'user:bench', 'submitted', 'run ' || run,
	($5::uuid[])[run * cardinality($5::uuid[]) / $8::int + g % greatest(cardinality($5::uuid[]) / $8::int, 1) + 1],
	s.at, s.at + interval '20 minutes' + d.more, s.at + interval '20 minutes' + d.more, g, 20
from generate_series(0, $6::int - 1) g,
	lateral (select g * $8::int / $6::int as run, g % $9::int as person) p,
	lateral (select abs(hashint4(g) % 1800000) * interval '1 millisecond' as more) d,
	lateral (select timestamptz '2026-01-01 08:00Z' + g * make_interval(days => $7) / $6::int as at) s`

const loadSubmissionsSQL = `
insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, run_label,
	assignment_id, seed, status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status, score, max_score, outcome_code,
	outcome_label)
select tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, run_label, assignment_id, seed, 'completed',
	started_by, 'submitted', ended_at, v.snapshot, 'not_required', seed % 21, 20,
	case when seed % 21 >= 10 then 'pass' else 'fail' end, case when seed % 21 >= 10 then 'Pass' else 'Fail' end
from sessions join unnest($2::uuid[], $3::text[]) v (id_of_version, snapshot) on id_of_version = evaluation_version_id
where tenant_id = $1 order by id`

// loadItemsSQL chooses the right option in six of ten cases and omits one item of thirty.
const loadItemsSQL = `
insert into submission_items (tenant_id, submission_id, org_unit_id, id, item_id, question_version_id, position, qtype,
	response, score_status, score_method, score, max_score, is_correct, is_omitted, omit_reason, correct_selected,
	incorrect_selected, total_correct, time_spent_ms, answered_at)
select tenant_id, s.id, org_unit_id, %[1]s, p.item, p.question, p.n - 1, 'mcq',
	case when not omitted then jsonb_build_object('optionIds', jsonb_build_array(chosen)) end,
	case when omitted then 'EXEMPT' else 'SCORED' end, 'all_or_nothing', (not omitted and chosen = 'A')::int, 1,
	not omitted and chosen = 'A', omitted, case when omitted then 'no_answer' end, (not omitted and chosen = 'A')::int,
	(not omitted and chosen <> 'A')::int, 1, case when not omitted then 5000 + seed * 37 %% 60000 + p.n * 100 end,
	case when not omitted then completed_at end
from submissions s
cross join unnest($2::uuid[], $3::uuid[]) with ordinality p (item, question, n)
cross join lateral (select seed * 20 + p.n as row, hashint8(seed * 20 + p.n) as dice) r
cross join lateral (select dice %% 30 = 0 as omitted, (array['A','A','A','A','A','A','B','B','C','D'])[abs(dice / 30 %% 10) + 1] as chosen) d
where tenant_id = $1 order by s.id`

// load writes n submitted attempts of so many people at the exam, spread over so many days, set-based, for
// measurements that need attempts but do not measure how they are made.
func (e *exam) load(ctx context.Context, pool *pgxpool.Pool, n, people, days int) error {
	itemIDs, questionIDs := e.columns()
	sessions := strings.NewReplacer("{session}", fmt.Sprintf(idSQL, "g", "session"), "{person}", fmt.Sprintf(idSQL, "person", "person")).Replace(loadSessionsSQL)
	tenant := uuid(e.operator.Tenant)
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, step := range []struct {
			sql  string
			args []any
		}{
			// The rows that the statements write fit together; the foreign keys need not be checked.
			{"set local session_replication_role = replica", nil},
			{sessions, []any{tenant, uuid(e.operator.OrgUnit), uuid(e.evaluation), uuids(e.versions), uuids(e.assignments), n, days, runs, max(people, 1)}},
			{loadSubmissionsSQL, []any{tenant, uuids(e.versions), e.snapshots}},
			{fmt.Sprintf(loadItemsSQL, fmt.Sprintf(idSQL, "row", "item")), []any{tenant, uuids(itemIDs), uuids(questionIDs)}},
		} {
			_, err := tx.Exec(ctx, step.sql, step.args...)
			if err != nil {
				return fmt.Errorf("load attempts: %w", err)
			}
		}
		return nil
	})
}
