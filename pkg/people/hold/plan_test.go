package hold_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/people/hold"
)

// crowdOfHolds are holds of others that were lifted.
const crowdOfHolds = `insert into holds (tenant_id, id, subject_id, submission_id, kind, reason_code, placed_by, placed_at, lifted_by, lifted_at)
	select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'legal', 'audit', 'system:crowd', now() - g * interval '1 minute', 'system:crowd', now()
	from generate_series(1, 5000) g`

// Among thousands of others, lists that find few holds look at few, no matter what PostgreSQL knows of the
// table and how it plans.
func TestListsLookAtWhatTheyFind(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	d := newDeskIn(t, dbtest.Open(t, db.Options{URL: urls.App}))
	if _, err := dbtest.Heap(t, urls).Exec(t.Context(), crowdOfHolds, d.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	subject, submission := d.subject(), d.submit()
	_, err := d.place(hold.Input{SubjectID: subject, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation", SubmissionID: &submission}})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := d.store.Read(t.Context(), d.officer, func(tx *db.Tx) error {
			plans.Force(t, tx)
			for name, f := range map[string]hold.Filter{
				"of a person":     {SubjectID: &subject},
				"of a submission": {SubmissionID: &submission},
				"that stand":      {State: "standing"},
			} {
				dbtest.ByIndex(t, tx, "holds "+name, 60, func() error {
					list, err := hold.List(t.Context(), tx, f)
					if list.Total != 1 {
						t.Errorf("holds %s: %d, want 1", name, list.Total)
					}
					return err
				}, "holds")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
