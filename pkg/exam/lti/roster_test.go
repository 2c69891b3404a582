package lti_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func learner(subject string) lms.Member {
	return lms.Member{UserID: subject, Name: "Name of " + subject, Email: subject + "@example.org", Roles: []string{lms.Learner}}
}

// seminar is a campus whose platform tells that a teacher and some learners are in a course.
func seminar(t *testing.T, members ...lms.Member) *campus {
	t.Helper()
	c := newCampus(t).allow()
	c.enrol(members...)
	return c
}

func (c *campus) enrol(members ...lms.Member) {
	c.lms.Enrol("42", append([]lms.Member{{UserID: "teach", Roles: []string{lms.Instructor}}}, members...)...)
}

// sync has the course read at once, and gives what became of it.
func (c *campus) sync() lti.Course {
	c.Helper()
	course := c.course()
	c.write(func(tx *db.Tx) error {
		_, err := lti.SyncCourse(c.Context(), tx, course.ID)
		return err
	})
	return c.round()
}

// round does what the job does.
func (c *campus) round() lti.Course {
	c.Helper()
	err := c.desk.SyncOf(c.Context(), c.scope.Tenant, c.course().ID)
	if err != nil {
		c.Error(err)
	}
	return c.course()
}

func (c *campus) course() lti.Course {
	c.Helper()
	var all db.List[lti.Course]
	c.write(func(tx *db.Tx) error {
		var err error
		all, err = lti.ListCourses(c.Context(), tx, db.Page{})
		return err
	})
	if len(all.Items) != 1 {
		c.Fatalf("the courses are %+v", all.Items)
	}
	return all.Items[0]
}

// inGroup gives the platform's names for the members of the course's group, in order.
func (c *campus) inGroup() string {
	c.Helper()
	var all []string
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(c.Context(), `select coalesce(array_agg(a.subject order by a.subject), '{}') from group_members m join user_accounts a on a.tenant_id = m.tenant_id and a.user_id = m.user_id
			where m.tenant_id = $1 and m.group_id = $2`, tx.Tenant(), c.course().GroupID).Scan(&all)
	})
	return strings.Join(all, " ")
}

func (c *campus) isInGroup(want string) {
	c.Helper()
	if got := c.inGroup(); got != want {
		c.Errorf("the group has %q, want %q", got, want)
	}
}

func TestTheGroupFollowsTheCourse(t *testing.T) {
	t.Parallel()
	var many []lms.Member
	for n := range 24 {
		many = append(many, learner(fmt.Sprintf("s%02d", n)))
	}
	c := seminar(t, append(many, lms.Member{UserID: "away", Status: "Inactive", Roles: []string{lms.Learner}}, lms.Member{UserID: "gone", Status: "Deleted", Roles: []string{lms.Learner}},
		lms.Member{UserID: "nobody", Roles: []string{"http://purl.imsglobal.org/vocab/lis/v2/membership#Observer"}}, lms.Member{Roles: []string{lms.Learner}})...)
	c.mustLaunch(ada)
	if got := c.course(); !got.TellsMembers || got.SyncedAt != nil || got.NextAt == nil {
		t.Errorf("got %+v", got)
	}
	if c.round(); c.lms.Read("42") != 0 {
		t.Error("a learner's launch has the members read")
	}
	c.mustLaunch(teach) // has them read
	if n := c.count("select count(*) from river.river_job where kind = 'sync_courses' and $1::uuid is not null"); n == 0 {
		t.Error("no job is queued")
	}
	course := c.round()
	if course.SyncedAt == nil || course.Problem != "" || c.lms.Read("42") != 3 {
		t.Errorf("got %+v after %d pages", course, c.lms.Read("42"))
	}
	want := "s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21 s22 s23"
	c.isInGroup(want) // ada is not in the course
	// Names come along, addresses do not, and nobody is a test user or may do more than a candidate.
	if n := c.count("select count(*) from users where tenant_id = $1 and name = 'Name of s07' and email is null"); n != 1 {
		t.Errorf("%d users of that name, want 1", n)
	}
	// A second time nothing changes; somebody who is gone leaves the group, and stays a user.
	events := func() int {
		return c.count("select count(*) from ledger_events where tenant_id = $1 and event_type like 'group.member_%'")
	}
	before := events()
	c.sync()
	if got := events(); got != before {
		t.Errorf("%d changes of members, want none", got-before)
	}
	users := c.count("select count(*) from users where tenant_id = $1")
	many[3].Status, many[5].Roles = "Inactive", []string{lms.Instructor}
	c.enrol(append(many[:20:20], learner("new"))...)
	c.sync()
	c.isInGroup("new s00 s01 s02 s04 s06 s07 s08 s09 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19")
	if got := c.count("select count(*) from users where tenant_id = $1"); got != users+1 {
		t.Errorf("%d users, want %d", got, users+1)
	}
	// Who launches is the user that the roster made.
	c.mustLaunch(lms.Person{Subject: "s03", Name: "Another", Roles: []string{lms.Learner}})
	if got := c.count("select count(*) from users where tenant_id = $1"); got != users+1 {
		t.Errorf("%d users, want %d", got, users+1)
	}
}

func TestWhoWasPutIntoAGroupByHandStays(t *testing.T) {
	t.Parallel()
	c := seminar(t, learner("ada"))
	c.mustLaunch(ada)
	var by people.User
	c.write(func(tx *db.Tx) error {
		by = sample.User(t, tx, capability.Candidate)
		_, err := people.AddMembers(t.Context(), tx, c.course().GroupID, people.MembersInput{UserIDs: []ids.ID{by.ID}})
		return err
	})
	test := c.mustLaunch(lms.Person{Subject: "test", Roles: []string{lms.Learner, lms.TestUser}})
	c.enrol()
	c.sync()
	for name, user := range map[string]ids.ID{"by hand": by.ID, "for trying out": test.User.ID} {
		if n := c.count("select count(*) from group_members where tenant_id = $1 and user_id = $2", user); n != 1 {
			t.Errorf("%s: %d, want 1", name, n)
		}
	}
	if n := c.count("select count(*) from group_members where tenant_id = $1"); n != 2 {
		t.Errorf("%d members, want 2", n)
	}
}

func TestWhoEntersWhileMembersAreReadStays(t *testing.T) {
	t.Parallel()
	c := seminar(t, learner("bo"))
	c.mustLaunch(bo)
	entered := make(chan struct{})
	c.lms.Page = func(http.Header, map[string]any) {
		c.mustLaunch(ada)
		close(entered)
	}
	c.sync()
	<-entered
	c.isInGroup("ada bo")
}

func TestARosterMakesNobodyWherePeopleAreLinked(t *testing.T) {
	t.Parallel()
	c := newCampus(t, func(input *lti.PlatformInput) { input.Identity = lti.IdentityLink }).allow()
	c.enrol(learner("ada"), learner("bo"), learner("gone"))
	var here, gone people.User
	c.write(func(tx *db.Tx) error {
		here, gone = sample.User(t, tx, capability.Candidate), sample.User(t, tx, capability.Candidate)
		for subject, user := range map[string]ids.ID{"bo": here.ID, "gone": gone.ID} {
			_, err := people.LinkAccount(t.Context(), tx, user, people.AccountInput{Platform: &c.platform.ID, Subject: subject})
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.mustLaunch(bo)
	c.write(func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, gone.ID)
		return err
	})
	users := c.count("select count(*) from users where tenant_id = $1")
	if got := c.sync(); got.Problem != "" || c.count("select count(*) from users where tenant_id = $1") != users {
		t.Errorf("got %+v", got)
	}
	if n := c.count("select count(*) from group_members where tenant_id = $1 and user_id = $2", here.ID); n != 1 {
		t.Errorf("%d, want 1", n)
	}
}

func TestAPlatformThatIsAwayLosesNobody(t *testing.T) {
	t.Parallel()
	var many []lms.Member
	for n := range 15 {
		many = append(many, learner(fmt.Sprintf("s%02d", n)))
	}
	c := seminar(t, many...)
	c.mustLaunch(ada)
	c.sync()
	all := c.inGroup()
	c.enrol(many[:12]...)
	second := func(change func(http.Header, map[string]any)) {
		c.lms.Page = func(h http.Header, page map[string]any) {
			if h.Get("Link") == "" {
				change(h, page)
			}
		}
	}
	for name, s := range map[string]struct {
		prepare func()
		problem string
	}{
		"away":              {func() { c.lms.Break("/members/42", http.StatusBadGateway) }, "it answers with the status 502"},
		"refuses":           {func() { c.lms.Break("/members/42", http.StatusForbidden) }, "it answers with the status 403"},
		"no token":          {func() { c.lms.Break("/token", http.StatusServiceUnavailable); c.lms.Forget(); c.desk.ForgetTokens() }, "it answers with the status 503"},
		"of another course": {func() { second(func(_ http.Header, p map[string]any) { p["context"] = map[string]string{"id": "43"} }) }, "it tells the members of another course"},
		"no list":           {func() { second(func(_ http.Header, p map[string]any) { p["members"] = "none" }) }, "its answer is no JSON of the form that it should have"},
		"a page elsewhere": {func() {
			second(func(h http.Header, _ map[string]any) { h.Set("Link", `<https://evil.example/>; rel=next`) })
		}, "its next page is somewhere else"},
		"a page without HTTPS": {func() {
			second(func(h http.Header, _ map[string]any) { h.Set("Link", `<http://127.0.0.1/>; rel="next"`) })
		}, "its next page is somewhere else"},
		"no end": {func() {
			c.lms.Page = func(h http.Header, _ map[string]any) {
				h.Set("Link", "<"+c.lms.URL+`/members/42?type=course&limit=1>; rel="next"`)
			}
		}, "its list has no end"},
	} {
		t.Log(name)
		s.prepare()
		if got := c.sync(); got.Problem != s.problem || got.SyncedAt == nil || got.NextAt == nil {
			t.Errorf("%s: got %+v", name, got)
		}
		c.isInGroup(all)
		c.lms.Page = nil
		c.lms.Break("/members/42", 0)
		c.lms.Break("/token", 0)
	}
	c.lms.Enrol("42", []lms.Member{}...)
	if got := c.sync(); got.Problem != "it tells nobody, not even who teaches the course" {
		t.Errorf("got %+v", got)
	}
	c.isInGroup(all)
	c.enrol(many[:12]...)
	if got := c.sync(); got.Problem != "" {
		t.Errorf("got %+v", got)
	}
	c.isInGroup("s00 s01 s02 s03 s04 s05 s06 s07 s08 s09 s10 s11")
}

func TestTwoProcessesReadACourseOnce(t *testing.T) {
	t.Parallel()
	c := seminar(t, learner("ada"), learner("bo"))
	c.mustLaunch(ada)
	course := c.course()
	c.write(func(tx *db.Tx) error {
		_, err := lti.SyncCourse(t.Context(), tx, course.ID)
		return err
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := c.desk.SyncOf(t.Context(), c.scope.Tenant, course.ID)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := c.lms.Read("42"); got != 1 {
		t.Errorf("%d pages were read, want 1", got)
	}
	// Two courses with the same new people, read at once, make each person once.
	c.lms.Enrol("43", learner("new-1"), learner("new-2"), learner("new-3"))
	c.lms.Enrol("42", learner("new-3"), learner("new-2"), learner("new-1"))
	what := c.exam()
	what.ID, what.Course = "8", "43"
	c.arrive(c.open(bo, what))
	var courses []ids.ID
	c.write(func(tx *db.Tx) error {
		list, err := lti.ListCourses(t.Context(), tx, db.Page{})
		for _, one := range list.Items {
			courses = append(courses, one.ID)
			_, err = lti.SyncCourse(t.Context(), tx, one.ID)
		}
		return err
	})
	for _, id := range courses {
		all.Go(func() {
			err := c.desk.SyncOf(t.Context(), c.scope.Tenant, id)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for sql, n := range map[string]int{"select count(*) from user_accounts where tenant_id = $1 and subject like 'new-%'": 3, "select count(*) from group_members where tenant_id = $1": 6} {
		if got := c.count(sql); got != n {
			t.Errorf("%s: %d, want %d", sql, got, n)
		}
	}
}

func TestACourseWhoseMembersAreNotTold(t *testing.T) {
	t.Parallel()
	c := newCampus(t).allow()
	c.mustLaunch(ada)
	sync := func(id ids.ID, scope db.Scope) error {
		return c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := lti.SyncCourse(t.Context(), tx, id)
			return err
		})
	}
	want(t, sync(c.course().ID, c.scope), errs.ValidationFailed, "")
	c.enrol(learner("ada"))
	c.mustLaunch(ada)
	id, err := c.course().ID, error(nil)
	err = sync(id, c.scope)
	if err != nil {
		t.Error(err)
	}
	var south people.OrgUnit
	c.write(func(tx *db.Tx) error {
		south = sample.OrgUnit(t, tx, "south")
		return nil
	})
	elsewhere := c.scope
	elsewhere.OrgUnit, elsewhere.All = south.ID, false
	want(t, sync(id, elsewhere), errs.NotFound, "")
	want(t, sync(id, newCampus(t).scope), errs.NotFound, "")
	// A deployment that is blocked, or a platform that is off, gets no requests.
	c.write(func(tx *db.Tx) error {
		_, err := lti.BlockDeployment(t.Context(), tx, c.course().DeploymentID)
		return err
	})
	if got := c.sync(); got.SyncedAt != nil || c.lms.Read("42") != 0 {
		t.Errorf("got %+v", got)
	}
}
