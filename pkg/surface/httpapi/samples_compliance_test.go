package httpapi_test

import (
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/surface/httpapi"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/unlink"
)

// compliancePlace holds a job with a file, people to request jobs about, and an officer who
// holds every capability.
type compliancePlace struct {
	Job                                                 ids.ID
	Leaver, Forgotten, Exported, Packed, Unlinked, Held ids.ID
	Officer                                             ids.ID
	OfficerToken                                        string
}

// receipt is the file of the sample job.
const receipt = "receipt.json"

// wholeTenant says that a route works on the whole tenant, and requires scope.all.
func wholeTenant(l httpapi.Line) bool { return strings.HasPrefix(l.Path, "/compliance/") }

// caller is who calls a route: the actor, or the officer.
func (p place) caller(l httpapi.Line) place {
	if wholeTenant(l) {
		p.Actor, p.Token = p.Officer, p.OfficerToken
	}
	if l.Linked {
		p.Token = p.LinkToken
	}
	return p
}

func complianceOf(t *testing.T, app *apptest.App, scope db.Scope) compliancePlace {
	t.Helper()
	var p compliancePlace
	office := centre.New(app.Store, app.Blobs, config.Default())
	file, err := blob.Receive(strings.NewReader("{}"), 10)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it is stored
	err = office.Files.Keep(t.Context(), scope, file, func(*db.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	whole := scope
	whole.All = true
	sample.Write(t, app.Store, whole, func(tx *db.Tx) error {
		for _, one := range []*ids.ID{&p.Leaver, &p.Forgotten, &p.Exported, &p.Packed, &p.Unlinked, &p.Held, &p.Officer} {
			*one = sample.User(t, tx).ID
		}
		_, err := people.GrantRole(t.Context(), tx, p.Officer, role(t, tx, capability.BillingManage))
		if err != nil {
			return err
		}
		token, err := app.Authority.IssueToken(t.Context(), tx, p.Officer, scope.OrgUnit)
		if err != nil {
			return err
		}
		p.OfficerToken = token.Token
		job, err := office.Create(t.Context(), tx, compliance.Input{Type: compliance.Unlink, SubjectID: p.Leaver, Arguments: compliance.Arguments(unlink.Arguments{})})
		if err != nil {
			return err
		}
		p.Job = job.ID
		_, err = tx.Exec(t.Context(), `insert into compliance_artifacts (tenant_id, job_id, name, media_type, size_bytes, sha256, created_at)
			values ($1, $2, $3, 'application/json', 2, $4, now())`, tx.Tenant(), job.ID, receipt, file.SHA256)
		return err
	})
	return p
}

func init() {
	for _, id := range []string{"getComplianceJob", "getComplianceArtifact"} {
		noun[id] = func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Job} }
		tenantWide[id] = true
	}
	about := func(person func(place) ids.ID, more map[string]any) func(place) any {
		return func(p place) any {
			all := map[string]any{"subject_id": person(p)}
			for name, value := range more {
				all[name] = value
			}
			return all
		}
	}
	body["createComplianceJob"] = about(func(p place) ids.ID { return p.Leaver }, map[string]any{"job_type": "unlink"})
	body["forgetPerson"] = about(func(p place) ids.ID { return p.Forgotten }, nil)
	body["exportPerson"] = about(func(p place) ids.ID { return p.Exported }, nil)
	body["packPerson"] = about(func(p place) ids.ID { return p.Packed }, nil)
	body["unlinkPerson"] = about(func(p place) ids.ID { return p.Unlinked }, nil)
	body["restrictPerson"] = about(func(p place) ids.ID { return p.Held }, map[string]any{"action": "place", "kind": "legal", "reason_code": "litigation"})
	body["sweepRetention"] = func(place) any { return map[string]any{} }
}
