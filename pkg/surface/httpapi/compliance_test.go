package httpapi_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/compliance"
)

// ask sends a POST about a person as an officer does.
func (w *town) ask(t *testing.T, path, token string, person ids.ID, more ...any) response {
	t.Helper()
	sent := map[string]any{"subject_id": person}
	for i := 0; i < len(more); i += 2 {
		sent[more[i].(string)] = more[i+1]
	}
	return w.send(t, request{method: http.MethodPost, path: "/compliance/" + path, token: token, key: ids.New().String(), body: sent})
}

func (w *town) look(t *testing.T, path, token string) response {
	t.Helper()
	return w.send(t, request{method: http.MethodGet, path: path, token: token})
}

// somebody makes a user of the home tenant who holds these capabilities, and gives a token for them.
func (w *town) somebody(t *testing.T, holds ...capability.Capability) string {
	t.Helper()
	var user ids.ID
	scope := w.app.Scope
	scope.All = true
	sample.Write(t, w.app.Store, scope, func(tx *db.Tx) error {
		user = sample.User(t, tx).ID
		r, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: "Role " + ids.New().String(), Capabilities: holds})
		if err != nil {
			return err
		}
		_, err = people.GrantRole(t.Context(), tx, user, r.ID)
		return err
	})
	return w.tokenOf(t, user)
}

// traces counts the rows that a compliance call may leave.
func (w *town) traces(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		for _, table := range []string{"ledger_events", "compliance_jobs", "compliance_steps", "compliance_ledger", "compliance_artifacts", "holds",
			"idempotency_keys", "retention_incidents", "users"} {
			var n int
			if err := tx.QueryRow(t.Context(), "select count(*) from "+table+" where tenant_id = $1", tx.Tenant()).Scan(&n); err != nil {
				return err
			}
			counts[table] = n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestASecondExportWaitsOrIsForced(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	person, officer := w.home.Exported, w.home.OfficerToken
	dry := answer[compliance.Job](t, w.ask(t, "dsar-export", officer, person, "dryRun", true), 201)
	first := answer[compliance.Job](t, w.ask(t, "dsar-export", officer, person), 201)
	if !dry.DryRun || first.DryRun || cmp.Diff(dry.Counts, first.Counts) != "" {
		t.Errorf("the dry run counts %v, the export %v", dry.Counts, first.Counts)
	}
	refused := w.ask(t, "dsar-export", officer, person)
	want(t, refused, 429, errs.DSARCooldown)
	wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
	if err != nil || wait < 1 || wait > 15*60 || refused.problem.Details["jobId"] != first.ID.String() {
		t.Errorf("Retry-After %q, details %v", refused.header.Get("Retry-After"), refused.problem.Details)
	}
	forced := answer[compliance.Job](t, w.ask(t, "dsar-export", officer, person, "force", true), 201)
	again := answer[compliance.Job](t, w.ask(t, "dsar-export?force=true", officer, person), 201)
	if forced.ID == first.ID || again.ID == forced.ID || forced.Status != "completed" || again.Status != "completed" {
		t.Errorf("forced: %+v, then %+v", forced, again)
	}
	want(t, w.ask(t, "dsar-export?force=false", officer, person), 429, errs.DSARCooldown)
	// The cooldown is the person's: another one is exported at once.
	answer[compliance.Job](t, w.ask(t, "dsar-export", officer, w.home.Packed), 201)
}

// The same call again is the same job, told as it is by then.
func TestAnExportThatIsAskedForTwiceIsOne(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	r := request{method: http.MethodPost, path: "/compliance/dsar-export", token: w.home.OfficerToken, key: "k", body: map[string]any{"subject_id": w.home.Exported}}
	first, again := w.send(t, r), w.send(t, r)
	a, b := answer[compliance.Job](t, first, 201), answer[compliance.Job](t, again, 201)
	if a.ID != b.ID || again.header.Get("Idempotency-Replayed") != "true" || b.Status != "completed" || again.header.Get("Location") != first.header.Get("Location") {
		t.Errorf("%+v, then %+v %v", a, b, again.header)
	}
	r.body = map[string]any{"subject_id": w.home.Packed}
	want(t, w.send(t, r), 422, errs.IdempotencyKeyReused)
}

func TestWhoFetchesAFileOfAJob(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	person := w.home.Exported
	requester := w.somebody(t, capability.ComplianceManage, capability.ScopeAll)
	job := answer[compliance.Job](t, w.ask(t, "dsar-export", requester, person), 201)
	file := "/compliance/jobs/" + job.ID.String() + "/artifacts/export.zip"
	views := func() int {
		var n int
		err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and event_type = 'compliance.artifact_viewed'", tx.Tenant()).Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, tt := range []struct {
		who, path, token string
		status           int
		code             errs.Code
	}{
		{"the requester", file, requester, 200, ""},
		{"the person", file, w.tokenOf(t, person), 200, ""},
		{"another officer", file, w.home.OfficerToken, 200, ""},
		{"an officer of an org unit", file, w.somebody(t, capability.ComplianceManage), 404, errs.NotFound},
		{"a colleague who may read", file, w.somebody(t, capability.ComplianceRead, capability.ScopeAll), 404, errs.NotFound},
		{"another person", file, w.tokenOf(t, w.home.Packed), 404, errs.NotFound},
		{"another tenant's officer", file, w.elsewhere.OfficerToken, 404, errs.NotFound},
		{"a file of another job", "/compliance/jobs/" + w.home.Job.String() + "/artifacts/export.zip", w.home.OfficerToken, 404, errs.NotFound},
		{"a file that no job makes", strings.Replace(file, "export.zip", "nothing.zip", 1), w.home.OfficerToken, 404, errs.NotFound},
		{"nobody", file, "", 401, errs.Unauthenticated},
	} {
		before := views()
		got := w.look(t, tt.path, tt.token)
		if got.status != tt.status || got.problem.Code != tt.code {
			t.Errorf("%s: got %d %s, want %d %s", tt.who, got.status, got.problem.Code, tt.status, tt.code)
		}
		if seen := views() - before; (seen == 1) != (tt.status == 200) {
			t.Errorf("%s: the ledger tells of %d views", tt.who, seen)
		}
	}
	// The person may not fetch the pack about them: it says who acted.
	pack := answer[compliance.Job](t, w.ask(t, "privacy-pack", requester, person), 202)
	w.end(t, pack)
	want(t, w.look(t, "/compliance/jobs/"+pack.ID.String()+"/artifacts/privacy-pack.zip", w.tokenOf(t, person)), 404, errs.NotFound)

	short := &town{app: w.app.Beside(t, func(c *config.Config) { c.Compliance.ExportLifetime = time.Millisecond })}
	job = answer[compliance.Job](t, short.ask(t, "dsar-export", requester, person, "force", true), 201)
	want(t, w.look(t, "/compliance/jobs/"+job.ID.String()+"/artifacts/export.zip", requester), 410, errs.ArtifactExpired)
	if shown := answer[compliance.Job](t, w.look(t, "/compliance/jobs/"+job.ID.String(), requester), 200); shown.ArtifactRefs[0].Available {
		t.Error("an expired file is said to be available")
	}
}

// end brings a job to its end, as the queue would.
func (w *town) end(t *testing.T, job compliance.Job) compliance.Job {
	t.Helper()
	c := config.Default()
	c.Auth = sample.Auth()
	done, err := centre.New(w.app.Store, w.app.Blobs, c).Work(t.Context(), w.app.Scope.Tenant, job.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Mistakes in a call are named, and nothing is written.
func TestComplianceCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	officer, person := w.home.OfficerToken, w.home.Held
	ofUnit := w.somebody(t, capability.ComplianceManage, capability.ComplianceRead)
	reader := w.somebody(t, capability.ComplianceRead, capability.ScopeAll)
	before := w.traces(t)
	kinds := []string{"forget", "dsar-export", "privacy-pack", "unlink"}
	for _, kind := range kinds {
		for name, whom := range map[string]ids.ID{"unknown": ids.New(), "of another tenant": w.elsewhere.User} {
			for _, dry := range []bool{false, true} {
				for _, got := range []response{w.ask(t, kind, officer, whom, "dryRun", dry),
					w.ask(t, "jobs", officer, whom, "dryRun", dry, "job_type", strings.ReplaceAll(kind, "-", "_"))} {
					if got.status != 404 || got.problem.Code != errs.NotFound {
						t.Errorf("%s of somebody %s: got %d %s", kind, name, got.status, got.body)
					}
				}
			}
		}
		want(t, w.ask(t, kind, ofUnit, person), 403, errs.Forbidden)
		want(t, w.ask(t, kind, reader, person), 403, errs.Forbidden)
	}
	if got := w.ask(t, "unlink", ofUnit, person); got.problem.Details["capability"] != string(capability.ScopeAll) {
		t.Errorf("details are %v, want scope.all", got.problem.Details)
	}
	for _, tt := range []struct {
		name   string
		got    response
		status int
		code   errs.Code
	}{
		{"forget without a proof", w.ask(t, "forget", officer, person), 403, errs.StepUpRequired},
		{"forget as a job without a proof", w.ask(t, "jobs", officer, person, "job_type", "forget"), 403, errs.StepUpRequired},
		{"oneself", w.ask(t, "forget", officer, w.home.Officer, "dryRun", true), 403, errs.FourEyesRequired},
		{"a kind that there is not", w.ask(t, "jobs", officer, person, "job_type", "shred"), 422, errs.ValidationFailed},
		{"arguments of another kind", w.ask(t, "jobs", officer, person, "job_type", "forget", "arguments", map[string]any{"force": true}), 422, errs.ValidationFailed},
		{"a sweep of somebody", w.ask(t, "jobs", officer, person, "job_type", "retention_sweep"), 422, errs.ValidationFailed},
		{"an org unit that there is not", w.ask(t, "unlink", officer, person, "org_unit_id", ids.New()), 422, errs.ValidationFailed},
		{"lifting what was never placed", w.ask(t, "restrict", officer, person, "action", "lift"), 409, errs.HoldNotPlaced},
		{"a hold without a reason", w.ask(t, "restrict", officer, person, "action", "place"), 422, errs.ValidationFailed},
		{"a reason of the other kind", w.ask(t, "restrict", officer, person, "action", "place", "kind", "legal", "reason_code", "accuracy_contested"), 422, errs.ValidationFailed},
		{"somebody else's submission", w.ask(t, "restrict", officer, person, "action", "place", "kind", "legal", "reason_code", "audit", "submission_id", w.home.Submission), 404, errs.NotFound},
		{"a hold of oneself", w.ask(t, "restrict", officer, w.home.Officer, "action", "place", "reason_code", "objection_pending"), 403, errs.FourEyesRequired},
		{"another tenant's job", w.look(t, "/compliance/jobs/"+w.elsewhere.Job.String(), officer), 404, errs.NotFound},
		{"jobs of an org unit", w.look(t, "/compliance/jobs", ofUnit), 403, errs.Forbidden},
		{"a filter", w.look(t, "/compliance/jobs?slaState=late", officer), 422, errs.ValidationFailed},
		{"an event type", w.look(t, "/compliance/ledger?eventType=forget.forgotten", officer), 422, errs.ValidationFailed},
	} {
		if tt.got.status != tt.status || tt.got.problem.Code != tt.code {
			t.Errorf("%s: got %d %s, want %d %s", tt.name, tt.got.status, tt.got.body, tt.status, tt.code)
		}
	}
	for field, arguments := range map[string]map[string]any{
		"arguments.reason_code": {"action": "place", "reason_code": "because"},
		"arguments":             {"action": "place", "reason_code": "objection_pending", "note": "they said so"},
	} {
		if got := w.ask(t, "jobs", officer, person, "job_type", "restrict", "arguments", arguments); got.status != 422 || !names(got, field) {
			t.Errorf("%v: got %d %s, want %s named", arguments, got.status, got.body, field)
		}
	}
	if diff := cmp.Diff(before, w.traces(t)); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
}

// Taking data or rights away for good needs a step-up proof, by every route; a dry run, and taking away nothing
// that matters, does not.
func TestWhatIsTakenForGoodNeedsAProof(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	keeps := func(days int, action string) map[string]any {
		return map[string]any{"policies": []any{map[string]any{"domain": "telemetry", "days": days, "action": action}}}
	}
	about := func(person ids.ID, more ...any) map[string]any {
		sent := map[string]any{"subject_id": person}
		for i := 0; i < len(more); i += 2 {
			sent[more[i].(string)] = more[i+1]
		}
		return sent
	}
	jobs, policies := "/compliance/jobs", "/retention-policies"
	for _, tt := range []struct {
		name, method, path string
		body               map[string]any
		needs              bool
	}{
		{"a sweep", http.MethodPost, "/compliance/retention/sweep", map[string]any{}, true},
		{"a sweep as a job", http.MethodPost, jobs, map[string]any{"job_type": "retention_sweep"}, true},
		{"a sweep on trial", http.MethodPost, "/compliance/retention/sweep", map[string]any{"dryRun": true}, false},
		{"an administrator", http.MethodPost, "/compliance/unlink", about(w.home.Actor), true},
		{"an administrator, as a job", http.MethodPost, jobs, about(w.home.Actor, "job_type", "unlink"), true},
		{"an administrator, on trial", http.MethodPost, "/compliance/unlink", about(w.home.Actor, "dryRun", true), false},
		{"a learner", http.MethodPost, "/compliance/unlink", about(w.home.Unlinked), false},
		{"a first policy", http.MethodPut, policies, keeps(30, "redact"), true},
		{"keeping longer", http.MethodPut, policies, keeps(31, "redact"), false},
		{"keeping a day", http.MethodPut, policies, keeps(1, "redact"), true},
		{"the same again", http.MethodPut, policies, keeps(1, "redact"), false},
		{"deleting what was redacted", http.MethodPut, policies, keeps(1, "delete"), true},
		{"keeping without end", http.MethodPut, policies, map[string]any{"policies": []any{}}, false},
	} {
		r := request{method: tt.method, path: tt.path, token: w.home.OfficerToken, key: ids.New().String(), body: tt.body}
		got := w.send(t, r)
		if refused := got.problem.Code == errs.StepUpRequired; refused != tt.needs || !refused && got.status >= 300 {
			t.Errorf("%s, without a proof: got %d %s", tt.name, got.status, got.body)
		}
		if !tt.needs {
			continue
		}
		r.key, r.proof = ids.New().String(), w.proof(t, place{Actor: w.home.Officer})
		if got := w.send(t, r); got.status >= 300 {
			t.Errorf("%s, with one: got %d %s", tt.name, got.status, got.body)
		}
	}
}

// A dry run answers what the job does later, and leaves nothing but the proof for the job.
func TestADryRunIsTheJobTakenBack(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	officer := w.home.OfficerToken
	for path, person := range map[string]ids.ID{"forget": w.home.User, "unlink": w.home.Unlinked} {
		before := w.traces(t)
		dry := answer[compliance.Job](t, w.ask(t, path, officer, person, "dryRun", true), 202)
		if diff := cmp.Diff(before, w.traces(t)); diff != "" {
			t.Errorf("%s: the dry run left rows (-before +after):\n%s", path, diff)
		}
		r := request{method: http.MethodPost, path: "/compliance/" + path, token: officer, key: ids.New().String(), body: map[string]any{"subject_id": person}}
		r.proof = w.proof(t, place{Actor: w.home.Officer})
		accepted := w.send(t, r)
		job := answer[compliance.Job](t, accepted, 202)
		if at := accepted.header.Get("Location"); at != "/api/v1/compliance/jobs/"+job.ID.String() {
			t.Errorf("%s: Location %q", path, at)
		}
		done := w.end(t, job)
		if diff := cmp.Diff(dry.Counts, done.Counts); done.Status != "completed" || diff != "" || len(done.Counts) == 0 {
			t.Errorf("%s: %s; counts (-dry run +job):\n%s", path, done.Status, diff)
		}
		if path == "forget" {
			// The proof is consumed: it forgets nobody else.
			r.key, r.body = ids.New().String(), map[string]any{"subject_id": w.home.Leaver}
			want(t, w.send(t, r), 403, errs.StepUpRequired)
		}
	}
}

func TestJobsAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	officer := w.home.OfficerToken
	export := answer[compliance.Job](t, w.ask(t, "dsar-export", officer, w.home.Exported), 201)
	late := answer[compliance.Job](t, w.ask(t, "privacy-pack", officer, w.home.Packed), 202)
	soon := answer[compliance.Job](t, w.ask(t, "unlink", officer, w.home.Unlinked), 202)
	held := answer[compliance.Job](t, w.ask(t, "restrict", officer, w.home.Held, "action", "place", "kind", "legal", "reason_code", "audit"), 202)
	w.end(t, held)
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		for job, due := range map[ids.ID]string{late.ID: "-1 day", soon.ID: "1 day"} {
			_, err := tx.Exec(t.Context(), `update compliance_jobs set sla_due_at = now() + $3::interval, created_at = now() - interval '29 days'
				where tenant_id = $1 and id = $2`, tx.Tenant(), job, due)
			if err != nil {
				return err
			}
		}
		return nil
	})
	for query, wanted := range map[string][]ids.ID{
		"jobType=dsar_export":                    {export.ID},
		"status=queued&slaState=breached":        {late.ID},
		"slaState=at_risk":                       {soon.ID},
		"slaState=on_track&jobType=restrict":     {held.ID},
		"subjectId=" + w.home.Held.String():      {held.ID},
		"status=completed&jobType=privacy_pack":  {},
		"jobType=restrict&limit=1&page=2":        {},
		"subjectId=" + w.elsewhere.User.String(): {},
	} {
		list := answer[db.List[compliance.Job]](t, w.look(t, "/compliance/jobs?"+query, officer), 200)
		found := []ids.ID{}
		for _, j := range list.Items {
			found = append(found, j.ID)
		}
		if !slices.Equal(found, wanted) {
			t.Errorf("%s: found %v, want %v", query, found, wanted)
		}
	}
	entries := answer[db.List[compliance.LedgerEntry]](t, w.look(t, "/compliance/ledger?eventType=restrict.completed&subjectId="+w.home.Held.String(), officer), 200)
	if entries.Total != 1 {
		t.Errorf("the ledger has %d entries, want 1", entries.Total)
	}
}

// Three looks in two seconds at the list of incidents: the limit is the tenant's, for all users and processes together.
func TestIncidentsAreLimitedPerTenant(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	beside := &town{app: w.app.Beside(t)}
	tokens := []string{w.home.OfficerToken, w.somebody(t, capability.ComplianceRead, capability.ScopeAll)}
	const path = "/compliance/retention/incidents"
	const looks, most = 8, 6 // two seconds may begin within the looks
	for range 20 {
		refused, began := 0, time.Now()
		for i := range looks {
			got := []*town{w, beside}[i%2].look(t, path, tokens[i/2%2])
			if got.status == 429 {
				refused++
				want(t, got, 429, errs.RateLimited)
				if got.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
			} else if got.status != 200 {
				t.Fatalf("got %d %s", got.status, got.body)
			}
		}
		if time.Since(began) > 2*time.Second {
			continue // the machine was too slow to ask too often
		}
		if refused < looks-most {
			t.Errorf("%d of %d looks were refused, want %d at least", refused, looks, looks-most)
		}
		break
	}
	if got := w.look(t, path, w.elsewhere.OfficerToken); got.status != 200 {
		t.Errorf("another tenant: got %d %s", got.status, got.body)
	}
}
