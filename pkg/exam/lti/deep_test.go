package lti_test

import (
	"crypto/rand"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

const dl = "https://purl.imsglobal.org/spec/lti-dl/claim/"

// hands lets teachers of the platform's courses hand out exams.
func (c *campus) hands() *campus {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		role, err := people.CreateRole(c.Context(), tx, people.RoleInput{Name: "Teacher " + rand.Text(), Capabilities: []capability.Capability{capability.AssignmentsCreate, capability.EvaluationsRead}})
		if err != nil {
			return err
		}
		_, err = lti.UpdatePlatform(c.Context(), tx, c.platform.ID, lti.PlatformPatch{Roles: &[]models.LTIRole{{Role: "Instructor", RoleID: role.ID}}})
		return err
	})
	return c
}

// picks launches somebody to pick, with changes of the platform's settings.
func (c *campus) picks(who lms.Person, changes map[string]any) (lti.PickInput, error) {
	c.Helper()
	settings := c.lms.Picks()
	maps.Copy(settings, changes)
	browser := rand.Text() + rand.Text()
	to, err := c.back(c.begin(browser, who, lms.Activity{Course: "42", CourseTitle: "Biology", Picks: settings}), browser)
	if err != nil {
		return lti.PickInput{}, err
	}
	flow, ok := strings.CutPrefix(to, lti.DeepLinksPath+"/")
	if !ok {
		c.Fatalf("it leads to %s", to)
	}
	return lti.PickInput{Flow: flow, Proof: lti.ProofOf(flow, browser), Page: 1}, nil
}

func (c *campus) mustPick(who lms.Person, changes map[string]any) lti.PickInput {
	c.Helper()
	input, err := c.picks(who, changes)
	if err != nil {
		c.Fatal(err)
	}
	return input
}

func (c *campus) published(title string) (id ids.ID) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		input := sample.EvaluationInput(sample.Question(c.T, tx, "A").ID)
		input.Title = title
		made, err := authoring.CreateEvaluation(c.Context(), tx, input)
		if err == nil {
			made, err = authoring.PublishEvaluation(c.Context(), tx, made.ID)
		}
		id = made.ID
		return err
	})
	return id
}

func TestATeacherPicksWhatAnActivityHandsOut(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow().hands()
	other := c.published("Zoology")
	input := c.mustPick(teach, nil)
	shown, err := c.desk.Pick(t.Context(), input)
	if err != nil || len(shown.Items) != 2 || shown.Platform != "Moodle" || shown.Course != "Biology" || !shown.Multiple || shown.Pages != 1 || shown.Frames[0] != c.lms.URL {
		t.Fatalf("got %+v, %v", shown, err)
	}
	found, err := c.desk.Pick(t.Context(), lti.PickInput{Flow: input.Flow, Proof: input.Proof, Search: "zool"})
	if err != nil || len(found.Items) != 1 || found.Items[0].ID != other {
		t.Errorf("got %+v, %v", found, err)
	}
	answer, err := c.desk.Choose(t.Context(), input, []string{other.String(), c.evaluation.String(), other.String()})
	if err != nil || answer.ReturnURL != c.lms.URL+"/return" {
		t.Fatalf("got %+v, %v", answer, err)
	}
	items, err := c.lms.TakeAnswer(answer.JWT, c.lms.Picks())
	if err != nil || len(items) != 2 {
		t.Fatalf("got %+v, %v", items, err)
	}
	item := items[0]
	if item.URL != base+lti.LaunchPath || item.Title != "Zoology" || item.Custom["evaluation"] != other.String() || item.LineItem == nil || item.LineItem.ScoreMaximum != 100 ||
		item.LineItem.ResourceID != other.String() || item.LineItem.Tag != "exam" || item.Window == nil {
		t.Errorf("got %+v", item)
	}
	// The first launch of such a link hands it out; several at once hand it out once.
	var all sync.WaitGroup
	for _, who := range []lms.Person{ada, bo, ada, bo} {
		all.Go(func() {
			_, err := c.open(who, lms.Activity{ID: "70", Title: item.Title, Course: "42", CourseTitle: "Biology", Custom: item.Custom})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := c.count("select count(*) from assignments where tenant_id = $1 and evaluation_id = $2", other); n != 1 {
		t.Errorf("%d assignments, want 1", n)
	}
	if n := c.count("select count(*) from lti_deep_links where tenant_id = $1 and chosen = $2", []ids.ID{other, c.evaluation}); n != 1 {
		t.Errorf("%d picks were noted, want 1", n)
	}
}

func TestAPickIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow().hands()
	other := c.published("Zoology")
	input := c.mustPick(teach, nil)
	one := []string{c.evaluation.String()}
	// A double click gives the same answer twice, and the platform takes one of them.
	var all sync.WaitGroup
	answers := make([]lti.Picked, 2)
	for i := range answers {
		all.Go(func() {
			var err error
			answers[i], err = c.desk.Choose(t.Context(), input, one)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, err := c.lms.TakeAnswer(answers[0].JWT, c.lms.Picks())
	_, again := c.lms.TakeAnswer(answers[1].JWT, c.lms.Picks())
	if err != nil || again == nil {
		t.Errorf("got %v, and again %v", err, again)
	}
	_, err = c.desk.Choose(t.Context(), input, []string{other.String()})
	want(t, err, errs.LTILaunchRefused, "state")
	_, err = c.desk.Pick(t.Context(), input)
	want(t, err, errs.LTILaunchRefused, "state")
}

func TestAPickBelongsToItsBrowserPersonAndTime(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow().hands()
	input := c.mustPick(teach, nil)
	one := []string{c.evaluation.String()}
	for name, wrong := range map[string]lti.PickInput{
		"another browser": {Flow: input.Flow, Proof: lti.ProofOf(input.Flow, rand.Text())}, "no proof": {Flow: input.Flow},
		"another pick": {Flow: c.mustPick(teach, nil).Flow, Proof: input.Proof}, "no pick": {Flow: "x", Proof: input.Proof}, "nobody's": {Flow: input.Flow + "x", Proof: input.Proof},
	} {
		t.Log(name)
		_, err := c.desk.Pick(t.Context(), wrong)
		want(t, err, errs.LTILaunchRefused, "state")
		_, err = c.desk.Choose(t.Context(), wrong, one)
		want(t, err, errs.LTILaunchRefused, "state")
	}
	change := func(sql string) {
		t.Helper()
		c.write(func(tx *db.Tx) error {
			err := tx.AnnounceAccess(t.Context())
			if err == nil {
				_, err = tx.Exec(t.Context(), sql, tx.Tenant())
			}
			return err
		})
	}
	for _, s := range []struct{ name, sql, back string }{
		{"expired", "update lti_deep_links set expires_at = now() - interval '1 minute' where tenant_id = $1", "update lti_deep_links set expires_at = now() + interval '1 hour' where tenant_id = $1"},
		{"blocked", "update lti_deployments set status = 'blocked' where tenant_id = $1", "update lti_deployments set status = 'allowed' where tenant_id = $1"},
		{"disabled", "update lti_platforms set status = 'disabled' where tenant_id = $1", "update lti_platforms set status = 'active' where tenant_id = $1"},
	} {
		t.Log(s.name)
		change(s.sql)
		_, err := c.desk.Choose(t.Context(), input, one)
		want(t, err, errs.LTILaunchRefused, "state")
		change(s.back)
	}
	_, err := c.desk.Pick(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	// The person's rights are checked at each step.
	change("delete from user_roles g using roles r where g.tenant_id = $1 and r.tenant_id = $1 and r.id = g.role_id and r.name like 'Teacher %'")
	_, err = c.desk.Choose(t.Context(), input, one)
	want(t, err, errs.LTILaunchRefused, "not_allowed")
	change("update users set status = 'deactivated' where tenant_id = $1 and name = 'Thea Cher'")
	_, err = c.desk.Choose(t.Context(), input, one)
	want(t, err, errs.SignInRefused, "")
}

func TestOnlyPublishedEvaluationsOfTheOrgUnitArePicked(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow().hands()
	var draft, archived, souths ids.ID
	var south people.OrgUnit
	c.write(func(tx *db.Tx) error {
		south = sample.OrgUnit(t, tx, "south-"+strings.ToLower(rand.Text()))
		made, err := authoring.CreateEvaluation(t.Context(), tx, authoring.EvaluationInput{Title: "Draft"})
		draft = made.ID
		return err
	})
	archived = c.published("Archived")
	elsewhere := c.scope
	elsewhere.OrgUnit = south.ID
	sample.Write(t, c.store, elsewhere, func(tx *db.Tx) error {
		souths = sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		return nil
	})
	other := newCampus(t)
	late := c.published("Archived later")
	input := c.mustPick(teach, nil)
	archive := func(id ids.ID) {
		t.Helper()
		c.write(func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update evaluations set status = 'archived' where tenant_id = $1 and id = $2", tx.Tenant(), id)
			return err
		})
	}
	archive(archived)
	shown, err := c.desk.Pick(t.Context(), input)
	if err != nil || len(shown.Items) != 2 {
		t.Errorf("got %+v, %v", shown, err)
	}
	for name, chosen := range map[string][]string{"a draft": {draft.String()}, "an archived one": {archived.String()}, "another org unit's": {souths.String()},
		"another tenant's": {other.evaluation.String()}, "nobody's": {ids.New().String()}, "no id": {"final"}, "none": nil, "one good, one bad": {c.evaluation.String(), souths.String()}} {
		t.Log(name)
		_, err := c.desk.Choose(t.Context(), input, chosen)
		want(t, err, errs.ValidationFailed, "")
	}
	_, err = c.desk.Choose(t.Context(), input, []string{late.String()})
	if err != nil {
		t.Error(err)
	}
	// An evaluation that goes before the first launch is handed out to nobody, nor is anything that a teacher
	// types into the link by hand.
	archive(late)
	for name, id := range map[string]ids.ID{"archived since": late, "another org unit's": souths, "another tenant's": other.evaluation, "a draft": draft} {
		t.Log(name)
		_, err = c.open(ada, lms.Activity{ID: name, Course: "42", CourseTitle: "Biology", Custom: map[string]any{"evaluation": id.String()}})
		want(t, err, errs.LTILaunchRefused, "no_link")
	}
}

func TestWhoMayPickAndWhatThePlatformTakes(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	users := func() int { return c.count("select count(*) from users where tenant_id = $1") }
	before := users()
	_, err := c.picks(teach, nil)
	want(t, err, errs.LTILaunchRefused, "not_allowed")
	if users() != before {
		t.Error("a refused launch makes a user")
	}
	c.hands()
	_, err = c.picks(ada, nil)
	want(t, err, errs.LTILaunchRefused, "not_allowed")
	for name, s := range map[string]struct {
		change map[string]any
		reason string
	}{
		"no return address":           {map[string]any{"deep_link_return_url": nil}, "return_url"},
		"an address that is none":     {map[string]any{"deep_link_return_url": "javascript:alert(1)"}, "return_url"},
		"an address without HTTPS":    {map[string]any{"deep_link_return_url": "http://moodle.example.org/"}, "return_url"},
		"a host that ends a policy":   {map[string]any{"deep_link_return_url": "https://x;script-src/"}, "return_url"},
		"an address endless":          {map[string]any{"deep_link_return_url": "https://x.example/" + strings.Repeat("x", 2000)}, "return_url"},
		"files only":                  {map[string]any{"accept_types": []string{"file", "link"}}, "accept_types"},
		"nothing":                     {map[string]any{"accept_types": nil}, "accept_types"},
		"data without end":            {map[string]any{"data": strings.Repeat("x", 20_000)}, "message_type"},
		"data that are no text":       {map[string]any{"data": map[string]any{}}, "message_type"},
		"a word for whether it takes": {map[string]any{"accept_multiple": "yes"}, "message_type"},
	} {
		t.Log(name)
		_, err := c.picks(teach, s.change)
		want(t, err, errs.LTILaunchRefused, s.reason)
	}
	c.lms.Token = func(m jwt.MapClaims) { delete(m, dl+"deep_linking_settings") }
	_, err = c.picks(teach, nil)
	want(t, err, errs.LTILaunchRefused, "return_url")
	c.lms.Token = func(m jwt.MapClaims) { m[claim+"message_type"] = "LtiDeepLinkingResponse" }
	_, err = c.picks(teach, nil)
	want(t, err, errs.LTILaunchRefused, "message_type")
	c.lms.Token = nil
	// One at a time, without a place for grades, without a window, without data: as the platform says.
	settings := map[string]any{"accept_multiple": false, "accept_lineitem": false, "accept_presentation_document_targets": []string{"iframe"}, "data": nil}
	input := c.mustPick(teach, settings)
	other := c.published("Zoology")
	_, err = c.desk.Choose(t.Context(), input, []string{c.evaluation.String(), other.String()})
	want(t, err, errs.ValidationFailed, "")
	answer, err := c.desk.Choose(t.Context(), input, []string{other.String()})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(settings, map[string]any{"accept_types": []string{"ltiResourceLink"}})
	items, err := c.lms.TakeAnswer(answer.JWT, settings)
	if err != nil || len(items) != 1 || items[0].LineItem != nil || items[0].Window != nil {
		t.Errorf("got %+v, %v", items, err)
	}
}

func TestAnExamIsNotOpenedInAFrame(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	browser := rand.Text()
	form := c.begin(browser, ada, c.exam())
	_, err := c.desk.Launch(t.Context(), lti.Returned{State: form.Get("state"), Token: form.Get("id_token"), Framed: true}, browser, "192.0.2.1")
	want(t, err, errs.LTILaunchRefused, "frame")
}
