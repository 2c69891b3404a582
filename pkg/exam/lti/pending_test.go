package lti_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func linking(input *lti.PlatformInput) { input.Identity = lti.IdentityLink }

// unlinked launches somebody nobody has linked, and gives the secret of their browser.
func (c *campus) unlinked(who lms.Person) string {
	c.Helper()
	_, err := c.launch(who)
	u, ok := errors.AsType[*lti.UnlinkedError](err)
	if !ok || !errors.Is(err, errs.AccountLinkNeeded) || u.Tenant != c.tenant || errs.Of(err).Details["subject"] != who.Subject {
		c.Fatalf("got %v, want account_link_needed", err)
	}
	return u.Secret
}

// signIn gives the scope of a user who has just signed in by a link in a mail.
func (c *campus) signIn(user ids.ID, orgUnit ids.ID) db.Scope {
	c.Helper()
	var token access.Token
	var proof access.Proof
	c.write(func(tx *db.Tx) error {
		var err error
		token, err = c.authority.IssueToken(c.Context(), tx, user, orgUnit)
		if err == nil {
			proof, err = c.authority.IssueProof(c.Context(), tx, user, access.ByMagicLink)
		}
		return err
	})
	scope, err := c.authority.Authenticate(c.Context(), token.Token)
	if err != nil {
		c.Fatal(err)
	}
	scope.Proof = proof.ID
	return scope
}

// candidate makes a user who takes exams here.
func (c *campus) candidate() (user people.User) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		user = sample.User(c.T, tx, capability.Candidate)
		return nil
	})
	return user
}

func TestSomebodyNewSignsInOnceAndLinksTheirAccount(t *testing.T) {
	t.Parallel()
	c := newCampus(t, linking).allow()
	here, other := c.candidate(), c.candidate()
	secret := c.unlinked(ada)
	me := c.signIn(here.ID, c.scope.OrgUnit)
	waits, err := c.desk.PendingOf(t.Context(), me, secret)
	if err != nil || waits != (lti.Pending{Platform: "Moodle", Name: "Ada Byron"}) {
		t.Fatalf("got %+v, %v", waits, err)
	}
	stale := me
	stale.Proof = ids.None
	want(t, c.desk.Link(t.Context(), stale, secret), errs.StepUpRequired, "")
	// Two clicks at once link once, with one proof.
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			err := c.desk.Link(t.Context(), me, secret)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := c.count("select count(*) from user_accounts where tenant_id = $1 and user_id = $2 and subject = 'ada' and linked_by = $3", here.ID, "user:"+here.ID.String()); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
	if n := c.count("select count(*) from ledger_events where tenant_id = $1 and event_type = 'user.account_linked' and subject_id = $2", here.ID); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	if n := c.count("select count(*) from lti_pending_accounts where tenant_id = $1 and sealed = '' and user_id = $2", here.ID); n != 1 {
		t.Errorf("%d rows without the names, want 1", n)
	}
	_, err = c.desk.PendingOf(t.Context(), me, secret)
	want(t, err, errs.LinkInvalid, "")
	want(t, c.desk.Link(t.Context(), c.signIn(other.ID, c.scope.OrgUnit), secret), errs.LinkInvalid, "")
	if got := c.mustLaunch(ada); got.User.ID != here.ID {
		t.Errorf("got %+v", got.User)
	}
}

func TestAnAccountIsLinkedOnlyByItsBrowserInTime(t *testing.T) {
	t.Parallel()
	c := newCampus(t, linking).allow()
	me, stranger := c.signIn(c.candidate().ID, c.scope.OrgUnit), newCampus(t)
	secret := c.unlinked(ada)
	for name, wrong := range map[string]struct {
		scope  db.Scope
		secret string
	}{
		"no secret": {me, ""}, "another secret": {me, access.NewToken(c.scope.Tenant)}, "another tenant's": {stranger.signIn(stranger.candidate().ID, stranger.scope.OrgUnit), secret},
	} {
		t.Log(name)
		_, err := c.desk.PendingOf(t.Context(), wrong.scope, wrong.secret)
		want(t, err, errs.LinkInvalid, "")
		want(t, c.desk.Link(t.Context(), wrong.scope, wrong.secret), errs.LinkInvalid, "")
	}
	for _, s := range []struct{ name, sql, back string }{
		{"expired", "update lti_pending_accounts set expires_at = now() - interval '1 minute' where tenant_id = $1", "update lti_pending_accounts set expires_at = now() + interval '1 hour' where tenant_id = $1"},
		{"blocked", "update lti_deployments set status = 'blocked' where tenant_id = $1", "update lti_deployments set status = 'allowed' where tenant_id = $1"},
		{"disabled", "update lti_platforms set status = 'disabled' where tenant_id = $1", "update lti_platforms set status = 'active' where tenant_id = $1"},
	} {
		t.Log(s.name)
		c.run(s.sql)
		want(t, c.desk.Link(t.Context(), me, secret), errs.LinkInvalid, "")
		c.run(s.back)
	}
	// Proofs are of their person and good once.
	borrowed := me
	borrowed.Proof = c.signIn(c.candidate().ID, c.scope.OrgUnit).Proof
	want(t, c.desk.Link(t.Context(), borrowed, secret), errs.StepUpRequired, "")
	err := c.desk.Link(t.Context(), me, secret)
	if err != nil {
		t.Fatal(err)
	}
	want(t, c.desk.Link(t.Context(), me, c.unlinked(bo)), errs.StepUpRequired, "")
	// A page in a frame, which another site can draw around, gives out no secret.
	browser := rand.Text()
	form := c.begin(browser, teach, lms.Activity{Course: "42", CourseTitle: "Biology", Picks: c.lms.Picks()})
	_, err = c.desk.Launch(t.Context(), lti.Returned{State: form.Get("state"), Token: form.Get("id_token"), Framed: true}, browser, "192.0.2.1")
	want(t, err, errs.AccountLinkNeeded, "")
	if _, gives := errors.AsType[*lti.UnlinkedError](err); gives {
		t.Error("a frame gets a secret")
	}
}

// run runs a statement for the tenant.
func (c *campus) run(sql string) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(c.Context(), sql, tx.Tenant())
		return err
	})
}

func TestAnAccountThatIsSomebodyElsesIsNotTakenOver(t *testing.T) {
	t.Parallel()
	c := newCampus(t, linking).allow()
	first, second := c.candidate(), c.candidate()
	early, late := c.unlinked(ada), c.unlinked(ada)
	c.write(func(tx *db.Tx) error {
		_, err := people.LinkAccount(t.Context(), tx, first.ID, people.AccountInput{Platform: &c.platform.ID, Subject: "ada"})
		return err
	})
	want(t, c.desk.Link(t.Context(), c.signIn(second.ID, c.scope.OrgUnit), early), errs.AccountTaken, "")
	// Whose it is already may say so again.
	err := c.desk.Link(t.Context(), c.signIn(first.ID, c.scope.OrgUnit), late)
	if err != nil {
		t.Error(err)
	}
	if n := c.count("select count(*) from user_accounts where tenant_id = $1 and subject = 'ada'"); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
	// Of two people with the same browser, one gets the account.
	secret := c.unlinked(bo)
	var all sync.WaitGroup
	failed := make([]error, 2)
	for i, user := range []ids.ID{first.ID, second.ID} {
		scope := c.signIn(user, c.scope.OrgUnit)
		all.Go(func() { failed[i] = c.desk.Link(t.Context(), scope, secret) })
	}
	all.Wait()
	if (failed[0] == nil) == (failed[1] == nil) || !errors.Is(errors.Join(failed...), errs.LinkInvalid) {
		t.Errorf("got %v", failed)
	}
	// An address that the platform sends gives nobody the user who has it here.
	c.write(func(tx *db.Tx) error {
		_, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Identity: new(lti.IdentityCreate)})
		return err
	})
	c.lms.Token = func(m jwt.MapClaims) { m["email"], m["email_verified"] = first.Email, true }
	if got := c.mustLaunch(lms.Person{Subject: "eve", Name: "Eve", Roles: []string{lms.Learner}}); got.User.ID == first.ID || got.User.Email != "" {
		t.Errorf("got %+v", got.User)
	}
}

func TestWhoLinksAnAccountComesWhereTheyBelong(t *testing.T) {
	t.Parallel()
	c := newCampus(t, linking).allow()
	elsewhere := c.scope
	c.write(func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "south-"+strings.ToLower(rand.Text())).ID
		return nil
	})
	south := func(role string) (user people.User) {
		sample.Write(t, c.store, elsewhere, func(tx *db.Tx) error {
			var err error
			user, err = people.CreateUser(t.Context(), tx, people.UserInput{Name: role, OrgUnits: []string{elsewhere.OrgUnit.String()}, Roles: []string{role}})
			return err
		})
		return user
	}
	candidate, author := south(capability.Candidate), south(capability.Author)
	for subject, user := range map[string]ids.ID{"ada": candidate.ID, "bo": author.ID} {
		err := c.desk.Link(t.Context(), c.signIn(user, elsewhere.OrgUnit), c.unlinked(lms.Person{Subject: subject, Roles: []string{lms.Learner}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	// A candidate enters the org unit of the course; somebody with more roles is not carried into it.
	if got := c.mustLaunch(ada); got.User.ID != candidate.ID || len(got.User.OrgUnits) != 2 {
		t.Errorf("got %+v", got.User)
	}
	_, err := c.launch(bo)
	want(t, err, errs.LTILaunchRefused, "org_unit")
	// A test user of the platform stays one.
	user := c.candidate()
	err = c.desk.Link(t.Context(), c.signIn(user.ID, c.scope.OrgUnit), c.unlinked(lms.Person{Subject: "test", Roles: []string{lms.Learner, lms.TestUser}}))
	if n := c.count("select count(*) from user_accounts where tenant_id = $1 and user_id = $2 and test", user.ID); err != nil || n != 1 {
		t.Errorf("%d accounts for trying things out, want 1 (%v)", n, err)
	}
}
