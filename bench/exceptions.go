package main

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
)

const (
	// queued is how many results are in the queue, among few or many submissions.
	queued           = 50_000
	fewSubmissions   = 100_000
	manySubmissions  = 1_000_000
	queueReads       = 60
	queueGoal        = 50 // ms
	queueGrowth      = 1.3
	queueOwners      = 20
	queueEvaluations = 50
)

// queueSQL writes rows as the projector does. Rows up to $3 are in the queue; the others were always ready.
const queueSQL = `
insert into defensibility_exception_triage (tenant_id, org_unit_id, submission_id, evaluation_id, user_id, completed_at, is_active,
	readiness_state, reasons, state, owner_user_id, suppressed_until, first_seen_at, last_seen_at, updated_at)
select $1, $2, gen_random_uuid(), ($5::uuid[])[1 + n % cardinality($5::uuid[])], gen_random_uuid(), now(), true,
	case when n > $3 then 'met' when n % 3 = 0 then 'pending' else 'not_met' end,
	case when n > $3 then '{}' when n % 3 = 0 then '{approval_pending}' when n % 7 = 0 then '{outcome_fail,evidence_missing}' else '{outcome_fail}'::text[] end,
	case when n > $3 then 'resolved' when n % 10 = 0 then 'acknowledged' else 'open' end,
	case when n <= $3 and n % 5 = 0 then ($6::uuid[])[1 + n % cardinality($6::uuid[])] end,
	case when n <= $3 and n % 11 = 0 then now() + interval '1 day' end,
	case when n <= $3 then now() - n * interval '1 second' end, now(), now()
from generate_series(1, $4::int) n`

// measureExceptions reads the first page of the queue under each filter, in turns in a tenant with a million
// submissions and in one with a tenth of them and as many in the queue.
func measureExceptions(ctx context.Context, h *house) ([]result, error) {
	var evaluations, owners []ids.ID
	for range queueEvaluations {
		evaluations = append(evaluations, ids.New())
	}
	for range queueOwners {
		owners = append(owners, ids.New())
	}
	few, err := h.foundCrowd(ctx, "queue")
	if err != nil {
		return nil, err
	}
	many := h.operator
	few.All, many.All = false, false
	for _, f := range []struct {
		scope       db.Scope
		submissions int
	}{{few, fewSubmissions}, {many, manySubmissions}} {
		_, err = h.super.Exec(ctx, queueSQL, f.scope.Tenant, f.scope.OrgUnit, queued, f.submissions, evaluations, owners)
		if err != nil {
			return nil, fmt.Errorf("fill the queue: %w", err)
		}
	}
	err = h.calm(ctx, "defensibility_exception_triage")
	if err != nil {
		return nil, err
	}
	var all []result
	for _, f := range []struct {
		name string
		exception.Filter
	}{
		{"everything", exception.Filter{}}, {"the newest first", exception.Filter{Sort: exception.NewestFirst}},
		{"with suppressed", exception.Filter{IncludeSuppressed: true}}, {"one state", exception.Filter{State: "acknowledged"}},
		{"resolved", exception.Filter{State: "resolved"}}, {"one readiness", exception.Filter{ReadinessState: "pending"}},
		{"an owner", exception.Filter{OwnerUserID: owners[0]}}, {"a reason", exception.Filter{Reason: "evidence_missing"}},
		{"an evaluation", exception.Filter{EvaluationID: evaluations[0]}},
	} {
		var took, beside []float64
		for i := range queueReads + 5 {
			t, err := h.queueTime(ctx, many, f.Filter)
			if err != nil {
				return nil, err
			}
			b, err := h.queueTime(ctx, few, f.Filter)
			if err != nil {
				return nil, err
			}
			if i >= 5 { // the first fill caches
				took, beside = append(took, t), append(beside, b)
			}
		}
		all = append(all, result{Name: fmt.Sprintf("exceptions queue, %s, %d of %d submissions, p95", f.name, queued, manySubmissions),
			Unit: "ms", Value: quantile(took, 0.95), AtMost: queueGoal},
			result{Name: "the median of that, beside ten times fewer submissions", Unit: "ms", Value: median(took), Beside: median(beside),
				Ratio: median(took) / median(beside), AtMost: queueGrowth})
	}
	return all, nil
}

// queueTime gives the time of reading the first page, in ms.
func (h *house) queueTime(ctx context.Context, scope db.Scope, f exception.Filter) (float64, error) {
	start := time.Now()
	err := h.store.Read(ctx, scope, func(tx *db.Tx) error {
		_, err := exception.List(ctx, tx, f)
		return err
	})
	return float64(time.Since(start).Microseconds()) / 1000, err
}
