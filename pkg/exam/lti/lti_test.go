package lti_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

const (
	app  = "https://app.example.org/start"
	base = "https://assess.example.org"
)

// campus is a tenant that a learning platform launches exams of.
type campus struct {
	*testing.T
	store      *db.Store
	scope      db.Scope
	authority  *access.Authority
	lms        *lms.Platform
	desk       *lti.Desk
	platform   lti.Platform
	tenant     string
	evaluation ids.ID
	snapshot   authoring.Snapshot
}

// newCampus has a platform whose deployment is allowed, and a published evaluation.
func newCampus(t *testing.T, changes ...func(*lti.PlatformInput)) *campus {
	t.Helper()
	return campusIn(t, sample.Store(t), changes...)
}

func campusIn(t *testing.T, store *db.Store, changes ...func(*lti.PlatformInput)) *campus {
	t.Helper()
	c := &campus{T: t, store: store, lms: lms.Start(t)}
	c.scope = sample.Tenant(t, c.store)
	options := sample.Auth()
	options.AppURL = app
	c.authority = access.NewAuthority(c.store, options)
	c.desk = lti.NewDesk(c.store, c.authority, c.lms.Client(), base)
	c.lms.Tool = c.keys
	c.write(func(tx *db.Tx) error {
		c.snapshot = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
		c.evaluation = c.snapshot.EvaluationID
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&c.tenant)
	})
	c.platform = c.add(changes...)
	return c
}

func (c *campus) input() lti.PlatformInput {
	return lti.PlatformInput{Name: "Moodle", Issuer: c.lms.URL, ClientID: lms.ClientID, AuthURL: c.lms.URL + "/authorize", TokenURL: c.lms.URL + "/token", KeysURL: c.lms.URL + "/keys"}
}

func (c *campus) add(changes ...func(*lti.PlatformInput)) lti.Platform {
	c.Helper()
	input := c.input()
	for _, change := range changes {
		change(&input)
	}
	var made lti.Platform
	c.write(func(tx *db.Tx) error {
		var err error
		made, err = lti.CreatePlatform(c.Context(), tx, input)
		return err
	})
	return made
}

func (c *campus) keys() []json.RawMessage {
	keys, err := c.desk.Keys(c.Context(), c.tenant)
	if err != nil {
		c.Error(err)
	}
	return keys.Keys
}

func (c *campus) write(fn func(*db.Tx) error) {
	c.Helper()
	sample.Write(c.T, c.store, c.scope, fn)
}

// allow lets the deployment in, which a first launch has written down.
func (c *campus) allow() *campus {
	c.Helper()
	_, err := c.launch(ada)
	want(c.T, err, errs.LTILaunchRefused, "unknown_deployment")
	c.write(func(tx *db.Tx) error {
		all, err := lti.ListDeployments(c.Context(), tx, lti.DeploymentFilter{Status: models.DeploymentPending})
		if err != nil || len(all.Items) != 1 || all.Items[0].DeploymentID != lms.Deployment {
			c.Fatalf("the deployments are %+v, %v", all.Items, err)
		}
		_, err = lti.AllowDeployment(c.Context(), tx, all.Items[0].ID, lti.AllowInput{OrgUnitID: c.scope.OrgUnit})
		return err
	})
	return c
}

var (
	ada   = lms.Person{Subject: "ada", Name: "Ada Byron", Roles: []string{lms.Learner}}
	bo    = lms.Person{Subject: "bo", Name: "Bo Frost", Roles: []string{lms.Learner}}
	teach = lms.Person{Subject: "teach", Name: "Thea Cher", Roles: []string{lms.Instructor}}
)

// exam is an activity that hands the evaluation out.
func (c *campus) exam() lms.Activity {
	return lms.Activity{ID: "7", Title: "Final exam", Course: "42", CourseTitle: "Biology", Custom: map[string]any{"evaluation": c.evaluation.String()}, LineItem: "final"}
}

func (c *campus) login(browser string) (string, error) {
	return c.desk.Login(c.Context(), lti.LoginInput{Tenant: c.tenant, Issuer: c.lms.URL, ClientID: lms.ClientID, LoginHint: "h", MessageHint: "m"}, browser, "192.0.2.1")
}

// begin sends a browser to the platform and takes it back.
func (c *campus) begin(browser string, who lms.Person, what lms.Activity) url.Values {
	c.Helper()
	to, err := c.login(browser)
	if err != nil {
		c.Fatal(err)
	}
	return c.lms.Authorize(c.T, to, who, what)
}

func (c *campus) back(form url.Values, browser string) (string, error) {
	return c.desk.Launch(c.Context(), lti.Returned{State: form.Get("state"), Token: form.Get("id_token"), Error: form.Get("error")}, browser, "192.0.2.1")
}

func (c *campus) launch(who lms.Person) (string, error) {
	c.Helper()
	return c.open(who, c.exam())
}

func (c *campus) open(who lms.Person, what lms.Activity) (string, error) {
	c.Helper()
	browser := rand.Text()
	return c.back(c.begin(browser, who, what), browser)
}

// arrived is somebody who was launched, and where to.
type arrived struct {
	access.Session
	assignment ids.ID
}

// mustLaunch goes the whole way to a token.
func (c *campus) mustLaunch(who lms.Person) arrived {
	c.Helper()
	return c.arrive(c.launch(who))
}

func (c *campus) arrive(to string, err error) arrived {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	fragment, ok := strings.CutPrefix(to, app+"#")
	q, _ := url.ParseQuery(fragment)
	assignment, err := ids.Parse("", q.Get("assignment"))
	if !ok || err != nil {
		c.Fatalf("it leads to %s", to)
	}
	s, err := c.authority.Trade(c.Context(), q.Get("code"), "")
	if err != nil {
		c.Fatal(err)
	}
	return arrived{s, assignment}
}

func (c *campus) count(sql string, args ...any) (n int) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(c.Context(), sql, append([]any{tx.Tenant()}, args...)...).Scan(&n)
	})
	return n
}

func want(t testing.TB, err error, code errs.Code, reason string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	if reason != "" && errs.Of(err).Details["reason"] != reason {
		t.Errorf("got the reason %v, want %s", errs.Of(err).Details["reason"], reason)
	}
}

func query(t testing.TB, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
