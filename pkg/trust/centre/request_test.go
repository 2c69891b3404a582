package centre

import (
	"errors"
	"fmt"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
)

// An erasure that somebody requested is killed in any step of its job: in the end the request is carried out once, with one letter and one
// task for each recipient, and nothing of the person is left in the register.
func TestARequestIsCarriedOutOnceWhereverItsJobWasKilled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	killed := errors.New("killed")
	kind := o.kind(compliance.Forget)
	for number, step := range kind.Steps {
		m := o.newPerson(kind)
		var id, job ids.ID
		sample.Write(t, o.store, m.operator, func(tx *db.Tx) error {
			_, err := requests.CreateRecipient(t.Context(), tx, requests.RecipientInput{Name: "Watchful Ltd", Role: "processor", Purpose: "integrity", Contact: "privacy@watchful.example"})
			if err != nil {
				return err
			}
			r, err := requests.Record(t.Context(), tx, requests.Input{Kind: requests.Erasure, Channel: "letter", SubjectID: &m.person})
			if err == nil {
				_, err = requests.Verify(t.Context(), tx, r.ID, requests.Identification{Identity: "document"})
			}
			if err == nil {
				_, err = requests.Decide(t.Context(), tx, r.ID, requests.Decision{Decision: requests.Granted})
			}
			if err != nil {
				return err
			}
			e, err := requests.CarryOut(t.Context(), tx, o.Centre, r.ID, requests.Execution{})
			if err == nil {
				id, job = r.ID, e.Job.ID
			}
			return err
		})
		breaking := *o.Centre
		breaking.Kinds = []compliance.Kind{broken(kind, number, step.Outside != nil, killed)}
		if _, err := breaking.Work(t.Context(), m.operator.Tenant, job, nil); !errors.Is(err, killed) {
			t.Fatalf("%s: %v", step.Name, err)
		}
		if _, err := o.Work(t.Context(), m.operator.Tenant, job, nil); err != nil {
			t.Fatalf("%s: %v", step.Name, err)
		}
		var got requests.Detail
		sample.Write(t, o.store, m.operator, func(tx *db.Tx) error {
			var err error
			got, err = requests.Get(t.Context(), tx, id)
			return err
		})
		var done, carried int
		for _, l := range got.Letters {
			if l.Letter == "done" && l.State == "queued" {
				done++
			}
		}
		for _, c := range got.Changes {
			if c.Change == "carried_out" {
				carried++
			}
		}
		if said := fmt.Sprint(got.State, " ", carried, " ", done, " ", len(got.Tasks)); said != "carried_out 1 1 1" {
			t.Errorf("killed in %s: %s: %+v", step.Name, said, got)
		}
	}
}
