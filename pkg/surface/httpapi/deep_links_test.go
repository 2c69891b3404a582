package httpapi_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assess/models"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// teaches lets the deployment in, and teachers of its courses hand out exams.
func (c *course) teaches() {
	c.Helper()
	c.launch(http.MethodPost) // writes the deployment down
	sample.Write(c.T, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		all, err := lti.ListDeployments(c.Context(), tx, lti.DeploymentFilter{})
		if err == nil {
			_, err = lti.AllowDeployment(c.Context(), tx, all.Items[0].ID, lti.AllowInput{OrgUnitID: c.app.OrgUnit})
		}
		var role people.Role
		if err == nil {
			role, err = people.CreateRole(c.Context(), tx, people.RoleInput{Name: "Teacher", Capabilities: []capability.Capability{capability.AssignmentsCreate, capability.EvaluationsRead}})
		}
		if err == nil {
			_, err = lti.UpdatePlatform(c.Context(), tx, all.Items[0].PlatformID, lti.PlatformPatch{Roles: &[]models.LTIRole{{Role: "Instructor", RoleID: role.ID}}})
		}
		return err
	})
}

// picks goes to the page where a teacher picks, in a frame of the platform.
func (c *course) picks() (*http.Response, string) {
	c.Helper()
	with := c.login()
	with.Set("target_link_uri", ltiBase+lti.DeepLinksPath)
	res, text := c.open(http.MethodPost, c.app.URL+lti.LoginPath+c.tenant, with, "iframe")
	if res.StatusCode != http.StatusSeeOther {
		c.Fatalf("got %d %s", res.StatusCode, text)
	}
	form := c.lms.Authorize(c.T, res.Header.Get("Location"), lms.Person{Subject: "thea", Name: "Thea", Roles: []string{lms.Instructor}},
		lms.Activity{Course: "42", CourseTitle: "Biology <1>", Picks: c.lms.Picks()})
	return c.open(http.MethodPost, c.app.URL+lti.LaunchPath, form, "iframe")
}

// field gives the value that a page has after a mark.
func field(t *testing.T, text, mark string) string {
	t.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(mark) + `"([^"]*)"`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s in %s", mark, text)
	}
	return html.UnescapeString(found[1])
}

func TestATeacherPicksInAFrame(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.teaches()
	res, text := c.picks()
	policy := res.Header.Get("Content-Security-Policy")
	if res.StatusCode != 200 || !strings.Contains(text, "Biology &lt;1&gt;") || !strings.Contains(text, c.evaluation.String()) || strings.Contains(res.Header.Get("Set-Cookie"), "__Host-assess=") ||
		!strings.Contains(policy, "frame-ancestors 'self' "+c.lms.URL) || !strings.Contains(policy, "form-action 'self';") {
		t.Fatalf("got %d %v %s", res.StatusCode, res.Header, text)
	}
	at, proof := c.app.URL+field(t, text, "action="), field(t, text, `name="proof" value=`)
	post := func(form url.Values) (*http.Response, string) {
		t.Helper()
		form.Set("proof", proof)
		return c.open(http.MethodPost, at, form, "iframe")
	}
	res, text = c.open(http.MethodGet, at, nil, "iframe")
	if res.StatusCode != 200 || field(t, text, `name="proof" value=`) != proof {
		t.Errorf("loaded again: got %d %s", res.StatusCode, text)
	}
	res, text = post(url.Values{"q": {"nothing of this"}})
	if res.StatusCode != 200 || !strings.Contains(text, "No published exam of your org unit has these words") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	for name, wrong := range map[string]url.Values{"nothing chosen": {"do": {"choose"}}, "nobody's": {"do": {"choose"}, "evaluation": {ids.New().String()}}} {
		res, text = post(wrong)
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, `role="alert"`) || !strings.Contains(text, c.evaluation.String()) {
			t.Errorf("%s: got %d %s", name, res.StatusCode, text)
		}
	}
	// Another browser that has the address sees and chooses nothing.
	mine := c.browser.Jar
	c.browser.Jar = nil
	res, _ = c.open(http.MethodGet, at, nil, "document")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("another browser: got %d", res.StatusCode)
	}
	res, _ = c.open(http.MethodPost, at, url.Values{"do": {"choose"}, "evaluation": {c.evaluation.String()}}, "document")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("another browser: got %d", res.StatusCode)
	}
	// The forms need no cookie, which a frame may not keep.
	res, text = post(url.Values{"do": {"choose"}, "evaluation": {c.evaluation.String()}})
	c.browser.Jar = mine
	if res.StatusCode != 200 || !strings.Contains(res.Header.Get("Content-Security-Policy"), "form-action "+c.lms.URL) || field(t, text, "action=") != c.lms.URL+"/return" {
		t.Fatalf("got %d %v %s", res.StatusCode, res.Header, text)
	}
	items, err := c.lms.TakeAnswer(field(t, text, `name="JWT" value=`), c.lms.Picks())
	if err != nil || len(items) != 1 || items[0].URL != ltiBase+lti.LaunchPath {
		t.Errorf("got %+v, %v", items, err)
	}
	res, text = post(url.Values{})
	if res.StatusCode != http.StatusForbidden || !strings.Contains(text, "This choice is over") {
		t.Errorf("after it: got %d %s", res.StatusCode, text)
	}
}
