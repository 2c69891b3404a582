package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func TestTenants(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.say(
		"tenant list",
		"tenant create northwind --name 'Northwind College'",
		"tenant create northwind --name 'Another one'",
		"tenant create Nord -o json --name ''",
		"tenant create southwind --name 'Southwind' --dry-run",
		"tenant create southwind --name 'Southwind' -o json",
		"tenant show --tenant southwind -o yaml",
		"tenant show --tenant westwind",
		"tenant show",
	)
	d.check("tenant.txt")
	id := d.must("tenant list -o json")
	var tenants []struct{ ID string }
	err := json.Unmarshal([]byte(id), &tenants)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.must("tenant show -o csv --tenant " + tenants[0].ID); !strings.Contains(got, "northwind") {
		t.Errorf("by id: got %q", got)
	}
	if got := d.run("tenant show --tenant 01a1fbc1-578d-7a4f-89c6-163d741ecbbd"); got.exit != exitNotFound {
		t.Errorf("an unknown id: exit %d, want 3", got.exit)
	}
}

// On a cluster the list says where each lies, which TestDistribute looks at.
func TestTenantList(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("tenant create southwind --name Southwind")
	d.say("tenant list", "tenant list -o json", "tenant list -o csv")
	d.check("tenant_list.txt")
}

// With --org an operator reaches only the people of that org unit, and with --all-orgs
// everybody. Refused calls leave no trace.
func TestOperatorsOfOneOrgUnitReachItsPeopleAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name North --tenant northwind")
	d.must("org create south --name South --tenant northwind")
	csv := filepath.Join(t.TempDir(), "people.csv")
	for _, where := range []string{"south", "north,south"} {
		email := "pat@" + strings.ReplaceAll(where, ",", ".") + ".example.org"
		d.must("user create " + email + " --org-unit " + where + " --role candidate --tenant northwind")
		err := os.WriteFile(csv, []byte("email,name\n"+email+",Other\n"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			"user update " + email + " --name Other", "user update " + email + " --email other@example.org", "user update " + email + " --meta a=1",
			"user deactivate " + email + " --yes", "role grant " + email + " author", "role revoke " + email + " candidate --yes",
			"import users commit " + csv,
		} {
			before := d.count("select count(*) from ledger_events")
			got := d.run(line + " --org north --tenant northwind -o json")
			if got.exit == exitDone || !strings.Contains(got.err.String()+got.out.String(), string(errs.UserOutOfReach)) {
				t.Errorf("%s, somebody of %s: exit %d, %s%s", line, where, got.exit, &got.out, &got.err)
			}
			if after := d.count("select count(*) from ledger_events"); after != before {
				t.Errorf("%s, somebody of %s: refused and written all the same", line, where)
			}
		}
		d.must("user update " + email + " --org-unit north --org north --tenant northwind")
		d.must("user update " + email + " --name Other --all-orgs --tenant northwind")
	}
}

// An attribute that somebody sets meanwhile is not lost: the later one is told.
func TestTwoUpdatesOfAttributesAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	var user people.User
	err := json.Unmarshal([]byte(d.must("user create ada@example.org --meta b=0 --tenant northwind -o json")), &user)
	if err != nil {
		t.Fatal(err)
	}
	store := dbtest.Open(t, db.Options{URL: d.urls.App, MaxConns: 2, ReportMaxConns: 1})
	tenant, err := store.TenantBySlug(t.Context(), "northwind")
	if err != nil {
		t.Fatal(err)
	}
	var got *call
	var done <-chan error
	sample.Write(t, store, db.Scope{Tenant: tenant, All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "another"}}, func(tx *db.Tx) error {
		_, err := people.UpdateUser(t.Context(), tx, user.ID, people.UserPatch{Metadata: &map[string]any{"b": "2"}})
		done = sample.Blocked(t, tx, func() error {
			got = d.run("user update ada@example.org --meta a=1 --tenant northwind")
			return nil
		})
		return err
	})
	<-done
	if got.exit != exitConflict {
		t.Errorf("exit %d, want %d: %s", got.exit, exitConflict, &got.err)
	}
	if now := d.must("user update ada@example.org --meta a=1 --tenant northwind -o json"); !strings.Contains(now, `"a": "1"`) || !strings.Contains(now, `"b": "2"`) {
		t.Errorf("afterwards: %s", now)
	}
}

func TestPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.say(
		"org create north --name 'North campus' --tenant northwind",
		"org create south --name 'South campus' --tenant northwind -o json",
		"org list --tenant northwind",
		"user create ada@example.org --name 'Ada Byron' --org-unit north --role author --role analyst --meta cohort=2031 --tenant northwind",
		"user create Bob@Example.org --org south --tenant northwind -o json",
		"user create ada@EXAMPLE.org --tenant northwind",
		"org create wset --name West --tenant northwind",
		"org delete wset --yes --tenant northwind",
		"org delete south --yes --tenant northwind",
		"org delete south --yes --tenant northwind -o json",
		"org rename south --slug north --tenant northwind",
		"org rename south --name 'South site' --tenant northwind",
		"tenant rename --name 'Northwind University' --tenant northwind",
		"user create nobody --role king --org-unit west --tenant northwind",
		"user create carl@example.org --org west --tenant northwind",
		"user list --tenant northwind",
		"user list --limit 1 --page 2 --tenant northwind -o json",
		"user list --limit 1 --tenant northwind",
		"user list --limit 0 --page -1 --tenant northwind",
		"user show bob@example.org --tenant northwind",
		"user show zoe@example.org --tenant northwind",
		"user show zoe --tenant northwind",
	)
	d.check("people.txt")
}

func TestGroups(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("user create ada@example.org --name 'Ada Byron' --org-unit north --meta cohort=2031 --tenant northwind")
	d.must("user create bob@example.org --name 'Bob Ross' --org-unit north --meta cohort=2032 --tenant northwind")
	d.say(
		"user list --search 'by ad' --meta cohort=2031 --tenant northwind",
		"user update ada@example.org --name 'Ada King' --meta site=x --drop-meta cohort --tenant northwind -o csv",
		"group create 'Cohort 2032' --membership-rule '{\"all\":[{\"key\":\"cohort\",\"op\":\"equals\",\"value\":\"2032\"}]}' --org north --tenant northwind",
		"group create x --membership-rule '{\"any\":[]}' --org north --tenant northwind",
		"group create x --membership-rule '{\"all\":[{\"key\":\"\",\"op\":\"like\"}]}' --org north --tenant northwind",
		"group create Tutors --allowed-domains example.org --org north --tenant northwind",
		"group add tutors ada@example.org bob@example.org --org north --tenant northwind",
		"group add 'cohort 2032' ada@example.org --org north --tenant northwind",
		"group members tutors --org north --tenant northwind",
		"group remove tutors bob@example.org --yes --org north --tenant northwind",
		"group preview tutors --membership-rule '{\"all\":[{\"key\":\"cohort\",\"op\":\"exists\"}]}' --org north --tenant northwind",
		"user update ada@example.org --meta cohort=2032 --tenant northwind -o csv",
		"group show 'Cohort 2032' --org north --tenant northwind",
		"user deactivate ada@example.org --yes --tenant northwind",
		"group show 'Cohort 2032' --org north --tenant northwind",
		"user reactivate ada@example.org --tenant northwind",
		"group update Tutors --description 'Who teaches' --org north --tenant northwind",
		"group list --user-id ada@example.org --kind manual --org north --tenant northwind",
		"group drop-token tutors --yes --org north --tenant northwind",
		"group delete tutors --yes --org north --tenant northwind",
		"group show tutors --org north --tenant northwind",
	)
	d.check("groups.txt")
	token := func(more string) string {
		return d.must("group rotate-token cohort --org north --tenant northwind " + more)
	}
	d.must("group create Cohort --org north --tenant northwind")
	if first := token("--idempotency-key k"); first != token("--idempotency-key k") || first == token("") {
		t.Error("a repetition with the same key shows another token, or a new one the same")
	}
	if n := d.count("select count(*) from idempotency_keys where key = 'k'"); n != 0 {
		t.Error("the key of a command that prints a secret is stored in clear")
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("user create ada@example.org --org north --tenant northwind")
	d.say(
		"role list --tenant northwind",
		"role list --limit 1 --tenant northwind -o json",
		"role show candidate --tenant northwind",
		"role show 'Named Analyst' --tenant northwind -o json",
		"role show king --tenant northwind",
		"role show analyts --tenant northwind",
		"role create Invigilator --capabilities sessions.proctor --capabilities groups.view --description 'Watches' --tenant northwind",
		"role create Invigilator --tenant northwind",
		"role create Money --capabilities billing.manage --capabilities money.print --tenant northwind",
		"role update invigilator --name Watcher --capabilities sessions.proctor --tenant northwind -o csv",
		"role update candidate --name Guest --tenant northwind",
		"role grant ada@example.org watcher --tenant northwind -o csv",
		"role delete watcher --tenant northwind --dry-run",
		"role revoke ada@example.org watcher --tenant northwind --yes -o csv",
		"role delete watcher --tenant northwind",
		"role delete watcher --tenant northwind --yes -o csv",
		"role delete candidate --tenant northwind --yes",
		"role capabilities --tenant northwind",
		"role grant ada@example.org tenant_admin --tenant northwind",
		"role grant ada@example.org candidate --tenant northwind -o json",
		"role grant zoe@example.org candidate --tenant northwind",
		"role revoke ada@example.org candidate --tenant northwind",
		"role revoke ada@example.org candidate --tenant northwind --dry-run",
		"role revoke ada@example.org candidate --tenant northwind --yes",
		"role revoke ada@example.org candidate --tenant northwind --yes",
		"role revoke ada@example.org tenant_admin --tenant northwind --yes",
	)
	d.check("role.txt")
}

func TestTokens(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("org create south --name 'South campus' --tenant northwind")
	d.must("user create ada@example.org --org north --tenant northwind")
	d.say(
		"token issue --user ada@example.org --tenant northwind",
		"token issue --user ada@example.org --tenant northwind --org north --step-up",
		"token issue --user ada@example.org --tenant northwind --step-up -o json",
		"token issue --user ada@example.org --tenant northwind --org south",
		"token issue --tenant northwind",
		"key list",
		"key rotate",
		"key list -o json",
	)
	d.check("token.txt")
	token := strings.TrimSpace(d.must("token issue --user ada@example.org --tenant northwind"))
	store, err := db.Open(t.Context(), db.Options{URL: d.urls.App})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	scope, err := access.NewAuthority(store, sample.Auth()).Authenticate(t.Context(), token)
	if err != nil || scope.Actor.Kind != db.UserActor {
		t.Errorf("the token on standard output: got %v, %v", scope, err)
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.say(
		"tenant create northwind --name 'Northwind College' --idempotency-key a -o json",
		"tenant create northwind --name 'Northwind College' --idempotency-key a -o json",
		"tenant create northwind --name 'Another name' --idempotency-key a",
		"tenant create northwind --name 'Northwind College' --idempotency-key b",
		"org create north --name 'North campus' --tenant northwind --idempotency-key a",
		"org create north --name 'North campus' --tenant northwind --idempotency-key a",
		"user create ada@example.org --tenant northwind --org north --idempotency-key a -o csv",
		"user create ada@example.org --tenant northwind --org north --idempotency-key a -o csv",
		"user create ada@example.org --tenant northwind --idempotency-key a -o csv",
	)
	d.check("idempotency.txt")
	if got := d.count("select count(*) from ledger_events where event_type = 'user.created'"); got != 1 {
		t.Errorf("%d users were created, want 1", got)
	}
	if got := d.count("select count(*) from ledger_events where actor <> 'operator:tester'"); got != 0 {
		t.Errorf("%d ledger events name another actor", got)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("user create ada@example.org --role candidate --org north --tenant northwind")
	all := "select (select count(*) from tenants) + (select count(*) from org_units) + (select count(*) from users)" +
		" + (select count(*) from user_roles) + (select count(*) from ledger_events) + (select count(*) from idempotency_keys)"
	before := d.count(all)
	for _, line := range []string{
		"tenant create southwind --name Southwind",
		"org create south --name South --tenant northwind",
		"user create bob@example.org --tenant northwind",
		"user create bob@example.org --tenant northwind --idempotency-key k",
		"role grant ada@example.org author --tenant northwind",
		"role revoke ada@example.org candidate --tenant northwind",
		"import users commit testdata/import/users.csv --tenant northwind",
	} {
		got := d.run(line + " --dry-run")
		said := got.out.Len() > 0 || strings.HasPrefix(line, "role revoke") // which has nothing to show
		if got.exit != exitDone || !said || !strings.Contains(got.err.String(), "nothing was changed") {
			t.Errorf("%s --dry-run: exit %d, stdout %q, stderr %q", line, got.exit, &got.out, &got.err)
		}
	}
	if after := d.count(all); after != before {
		t.Errorf("dry runs left %d rows behind", after-before)
	}
}

func TestProgramme(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.say(
		"subject create site-17 --name 'Harbour site' --kind site --metadata region=north --org north --tenant northwind",
		"subject create site-17 --name 'Again' --org north --tenant northwind",
		"subject list --kind site --org north --tenant northwind -o csv",
		"engagement create 'Audit 2031' --external-id audit-2031 --starts-at 2031-03-01T00:00:00Z --ends-at 2031-04-01T00:00:00Z --org north --tenant northwind",
		"engagement create 'Backwards' --starts-at 2031-03-02T00:00:00Z --ends-at 2031-03-01T00:00:00Z --org north --tenant northwind",
		"engagement list --status open --org north --tenant northwind",
		"requirement create Welding Theory 01a1fbc1-578d-7a4f-89c6-163d741ecbbd --org north --tenant northwind",
		"requirement list --org north --tenant northwind",
	)
	d.check("programme.txt")
	var subjects struct{ Items []struct{ ID string } }
	err := json.Unmarshal([]byte(d.must("subject list --org north --tenant northwind -o json")), &subjects)
	if err != nil || len(subjects.Items) != 1 {
		t.Fatalf("got %v, %v", subjects, err)
	}
	got := d.must("subject update " + subjects.Items[0].ID + " --name 'New name' --org north --tenant northwind -o csv")
	if !strings.Contains(got, "New name") || !strings.Contains(got, "site-17") {
		t.Errorf("after the update: %s", got)
	}
	if got := d.run("subject show 01a1fbc1-578d-7a4f-89c6-163d741ecbbd --org north --tenant northwind"); got.exit != exitNotFound {
		t.Errorf("an unknown id: exit %d, want 3", got.exit)
	}
}

func TestAssignments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	const in = " --org north --tenant northwind"
	d.say(
		"assignment list"+in,
		"assignment create 01a1fbc1-578d-7a4f-89c6-163d741ecbbd email ada@example.org"+in,
		"assignment create x email ada@example.org"+in,
		"assignment close 01a1fbc1-578d-7a4f-89c6-163d741ecbbd"+in,
		"assignment close 01a1fbc1-578d-7a4f-89c6-163d741ecbbd --yes"+in,
		"assignment monitor 01a1fbc1-578d-7a4f-89c6-163d741ecbbd"+in,
		"assignment override 01a1fbc1-578d-7a4f-89c6-163d741ecbbd ada@example.org"+in,
		"assignment schedule create 01a1fbc1-578d-7a4f-89c6-163d741ecbbd email ada@example.org --rule FREQ=SECONDLY --starts-at 2031-01-06"+in,
		"assignment schedule list"+in,
		"assignment schedule preview --rule 'FREQ=YEARLY;COUNT=2' --time-zone Europe/Berlin --starts-at 2091-01-06T08:00:00Z --run-label 'audit {year}'"+in,
	)
	d.check("assignment.txt")
}

// An operator hands out an evaluation, gives somebody more time, and imports more.
func TestAssignmentsOfAnEvaluation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const in = " --org north --tenant northwind"
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("import users commit testdata/import/users.csv" + in)
	d.must("import questions commit testdata/import/questions.csv --create-terms" + in)
	d.must("import evaluations commit testdata/import/evaluations.csv" + in)
	evaluation := uuids.FindString(d.must("evaluation list -o csv" + in))
	user := uuids.FindString(d.must("user show ada@example.org -o json" + in))
	made := uuids.FindString(d.must("assignment create " + evaluation + " user_id " + user + " --run-label one -o csv" + in))
	d.say(
		"assignment create "+evaluation+" user_id "+user+" --run-label one"+in,
		"assignment create "+evaluation+" email ada@example.org bob@example.org --run-label two --valid-from 2031-03-01 --valid-until 2031-03-08"+in,
		"assignment override "+made+" "+user+" --extra-time-seconds 600 --extra-attempts 1 --reason 'fire alarm'"+in,
		"assignment override "+made+" ada@example.org --extra-time-seconds 900 --reason 'fire alarm' -o json"+in,
		"assignment update "+made+" --valid-until 2091-04-01T00:00:00Z -o csv"+in,
		"assignment close "+made+" --dry-run -o csv"+in,
		"assignment close "+made+" --yes -o csv"+in,
		"assignment open "+made+" -o csv"+in,
		"assignment schedule create geo-1 user_id ada@example.org --rule FREQ=YEARLY --starts-at 2091-01-06T08:00:00Z --run-label 'audit {year}' -o csv"+in,
		"import assignments preview testdata/import/assignments_bad.csv"+in,
		"import assignments preview testdata/import/assignments.csv"+in,
		"import assignments commit testdata/import/assignments.csv"+in,
		"import assignments commit testdata/import/assignments.csv --invite"+in,
		"assignment list --run-label spring"+in,
	)
	d.check("assignment_made.txt")
	token := func(more string) string {
		return d.must("assignment rotate-token " + made + in + more)
	}
	if first := token(" --idempotency-key k"); first != token(" --idempotency-key k") || first == token("") {
		t.Error("a repetition with the same key shows another token, or a new one the same")
	}
	d.must("assignment create geo-1 public_link --idempotency-key k2" + in)
	if n := d.count("select count(*) from idempotency_keys where key like 'k%'"); n != 0 {
		t.Error("the key of a command that prints a secret is stored in clear")
	}
}
