package exception_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
)

// rowsSQL makes 4,000 submissions of two org units. Every tenth is in the queue, and every tenth was
// and is resolved; the others were always ready. $3 and $4 are an owner and an evaluation of few.
const rowsSQL = `
insert into defensibility_exception_triage (tenant_id, org_unit_id, submission_id, evaluation_id, user_id, completed_at, is_active,
	readiness_state, reasons, state, owner_user_id, suppressed_until, first_seen_at, last_seen_at, updated_at)
select $1, $2, gen_random_uuid(), case when n % 100 = 0 then $4::uuid else gen_random_uuid() end, gen_random_uuid(), now(), true,
	case when n % 10 > 0 then 'met' when n % 20 = 0 then 'pending' else 'not_met' end,
	case when n % 10 > 0 then '{}' when n % 20 = 0 then '{score_pending}' else '{outcome_fail}'::text[] end,
	case when n % 10 > 0 then 'resolved' when n % 30 = 0 then 'acknowledged' else 'open' end,
	case when n % 50 = 0 then $3::uuid end, case when n % 70 = 0 then now() + interval '1 day' end,
	case when n % 10 <= 1 then now() - n * interval '1 minute' end, now(), now()
from generate_series(1, 2000) n returning true`

// Whatever the query, the queue is read by its index: rows that were always ready, and rows of another
// org unit, are not looked at. Without statistics, after ANALYZE, by custom and generic plans.
func TestTheQueueIsReadByItsIndex(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	scope.All = false
	owner, evaluation := ids.New(), ids.New()
	all := scope
	all.All = true
	sample.Write(t, store, all, func(tx *db.Tx) error {
		for _, org := range []ids.ID{scope.OrgUnit, sample.OrgUnit(t, tx, "elsewhere").ID} {
			_, err := tx.Exec(t.Context(), rowsSQL, tx.Tenant(), org, owner, evaluation)
			if err != nil {
				return err
			}
		}
		return nil
	})
	filters := map[string]struct {
		exception.Filter
		total int
	}{
		"all":             {exception.Filter{}, 172},
		"with suppressed": {exception.Filter{IncludeSuppressed: true}, 200},
		"open":            {exception.Filter{State: "open", IncludeSuppressed: true}, 134},
		"resolved":        {exception.Filter{State: "resolved", IncludeSuppressed: true}, 200},
		"pending":         {exception.Filter{ReadinessState: "pending", IncludeSuppressed: true}, 100},
		"of an owner":     {exception.Filter{OwnerUserID: owner, IncludeSuppressed: true}, 40},
		"by a reason":     {exception.Filter{Reason: "outcome_fail", IncludeSuppressed: true}, 100},
		"of an exam":      {exception.Filter{EvaluationID: evaluation, IncludeSuppressed: true}, 20},
		"newest first":    {exception.Filter{Sort: exception.NewestFirst, IncludeSuppressed: true}, 200},
	}
	elsewhere := sample.Tenant(t, store)
	nowhere := scope
	nowhere.OrgUnit = ids.None
	for name, of := range map[string]struct {
		db.Scope
		total int
	}{"all org units": {all, 400}, "another tenant": {elsewhere, 0}, "no org unit": {nowhere, 0}} {
		err := store.Read(t.Context(), of.Scope, func(tx *db.Tx) error {
			got, err := exception.List(t.Context(), tx, exception.Filter{IncludeSuppressed: true, Page: db.Page{Page: 3, Limit: 200}})
			if got.Total != of.total || len(got.Items) != 0 {
				t.Errorf("%s: %d of %d", name, len(got.Items), got.Total)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for name, f := range filters {
			err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
				plans.Force(t, tx)
				// The count and the page go over the queue once each, and the page reads its rows.
				dbtest.ByIndex(t, tx, name, 2*200+25, func() error {
					got, err := exception.List(t.Context(), tx, f.Filter)
					if err == nil && got.Total != f.total {
						t.Errorf("%s: %d of them, want %d", name, got.Total, f.total)
					}
					return err
				}, "defensibility_exception_triage")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}, urls)
}
