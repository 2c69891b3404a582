package erasure

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/trust/translog"
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
	for _, statement := range []string{"set session_replication_role = replica",
		"delete from compliance_artifacts where tenant_id = $1", "delete from compliance_steps where tenant_id = $1",
		"delete from compliance_ledger where tenant_id = $1", "delete from compliance_jobs where tenant_id = $1"} {
		var args []any
		if strings.Contains(statement, "$1") {
			args = append(args, o.operator.Tenant)
		}
		if _, err := o.super.Exec(o.Context(), statement, args...); err != nil {
			o.Fatal(err)
		}
	}
	_, err := o.super.Exec(o.Context(), "update users set name = $3, email = $4, email_key = $4, status = 'active' where tenant_id = $1 and id = $2",
		o.operator.Tenant, p.ID, p.Name, p.Email)
	if err != nil {
		o.Fatal(err)
	}
}

func TestARestoredBackupForgetsAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, grace := o.newPerson("Ada"), o.newPerson("Grace")
	o.forget(ada)
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	if _, err := log.Sequence(t.Context(), o.operator.Tenant); err != nil {
		t.Fatal(err)
	}
	var export bytes.Buffer
	err := o.store.Read(t.Context(), o.operator, func(tx *db.Tx) error {
		_, err := translog.Export(t.Context(), tx, &export, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := func(when, state string) []Order {
		t.Helper()
		all, err := o.orders(export.String())
		if err != nil || len(all) != 1 || all[0].SubjectID != ada.ID || all[0].State != state {
			t.Fatalf("%s: %+v, %v, want %s", when, all, err, state)
		}
		return all
	}
	want("as it is", Seen)
	o.restore(ada)
	others := o.marks(grace.word)
	due := want("restored", Due)
	done, err := Again(t.Context(), o.Centre, o.operator, due[0])
	if err != nil || done.Status != models.ComplianceCompleted || len(o.marks(ada.word)) > 0 || len(o.marks(grace.word)) != len(others) {
		t.Errorf("again: %+v, %v", done, err)
	}
	if _, err := Again(t.Context(), o.Centre, o.operator, want("done again", Seen)[0]); err == nil {
		t.Error("what is not due is done all the same")
	}

	elsewhere := newOffice(t)
	for name, text := range map[string]string{"another tenant's": export.String(), "no export": `{"a": 1}`, "empty": "", "broken": export.String() + "{"} {
		office := o
		if name == "another tenant's" {
			office = elsewhere
		}
		if _, err := office.orders(text); !errors.Is(err, errs.ValidationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whom the backup does not have, nobody has to forget.
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
