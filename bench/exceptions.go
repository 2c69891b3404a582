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
	// queued is how many results stand in the queue, of how many submissions in all.
	queued           = 50_000
	fewSubmissions   = 100_000
	manySubmissions  = 1_000_000
	queueReads       = 60
	queueGoal        = 50 // ms
	queueGrowth      = 1.3
	queueOwners      = 20
	queueEvaluations = 50
)

// queueSQL writes rows as the projector does. Those up to $3 are in the queue; the others were always ready.
const queueSQL = `
insert into defensibility_exception_triage (tenant_id, org_unit_id, submission_id, evaluation_id, user_id, completed_at, is_active,
	readiness_state, reasons, state, owner_user_id, suppressed_until, first_seen_at, last_seen_at, updated_at)
select $1, $2, gen_random_uuid(), ($6::uuid[])[1 + n % cardinality($6::uuid[])], gen_random_uuid(), now(), true,
	case when n > $3 then 'met' when n % 3 = 0 then 'pending' else 'not_met' end,
	case when n > $3 then '{}' when n % 3 = 0 then '{approval_pending}' when n % 7 = 0 then '{outcome_fail,evidence_missing}' else '{outcome_fail}'::text[] end,
	case when n > $3 then 'resolved' when n % 10 = 0 then 'acknowledged' else 'open' end,
	case when n <= $3 and n % 5 = 0 then ($7::uuid[])[1 + n % cardinality($7::uuid[])] end,
	case when n <= $3 and n % 11 = 0 then now() + interval '1 day' end,
	case when n <= $3 then now() - n * interval '1 second' end, now(), now()
from generate_series($4::int, $5::int) n`

// measureExceptions reads the first page of the queue under each filter, with as many results in it and ten
// times as many submissions beside it.
func measureExceptions(ctx context.Context, h *house) ([]result, error) {
	var evaluations, owners []ids.ID
	for range queueEvaluations {
		evaluations = append(evaluations, ids.New())
	}
	for range queueOwners {
		owners = append(owners, ids.New())
	}
	fill := func(from, to int) error {
		_, err := h.super.Exec(ctx, queueSQL, h.operator.Tenant, h.operator.OrgUnit, queued, from, to, evaluations, owners)
		if err != nil {
			return fmt.Errorf("fill the queue: %w", err)
		}
		return h.calm(ctx, "defensibility_exception_triage")
	}
	filters := []struct {
		name string
		exception.Filter
	}{
		{"everything", exception.Filter{}}, {"the newest first", exception.Filter{Sort: exception.NewestFirst}},
		{"with suppressed", exception.Filter{IncludeSuppressed: true}}, {"one state", exception.Filter{State: "acknowledged"}},
		{"resolved", exception.Filter{State: "resolved"}}, {"one readiness", exception.Filter{ReadinessState: "pending"}},
		{"an owner", exception.Filter{OwnerUserID: owners[0]}}, {"a reason", exception.Filter{Reason: "evidence_missing"}},
		{"an evaluation", exception.Filter{EvaluationID: evaluations[0]}},
	}
	err := fill(1, fewSubmissions)
	if err != nil {
		return nil, err
	}
	few := map[string]float64{}
	for _, f := range filters {
		few[f.name], err = h.queueTime(ctx, f.Filter)
		if err != nil {
			return nil, err
		}
	}
	err = fill(fewSubmissions+1, manySubmissions)
	if err != nil {
		return nil, err
	}
	var all []result
	for _, f := range filters {
		many, err := h.queueTime(ctx, f.Filter)
		if err != nil {
			return nil, err
		}
		all = append(all, result{Name: fmt.Sprintf("exceptions queue, %s, %d of %d submissions, p95", f.name, queued, manySubmissions), Unit: "ms", Value: many, AtMost: queueGoal},
			result{Name: "that, beside ten times fewer submissions", Unit: "ms", Value: many, Beside: few[f.name], Ratio: many / few[f.name], AtMost: queueGrowth})
	}
	return all, nil
}

// queueTime gives the 95th percentile of reading the first page, in ms.
func (h *house) queueTime(ctx context.Context, f exception.Filter) (float64, error) {
	scope := h.operator
	scope.All = false
	var took []float64
	for i := range queueReads + 5 {
		start := time.Now()
		err := h.store.Read(ctx, scope, func(tx *db.Tx) error {
			_, err := exception.List(ctx, tx, f)
			return err
		})
		if err != nil {
			return 0, err
		}
		if i >= 5 { // the first fill caches
			took = append(took, float64(time.Since(start).Microseconds())/1000)
		}
	}
	return quantile(took, 0.95), nil
}
