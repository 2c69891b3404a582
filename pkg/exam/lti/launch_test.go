package lti_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/models"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
)

const claim = "https://purl.imsglobal.org/spec/lti/claim/"

func TestALaunchLeadsToTheExam(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	first := c.mustLaunch(ada)
	if first.User.Name != "Ada Byron" || first.User.Email != "" || len(first.User.Roles) != 1 || first.User.Roles[0].SystemKey != capability.Candidate ||
		first.User.OrgUnits[0].ID != c.scope.OrgUnit || first.StepUpProof != nil {
		t.Errorf("got %+v", first)
	}
	scope, err := c.authority.Authenticate(t.Context(), first.Token.Token)
	if err != nil {
		t.Fatal(err)
	}
	desk := session.NewDesk()
	err = c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
		s, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: c.evaluation, AssignmentID: &first.assignment})
		if err == nil {
			_, err = desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: c.evaluation, SessionID: s.ID})
		}
		return err
	})
	if err != nil {
		t.Errorf("the exam is not taken: %v", err)
	}
	// The projector takes up submissions that were handed in.
	c.write(func(tx *db.Tx) error {
		_, err := projection.ProjectBatch(t.Context(), tx, projection.BatchSize)
		return err
	})
	if n := c.count("select count(*) from lti_scores where tenant_id = $1 and user_id = $2 and state = 'due'", first.User.ID); n != 1 {
		t.Errorf("%d grades are due, want 1", n)
	}
	// Again it is the same person, course and exam; somebody else is another person in the same course.
	again, other := c.mustLaunch(ada), c.mustLaunch(bo)
	if again.User.ID != first.User.ID || again.assignment != first.assignment || other.User.ID == first.User.ID || other.assignment != first.assignment {
		t.Errorf("again: %+v, other: %+v", again, other)
	}
	for sql, n := range map[string]int{"select count(*) from user_accounts where tenant_id = $1 and source = 'lti'": 2, "select count(*) from lti_contexts where tenant_id = $1": 1,
		"select count(*) from lti_links where tenant_id = $1": 1, "select count(*) from groups where tenant_id = $1 and name = 'Biology'": 1,
		"select count(*) from group_members m join lti_contexts x on x.tenant_id = m.tenant_id and x.group_id = m.group_id where m.tenant_id = $1": 2} {
		if got := c.count(sql); got != n {
			t.Errorf("%s: %d, want %d", sql, got, n)
		}
	}
}

func TestAnActivityThatChangesHandsOutSomethingElse(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	first := c.mustLaunch(ada)
	var second ids.ID
	c.write(func(tx *db.Tx) error {
		second = sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		return nil
	})
	activity := c.exam()
	activity.Custom = map[string]any{"evaluation": second.String()}
	if other := c.arrive(c.open(ada, activity)); other.assignment == first.assignment {
		t.Error("it hands out the evaluation of before")
	}
	// The address of the activity names one as well.
	activity.Custom = nil
	c.lms.Token = func(m jwt.MapClaims) {
		m[claim+"target_link_uri"] = base + lti.LaunchPath + "?evaluation=" + second.String()
	}
	c.arrive(c.open(ada, activity))
	c.lms.Token = nil
	activity.Custom = map[string]any{"evaluation": second.String()}
	// Another course of the same title has a group of its own.
	activity.Course, activity.ID = "43", "8"
	c.arrive(c.open(ada, activity))
	if n := c.count("select count(distinct group_id) from lti_contexts where tenant_id = $1"); n != 2 {
		t.Errorf("%d groups, want 2", n)
	}
	// A group that somebody deleted is made again.
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update lti_contexts set group_id = gen_random_uuid() where tenant_id = $1", tx.Tenant())
		return err
	})
	c.arrive(c.open(ada, activity))
	for what, custom := range map[string]map[string]any{"nothing": nil, "no id": {"evaluation": "final"}, "nobody's": {"evaluation": ids.New().String()}, "a number": {"evaluation": 7}} {
		t.Log(what)
		activity.ID, activity.Custom = "9", custom
		_, err := c.open(ada, activity)
		want(t, err, errs.LTILaunchRefused, "no_link")
	}
}

func TestTokensThatDoNotHoldLaunchNothing(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	for name, wrong := range map[string]struct {
		token  func(jwt.MapClaims)
		reason string
	}{
		"of another issuer":         {func(m jwt.MapClaims) { m["iss"] = "https://evil.example" }, "issuer"},
		"without an issuer":         {func(m jwt.MapClaims) { delete(m, "iss") }, "issuer"},
		"for another client":        {func(m jwt.MapClaims) { m["aud"] = "other" }, "audience"},
		"for nobody":                {func(m jwt.MapClaims) { delete(m, "aud") }, "audience"},
		"for two, and nobody named": {func(m jwt.MapClaims) { m["aud"] = []string{lms.ClientID, "other"} }, "audience"},
		"for two, another named":    {func(m jwt.MapClaims) { m["aud"], m["azp"] = []string{lms.ClientID, "other"}, "other" }, "audience"},
		"of another party":          {func(m jwt.MapClaims) { m["azp"] = "other" }, "audience"},
		"of another launch":         {func(m jwt.MapClaims) { m["nonce"] = "another" }, "nonce"},
		"without a nonce":           {func(m jwt.MapClaims) { delete(m, "nonce") }, "nonce"},
		"expired":                   {func(m jwt.MapClaims) { m["exp"] = time.Now().Add(-time.Minute).Unix() }, "expired"},
		"without an end":            {func(m jwt.MapClaims) { delete(m, "exp") }, "expired"},
		"of long ago":               {func(m jwt.MapClaims) { m["iat"] = time.Now().Add(-time.Hour).Unix() }, "expired"},
		"of the future":             {func(m jwt.MapClaims) { m["iat"] = time.Now().Add(time.Hour).Unix() }, "expired"},
		"without a beginning":       {func(m jwt.MapClaims) { delete(m, "iat") }, "expired"},
		"of LTI 1.1":                {func(m jwt.MapClaims) { m[claim+"version"] = "LTI-1p0" }, "version"},
		"without a version":         {func(m jwt.MapClaims) { delete(m, claim+"version") }, "version"},
		"with another message":      {func(m jwt.MapClaims) { m[claim+"message_type"] = "LtiSubmissionReviewRequest" }, "message_type"},
		"without a message":         {func(m jwt.MapClaims) { delete(m, claim+"message_type") }, "message_type"},
		"without roles":             {func(m jwt.MapClaims) { delete(m, claim+"roles") }, "message_type"},
		"with no list of roles":     {func(m jwt.MapClaims) { m[claim+"roles"] = nil }, "message_type"},
		"of another form":           {func(m jwt.MapClaims) { m[claim+"roles"] = "Learner" }, "message_type"},
		"for another service":       {func(m jwt.MapClaims) { m[claim+"target_link_uri"] = "https://evil.example/" }, "target"},
		"for one of a like name":    {func(m jwt.MapClaims) { m[claim+"target_link_uri"] = base + ".evil.example/" }, "target"},
		"without a target":          {func(m jwt.MapClaims) { delete(m, claim+"target_link_uri") }, "target"},
		"of nobody":                 {func(m jwt.MapClaims) { delete(m, "sub") }, "anonymous"},
		"of somebody endless":       {func(m jwt.MapClaims) { m["sub"] = strings.Repeat("x", 256) }, "anonymous"},
		"without a deployment":      {func(m jwt.MapClaims) { delete(m, claim+"deployment_id") }, "unknown_deployment"},
		"of another deployment":     {func(m jwt.MapClaims) { m[claim+"deployment_id"] = "2" }, "unknown_deployment"},
		"with an empty deployment":  {func(m jwt.MapClaims) { m[claim+"deployment_id"] = "" }, "unknown_deployment"},
		"of an activity without id": {func(m jwt.MapClaims) { m[claim+"resource_link"] = map[string]string{"title": "x"} }, "no_link"},
		"of an endless activity":    {func(m jwt.MapClaims) { m[claim+"resource_link"] = map[string]string{"id": strings.Repeat("x", 256)} }, "no_link"},
		"without an activity":       {func(m jwt.MapClaims) { delete(m, claim+"resource_link") }, "no_link"},
		"without a course":          {func(m jwt.MapClaims) { delete(m, claim+"context") }, "no_link"},
	} {
		t.Log(name)
		c.lms.Token = wrong.token
		_, err := c.launch(ada)
		want(t, err, errs.LTILaunchRefused, wrong.reason)
	}
	c.lms.Token = nil
	other := lms.Start(t)
	for name, sign := range map[string]func(jwt.MapClaims) string{
		"algorithm none": func(m jwt.MapClaims) string {
			s, _ := jwt.NewWithClaims(jwt.SigningMethodNone, m).SignedString(jwt.UnsafeAllowNoneSignatureType)
			return s
		},
		"a shared secret": func(m jwt.MapClaims) string {
			s, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, m).SignedString([]byte(lms.ClientID))
			return s
		},
		"another's key":                other.Signed,
		"another's key under our name": func(m jwt.MapClaims) string { return other.SignedAs(m, c.lms.KeyID()) },
		"no name of the key":           func(m jwt.MapClaims) string { return c.lms.SignedAs(m, "") },
		"an unknown name of the key":   func(m jwt.MapClaims) string { return c.lms.SignedAs(m, "other") },
		"the public key as a secret":   func(m jwt.MapClaims) string { return c.lms.SignedWithPublic(m) },
		"no JSON within":               func(jwt.MapClaims) string { return c.lms.SignedText("not JSON") },
		"changed":                      func(m jwt.MapClaims) string { return c.lms.Signed(m)[:200] + "x" + c.lms.Signed(m)[201:] },
		"no token":                     func(jwt.MapClaims) string { return "" },
	} {
		t.Log(name)
		c.lms.Sign = sign
		_, err := c.launch(ada)
		want(t, err, errs.LTILaunchRefused, "signature")
	}
	if n := c.count("select count(*) from user_accounts where tenant_id = $1"); n != 0 {
		t.Errorf("%d accounts came of it", n)
	}
	c.lms.Sign = nil
	c.mustLaunch(ada)
	// Keys are followed when they rotate; keys that cannot be read are no fault of the token.
	c.lms.Rotate(t)
	c.mustLaunch(ada)
	c.lms.Rotate(t)
	c.lms.Break("/keys", 500)
	_, err := c.launch(ada)
	want(t, err, errs.LTIPlatformUnavailable, "its keys cannot be read")
}

func TestALaunchIsOfItsBrowserAndOnce(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	mine, another := rand.Text(), rand.Text()
	form := c.begin(mine, ada, c.exam())
	for _, browser := range []string{another, ""} {
		_, err := c.back(form, browser)
		want(t, err, errs.LTILaunchRefused, "state")
	}
	// That used nothing up.
	c.arrive(c.back(form, mine))
	_, err := c.back(form, mine)
	want(t, err, errs.LTILaunchRefused, "state")
	for _, state := range []string{"", "x", access.NewToken(c.scope.Tenant), access.NewToken(ids.New())} {
		form = c.begin(mine, ada, c.exam())
		form.Set("state", state)
		_, err = c.back(form, mine)
		want(t, err, errs.LTILaunchRefused, "state")
	}
	// A token of one launch is not taken for another's.
	form, other := c.begin(mine, ada, c.exam()), c.begin(mine, bo, c.exam())
	form.Set("id_token", other.Get("id_token"))
	_, err = c.back(form, mine)
	want(t, err, errs.LTILaunchRefused, "nonce")
	form = c.begin(mine, ada, c.exam())
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update lti_flows set expires_at = now() - interval '1 second' where tenant_id = $1", tx.Tenant())
		return err
	})
	_, err = c.back(form, mine)
	want(t, err, errs.LTILaunchRefused, "state")
	form = c.begin(mine, ada, c.exam())
	form.Set("error", "login_required")
	_, err = c.back(form, mine)
	want(t, err, errs.LTILaunchRefused, "denied")
	// A launch begun at a platform that is disabled meanwhile leads nowhere.
	form = c.begin(mine, ada, c.exam())
	c.write(func(tx *db.Tx) error {
		_, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Status: new(models.ProviderDisabled)})
		return err
	})
	_, err = c.back(form, mine)
	want(t, err, errs.LTILaunchRefused, "state")
	_, err = c.login(mine)
	want(t, err, errs.LTILaunchRefused, "unknown_platform")
}

func TestAPlatformIsKnownByTenantIssuerAndClient(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	// Hosted platforms share an issuer; the second client has deployments of its own.
	c.add(func(input *lti.PlatformInput) { input.ClientID = "tool-2" })
	c.mustLaunch(ada)
	for name, input := range map[string]lti.LoginInput{
		"no client, of two": {Tenant: c.tenant, Issuer: c.lms.URL, LoginHint: "h"},
		"another client":    {Tenant: c.tenant, Issuer: c.lms.URL, ClientID: "tool-3", LoginHint: "h"},
		"no issuer":         {Tenant: c.tenant, ClientID: lms.ClientID, LoginHint: "h"},
		"another issuer":    {Tenant: c.tenant, Issuer: "https://evil.example", ClientID: lms.ClientID, LoginHint: "h"},
		"another tenant":    {Tenant: "nobody", Issuer: c.lms.URL, ClientID: lms.ClientID, LoginHint: "h"},
		"no hint":           {Tenant: c.tenant, Issuer: c.lms.URL, ClientID: lms.ClientID},
		"a hint endless":    {Tenant: c.tenant, Issuer: c.lms.URL, ClientID: lms.ClientID, LoginHint: strings.Repeat("x", 5000)},
	} {
		t.Log(name)
		_, err := c.desk.Login(t.Context(), input, rand.Text(), "192.0.2.1")
		want(t, err, errs.LTILaunchRefused, "unknown_platform")
	}
	err := c.store.Write(t.Context(), c.scope, func(tx *db.Tx) error {
		_, err := lti.CreatePlatform(t.Context(), tx, c.input())
		return err
	})
	want(t, err, errs.DuplicatePlatform, "")
	// The same platform may serve another tenant; a launch there belongs to nobody here.
	other := newCampus(t)
	other.lms, other.desk = c.lms, lti.NewDesk(other.store, other.authority, c.lms.Client(), base)
	other.write(func(tx *db.Tx) error {
		_, err := lti.CreatePlatform(t.Context(), tx, c.input())
		return err
	})
	_, err = other.launch(ada)
	want(t, err, errs.LTILaunchRefused, "unknown_deployment")
}

func TestWhoComesAndWhatTheyGet(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	var author people.RoleRef
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select id from roles where tenant_id = $1 and system_key = 'author'", tx.Tenant()).Scan(&author.ID)
	})
	c.allow()
	// Somebody who teaches gets nothing by that, and is no learner of the course.
	if got := c.mustLaunch(teach); len(got.User.Roles) != 1 || got.User.Roles[0].SystemKey != capability.Candidate {
		t.Errorf("got %+v", got.User)
	}
	if n := c.count("select count(*) from group_members where tenant_id = $1"); n != 0 {
		t.Errorf("%d members, want none", n)
	}
	c.write(func(tx *db.Tx) error {
		_, err := lti.UpdatePlatform(t.Context(), tx, c.platform.ID, lti.PlatformPatch{Roles: &[]models.LTIRole{{Role: "Instructor", RoleID: author.ID}}})
		return err
	})
	for name, role := range map[string]struct {
		given string
		roles int
	}{
		"in full": {lms.Instructor, 2}, "in short": {"Instructor", 2},
		"an assistant is none":         {"http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant", 1},
		"one of the institution only":  {"http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor", 1},
		"one of the whole system only": {"http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator", 1},
	} {
		t.Log(name)
		if got := c.mustLaunch(lms.Person{Subject: name, Roles: []string{role.given}}); len(got.User.Roles) != role.roles || got.User.Name != "Somebody of Moodle" {
			t.Errorf("got %+v", got.User)
		}
	}
	// Somebody who was here before the mapping keeps their roles.
	if got := c.mustLaunch(teach); len(got.User.Roles) != 1 {
		t.Errorf("got %+v", got.User)
	}
	c.mustLaunch(lms.Person{Subject: "test", Roles: []string{lms.Learner, lms.TestUser}})
	if n := c.count("select count(*) from user_accounts where tenant_id = $1 and test"); n != 1 {
		t.Errorf("%d accounts for trying things out, want 1", n)
	}
}

func TestPeopleAreLinkedOrKeptOut(t *testing.T) {
	t.Parallel()
	c := newCampus(t, func(input *lti.PlatformInput) { input.Identity = lti.IdentityLink }).allow()
	_, err := c.launch(ada)
	want(t, err, errs.AccountLinkNeeded, "")
	if errs.Of(err).Details["subject"] != "ada" {
		t.Errorf("got %+v", errs.Of(err).Details)
	}
	link := func(user ids.ID, subject string) {
		t.Helper()
		c.write(func(tx *db.Tx) error {
			a, err := people.LinkAccount(t.Context(), tx, user, people.AccountInput{Platform: &c.platform.ID, Subject: subject})
			if a.SourceName != "Moodle" {
				t.Errorf("got %+v", a)
			}
			return err
		})
	}
	var here, mighty, gone people.User
	var south people.OrgUnit
	c.write(func(tx *db.Tx) error {
		here, gone = sample.User(t, tx, capability.Candidate), sample.User(t, tx, capability.Candidate)
		south = sample.OrgUnit(t, tx, "south-"+strings.ToLower(rand.Text()))
		return nil
	})
	elsewhere := c.scope
	elsewhere.OrgUnit = south.ID
	sample.Write(t, c.store, elsewhere, func(tx *db.Tx) error {
		var err error
		mighty, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: "mighty@example.org", OrgUnits: []string{south.ID.String()}, Roles: []string{capability.Author}})
		return err
	})
	link(here.ID, "ada")
	if got := c.mustLaunch(ada); got.User.ID != here.ID {
		t.Errorf("got %+v", got.User)
	}
	// Roles hold wherever somebody belongs, so a launch carries nobody with roles into another org unit.
	link(mighty.ID, "bo")
	_, err = c.launch(bo)
	want(t, err, errs.LTILaunchRefused, "org_unit")
	link(gone.ID, "gone")
	c.write(func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, gone.ID)
		return err
	})
	_, err = c.launch(lms.Person{Subject: "gone", Roles: []string{lms.Learner}})
	want(t, err, errs.SignInRefused, "deactivated")
	c.write(func(tx *db.Tx) error {
		all, err := people.ListAccounts(t.Context(), tx, here.ID, db.Page{})
		if err != nil || len(all.Items) != 1 || all.Items[0].SourceName != "Moodle" || all.Items[0].Source != people.FromLTI {
			t.Errorf("got %+v, %v", all.Items, err)
		}
		return nil
	})
}
