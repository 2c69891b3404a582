package erasure

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
	"assess/pkg/trust/unlink"
)

// orders reads an export as an operator does.
func (o *office) orders(export string) ([]Order, error) {
	var all []Order
	err := o.store.Read(o.Context(), o.operator, func(tx *db.Tx) error {
		var err error
		all, err = Orders(o.Context(), tx, strings.NewReader(export))
		return err
	})
	return all, err
}

// restore makes the database as if a backup of before the person was forgotten had been restored.
func (o *office) restore(p *person) {
	o.Helper()
	heap := dbtest.Heap(o.T, o.urls)
	for _, statement := range []string{"delete from compliance_artifacts where tenant_id = $1", "delete from compliance_steps where tenant_id = $1",
		"delete from compliance_ledger where tenant_id = $1", "delete from compliance_jobs where tenant_id = $1"} {
		if _, err := heap.Exec(o.Context(), statement, o.operator.Tenant); err != nil {
			o.Fatal(err)
		}
	}
	_, err := heap.Exec(o.Context(), "update users set name = $3, email = $4, email_key = $4, status = 'active' where tenant_id = $1 and id = $2",
		o.operator.Tenant, p.ID, p.Name, p.Email)
	if err != nil {
		o.Fatal(err)
	}
}

// export is what somebody keeps outside of the database.
func (o *office) export() string {
	o.Helper()
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(o.Context(), o.operator.Tenant); err != nil {
		o.Fatal(err)
	}
	var export bytes.Buffer
	err := o.store.Read(o.Context(), o.operator, func(tx *db.Tx) error {
		_, err := translog.Export(o.Context(), tx, &export, nil)
		return err
	})
	if err != nil {
		o.Fatal(err)
	}
	return export.String()
}

func TestARestoredBackupForgetsAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	o.forget(ada)
	export := o.export()
	want := func(when, state string) []Order {
		t.Helper()
		all, err := o.orders(export)
		if err != nil || len(all) != 1 || all[0].SubjectID != ada.ID || all[0].State != state {
			t.Fatalf("%s: %+v, %v, want %s", when, all, err, state)
		}
		return all
	}
	want("as it is", Seen)
	o.restore(ada)
	others := o.marks(grace.word)
	due := want("restored", Due)
	done, err := Again(t.Context(), o.Centre, o.operator, &due[0])
	if err != nil || done.Status != models.ComplianceCompleted || len(o.marks(ada.word)) > 0 || len(o.marks(grace.word)) != len(others) {
		t.Errorf("again: %+v, %v", done, err)
	}
	if _, err := Again(t.Context(), o.Centre, o.operator, &want("done again", Seen)[0]); err == nil {
		t.Error("what is not due is done all the same")
	}

	elsewhere := newOffice(t)
	for name, text := range map[string]string{"another tenant's": export, "no export": `{"a": 1}`, "empty": "", "broken": export + "{"} {
		office := o
		if name == "another tenant's" {
			office = elsewhere
		}
		if _, err := office.orders(text); !errors.Is(err, errs.ValidationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// If the backup does not have a person, nobody has to forget them.
func TestWhomABackupDoesNotHaveIsAbsent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	export := `{"format":"assess-ledger-export/v1","tenantId":"` + o.operator.Tenant.String() + `"}
{"eventType":"forget.requested","seq":1,"subjectId":"` + o.operator.Tenant.String() + `"}
{"eventType":"forget.completed","seq":2,"subjectId":"` + o.operator.Tenant.String() + `","occurredAt":"2031-05-01T00:00:00Z","payload":{"jobId":"` + o.operator.Tenant.String() + `"}}
{"hashes":""}
`
	all, err := o.orders(export)
	if err != nil || len(all) != 1 || all[0].Seq != 2 || all[0].State != Absent {
		t.Errorf("%+v, %v", all, err)
	}
}

// bindings are the tables that unlinking takes rows out of, or closes rows of.
var bindings = []string{"user_org_units", "group_members", "user_roles", "assignments", "assignment_invitations"}

// bound counts what still binds people to the organisation.
func (o *office) bound(people ...*person) map[string]int {
	o.Helper()
	found := map[string]int{}
	for _, p := range people {
		for what, sql := range map[string]string{
			"org units": "select count(*) from user_org_units where tenant_id = $1 and user_id = $2", "groups": "select count(*) from group_members where tenant_id = $1 and user_id = $2",
			"roles":            "select count(*) from user_roles where tenant_id = $1 and user_id = $2",
			"open assignments": "select count(*) from assignments where tenant_id = $1 and target_ref = ($2::uuid)::text and status = 'active'",
		} {
			var n int
			if err := o.super.QueryRow(o.Context(), sql, o.operator.Tenant, p.ID).Scan(&n); err != nil {
				o.Fatal(err)
			}
			found[p.Name+": "+what] = n
		}
	}
	return found
}

func (o *office) join(p *person, units ...string) {
	o.Helper()
	o.write(o.operator, func(tx *db.Tx) error {
		_, err := people.UpdateUser(o.Context(), tx, p.ID, people.UserPatch{OrgUnits: &units})
		return err
	})
}

func (o *office) unlink(p *person, from unlink.Arguments) {
	o.Helper()
	var made compliance.Job
	o.write(o.operator, func(tx *db.Tx) error {
		var err error
		made, err = o.Create(o.Context(), tx, compliance.Input{Type: compliance.Unlink, SubjectID: p.ID, Arguments: compliance.Arguments(from)})
		return err
	})
	done, err := o.Work(o.Context(), o.operator.Tenant, made.ID, nil)
	if err != nil || done.Status != models.ComplianceCompleted {
		o.Fatalf("%+v, %v", done, err)
	}
}

// past runs statements on a connection that writes past constraints and triggers.
func (o *office) past(heap *pgx.Conn, statements ...string) {
	o.Helper()
	for _, sql := range statements {
		if _, err := heap.Exec(o.Context(), sql); err != nil {
			o.Fatalf("%s: %v", sql, err)
		}
	}
}

// A restored backup takes people out of org units again: each once, whatever people it has there.
func TestARestoredBackupUnlinksAgain(t *testing.T) {
	t.Parallel()
	o := newOfficeIn(t, dbtest.Fresh(t))
	o.Kinds = append(o.Kinds, unlink.Kind())
	ada, grace, tia := o.newPerson("Ada"), o.newPerson("Grace"), o.newPerson("Tia")
	var home, north people.OrgUnit
	o.write(o.operator, func(tx *db.Tx) error {
		north = sample.OrgUnit(t, tx, "north")
		var err error
		home, err = people.FindOrgUnit(t.Context(), tx, o.operator.OrgUnit.String())
		return err
	})
	o.join(ada, home.Slug, north.Slug)
	heap := dbtest.Heap(t, o.urls)
	for _, table := range bindings {
		o.past(heap, "create temp table backup_of_"+table+" as select * from "+table)
	}

	o.unlink(ada, unlink.Arguments{OrgUnitID: north.ID})
	o.join(ada, home.Slug, north.Slug)
	o.unlink(ada, unlink.Arguments{OrgUnitID: north.ID})
	o.unlink(grace, unlink.Arguments{})
	o.join(tia, home.Slug, north.Slug)
	o.unlink(tia, unlink.Arguments{OrgUnitID: north.ID})
	want, export := o.bound(ada, grace, tia), o.export()

	for _, table := range bindings {
		o.past(heap, "delete from "+table, "insert into "+table+" select * from backup_of_"+table)
	}
	o.past(heap, "delete from compliance_steps", "delete from compliance_ledger", "delete from compliance_jobs where job_type = 'unlink'")
	if cmp.Equal(want, o.bound(ada, grace, tia)) {
		t.Fatal("the backup has nothing to do again")
	}
	states := func(orders []Order) (all []string) {
		for _, one := range orders {
			all = append(all, one.JobType+" "+one.State)
		}
		return all
	}
	orders, err := o.orders(export)
	if diff := cmp.Diff([]string{"unlink due", "unlink due", "unlink due", "unlink absent"}, states(orders)); err != nil || diff != "" {
		t.Fatal(diff, err)
	}
	for i := range orders[:3] {
		job, err := Again(t.Context(), o.Centre, o.operator, &orders[i])
		if err != nil || (job.ID == ids.None) != (i == 1) || i != 1 && job.Status != models.ComplianceCompleted {
			t.Errorf("order %d: %+v, %v", i, job, err)
		}
	}
	if diff := cmp.Diff(want, o.bound(ada, grace, tia)); diff != "" {
		t.Errorf("people are bound otherwise than before the backup was restored: %s", diff)
	}
	orders, err = o.orders(export)
	if diff := cmp.Diff([]string{"unlink seen", "unlink seen", "unlink seen", "unlink absent"}, states(orders)); err != nil || diff != "" {
		t.Error(diff, err)
	}
}
