package lti_test

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const (
	nothing = ""
	gone    = `{"activityProgress":"Initialized","gradingProgress":"NotReady"}`
	waiting = `{"activityProgress":"Submitted","gradingProgress":"PendingManual"}`
)

func gradeText(given, maximum string) string {
	return `{"scoreGiven":` + given + `,"scoreMaximum":` + maximum + `,"activityProgress":"Completed","gradingProgress":"FullyGraded"}`
}

func TestWhichAttemptCounts(t *testing.T) {
	t.Parallel()
	of := func(score, most float64) lti.Attempt {
		return lti.Attempt{Score: score, Max: most, Approval: models.ApprovalNotRequired}
	}
	essay := lti.Attempt{Score: 9, Max: 10, Pending: true, Approval: models.ApprovalPendingReview}
	review := lti.Attempt{Score: 7, Max: 10, Approval: models.ApprovalPendingReview}
	approved, rejected := review, review
	approved.Approval, rejected.Approval = models.ApprovalApproved, models.ApprovalRejected
	for i, c := range []struct {
		counts, when, want string
		attempts           []lti.Attempt
	}{
		{lti.CountsBest, lti.WhenScored, gradeText("8", "10"), []lti.Attempt{of(3, 10), of(8, 10), of(9, 20)}},
		{lti.CountsFirst, lti.WhenScored, gradeText("3", "10"), []lti.Attempt{of(3, 10), of(8, 10)}},
		{lti.CountsLatest, lti.WhenScored, gradeText("2", "10"), []lti.Attempt{of(8, 10), of(2, 10)}},
		{lti.CountsMean, lti.WhenScored, gradeText("41.67", "100"), []lti.Attempt{of(1, 2), of(1, 4), of(1, 2)}},
		{lti.CountsBest, lti.WhenScored, gradeText("0", "10"), []lti.Attempt{of(-2, 10)}},
		{lti.CountsBest, lti.WhenScored, gone, nil},
		{lti.CountsBest, lti.WhenScored, gone, []lti.Attempt{of(0, 0)}},
		{lti.CountsBest, lti.WhenScored, nothing, []lti.Attempt{essay}},
		{lti.CountsBest, lti.WhenScored, gradeText("3", "10"), []lti.Attempt{of(3, 10), essay}},
		{lti.CountsLatest, lti.WhenScored, nothing, []lti.Attempt{of(3, 10), essay}},
		{lti.CountsFirst, lti.WhenScored, nothing, []lti.Attempt{essay, of(3, 10)}},
		{lti.CountsMean, lti.WhenScored, gradeText("30", "100"), []lti.Attempt{of(3, 10), essay}},
		{lti.CountsBest, lti.WhenSubmitted, waiting, []lti.Attempt{essay}},
		{lti.CountsLatest, lti.WhenSubmitted, waiting, []lti.Attempt{of(3, 10), essay}},
		{lti.CountsBest, lti.WhenSubmitted, gradeText("3", "10"), []lti.Attempt{of(3, 10), essay}},
		{lti.CountsBest, lti.WhenApproved, nothing, []lti.Attempt{review}},
		{lti.CountsBest, lti.WhenScored, gradeText("7", "10"), []lti.Attempt{review}},
		{lti.CountsBest, lti.WhenApproved, gradeText("7", "10"), []lti.Attempt{approved}},
		{lti.CountsBest, lti.WhenApproved, gradeText("3", "10"), []lti.Attempt{of(3, 10), review}},
		{lti.CountsBest, lti.WhenApproved, gone, []lti.Attempt{rejected}},
	} {
		if got := lti.Grade(c.counts, c.when, c.attempts...); got != c.want {
			t.Errorf("%d: %s, %s: got %s, want %s", i, c.counts, c.when, got, c.want)
		}
	}
}

// gradebook is a campus with a sender and somebody who was launched, in a database of its own: a sender looks at all tenants.
type gradebook struct {
	*campus
	sender *lti.Sender
	ada    arrived
}

func newGradebook(t *testing.T) *gradebook {
	t.Helper()
	return gradebookIn(t, dbtest.Fresh(t))
}

func gradebookIn(t *testing.T, urls dbtest.URLs) *gradebook {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 12, KeySecret: sample.KeySecret})
	c := campusIn(t, store).allow()
	return &gradebook{c, lti.NewSender(c.desk, slog.New(slog.NewTextHandler(t.Output(), nil))), c.mustLaunch(ada)}
}

const handInSQL = `
insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, submitted_by, status, completion_method, started_at, completed_at,
	score, max_score, outcome_code, outcome_label, assignment_id, snapshot_hash, approval_status)
select v.tenant_id, s, v.org_unit_id, v.evaluation_id, v.id, u, 'system:test', 'completed', 'submitted', now(), now(), $4, 10, 'pass', 'Pass', $5, v.snapshot_hash, 'not_required'
from evaluation_versions v cross join unnest($2::uuid[], $3::uuid[]) p (s, u) where v.tenant_id = $1 and v.evaluation_id = $6`

// handIn writes submissions of people down, with a score of ten, and has them taken up.
func (g *gradebook) handIn(score float64, users ...ids.ID) []ids.ID {
	g.Helper()
	made := make([]ids.ID, len(users))
	for i := range made {
		made[i] = ids.New()
	}
	g.write(func(tx *db.Tx) error {
		_, err := tx.Exec(g.Context(), handInSQL, tx.Tenant(), made, users, score, g.ada.assignment, g.evaluation)
		if err != nil {
			return err
		}
		return lti.TakeUp(g.Context(), tx, made)
	})
	return made
}

// change changes submissions and has them taken up.
func (g *gradebook) change(set string, submissions ...ids.ID) {
	g.Helper()
	g.write(func(tx *db.Tx) error {
		_, err := tx.Exec(g.Context(), "update submissions set "+set+" where tenant_id = $1 and id = any($2)", tx.Tenant(), submissions)
		if err != nil {
			return err
		}
		return lti.TakeUp(g.Context(), tx, submissions)
	})
}

func (g *gradebook) send() {
	g.Helper()
	err := g.sender.Once(g.Context())
	if err != nil {
		g.Fatal(err)
	}
}

// ready makes grades and platforms due that wait for another try.
func (g *gradebook) ready() {
	g.Helper()
	g.write(func(tx *db.Tx) error {
		// What a sender is writing now is left alone: the two would wait for each other.
		for _, sql := range []string{"update lti_scores set next_at = now() - interval '1 second' where ctid = any(array(select ctid from lti_scores where tenant_id = $1 and state = 'due' for update skip locked))",
			"update lti_platforms set next_at = null, claimed_until = null where ctid = any(array(select ctid from lti_platforms where tenant_id = $1 for update skip locked))"} {
			_, err := tx.Exec(g.Context(), sql, tx.Tenant())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (g *gradebook) score() lti.Score {
	g.Helper()
	var all db.List[lti.Score]
	g.write(func(tx *db.Tx) error {
		var err error
		all, err = lti.ListScores(g.Context(), tx, lti.ScoreFilter{})
		return err
	})
	if len(all.Items) != 1 {
		g.Fatalf("the grades are %+v", all.Items)
	}
	return all.Items[0]
}

func (g *gradebook) update(patch lti.LinkPatch) {
	g.Helper()
	g.write(func(tx *db.Tx) error {
		all, err := lti.ListLinks(g.Context(), tx, db.Page{})
		if err != nil {
			return err
		}
		_, err = lti.UpdateLink(g.Context(), tx, all.Items[0].ID, patch)
		return err
	})
}

// wantGrade compares Ada's grade in the gradebook with a text such as 8/10, and checks how many grades came.
func (g *gradebook) wantGrade(text string, came int) {
	g.Helper()
	got, all := g.lms.Grade("final", "ada"), g.lms.Scores("final")
	has := got.GradingProgress
	if got.Given != nil {
		has = strconv.FormatFloat(*got.Given, 'f', -1, 64) + "/" + strconv.FormatFloat(*got.Maximum, 'f', -1, 64)
	}
	if has != text || len(all) != came {
		g.Errorf("the gradebook has %s of %d grades, want %s of %d", has, len(all), text, came)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Timestamp.Sub(all[i-1].Timestamp) < time.Second || all[i].Timestamp.Nanosecond() != 0 {
			g.Errorf("the times are %s and %s", all[i-1].Timestamp, all[i].Timestamp)
		}
	}
}

func TestGradesGoIntoTheGradebook(t *testing.T) {
	t.Parallel()
	g := newGradebook(t)
	first := g.handIn(6, g.ada.User.ID)
	g.send()
	g.wantGrade("6/10", 1)
	if s := g.score(); s.State != "sent" || s.SentAt == nil || s.UserID != g.ada.User.ID || s.NextAt != nil {
		t.Errorf("got %+v", s)
	}
	// A change that leaves the grade as it is sends nothing; a correction is sent, at a time that
	// is a second later.
	g.change("run_label = 'x'", first...)
	g.send()
	g.wantGrade("6/10", 1)
	g.change("score = 8", first...)
	g.send()
	g.wantGrade("8/10", 2)
	// A second attempt is best or latest; an essay in it waits.
	second := g.handIn(4, g.ada.User.ID)
	g.send()
	g.wantGrade("8/10", 2)
	g.update(lti.LinkPatch{Counts: new(lti.CountsLatest)})
	g.send()
	g.wantGrade("4/10", 3)
	g.change("pending = true", second...)
	g.send()
	g.wantGrade("4/10", 3)
	g.update(lti.LinkPatch{SentWhen: new(lti.WhenSubmitted)})
	g.send()
	g.wantGrade("PendingManual", 4)
	// A voided one no longer counts; with nothing left the grade is cleared.
	g.change("status = 'voided'", second...)
	g.send()
	g.wantGrade("8/10", 5)
	g.change("status = 'voided'", first...)
	g.send()
	g.wantGrade("NotReady", 6)
	if n := g.lms.Tokens(); n != 1 {
		t.Errorf("it took %d tokens, want 1", n)
	}
	g.lms.Forget()
	g.change("status = 'completed'", first...)
	g.send()
	g.ready()
	g.send()
	g.wantGrade("8/10", 7)
}

func TestGradesThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	g := newGradebook(t)
	tester := g.mustLaunch(lms.Person{Subject: "ada", Roles: []string{lms.Learner, lms.TestUser}})
	g.handIn(6, tester.User.ID)
	g.send()
	if s := g.score(); s.State != "none" {
		t.Errorf("got %+v", s)
	}
	g.wantGrade("", 0)
	// Data that must not be used stay here until they may be.
	held := newGradebook(t)
	held.handIn(6, held.ada.User.ID)
	held.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update users set restricted = true where tenant_id = $1 and id = $2", tx.Tenant(), held.ada.User.ID)
		return err
	})
	held.send()
	held.wantGrade("", 0)
	if s := held.score(); s.State != "due" {
		t.Errorf("got %+v", s)
	}
	// An activity without a place for grades takes none, until it has one.
	other := newGradebook(t)
	other.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update lti_links set line_item = null where tenant_id = $1", tx.Tenant())
		return err
	})
	other.handIn(6, other.ada.User.ID)
	other.send()
	if s := other.score(); s.State != "none" {
		t.Errorf("got %+v", s)
	}
	other.mustLaunch(ada)
	other.send()
	other.wantGrade("6/10", 1)
}

func TestRefusedGradesAreShownAndSentAgain(t *testing.T) {
	t.Parallel()
	g := newGradebook(t)
	g.lms.Refuses["ada"] = true
	g.handIn(6, g.ada.User.ID)
	g.send()
	s := g.score()
	if s.State != "refused" || *s.Status != 422 || !strings.Contains(s.Answer, "not a student") {
		t.Errorf("got %+v", s)
	}
	delete(g.lms.Refuses, "ada")
	g.ready()
	g.send()
	g.wantGrade("", 0)
	stranger := elsewhere(g.campus)
	err := g.store.Write(t.Context(), stranger, func(tx *db.Tx) error {
		_, err := lti.RetryScore(t.Context(), tx, s.ID)
		return err
	})
	want(t, err, errs.NotFound, "")
	g.write(func(tx *db.Tx) error {
		again, err := lti.RetryScore(t.Context(), tx, s.ID)
		if again.State != "due" || again.NextAt == nil {
			t.Errorf("got %+v", again)
		}
		return err
	})
	g.send()
	g.wantGrade("6/10", 1)
}

// elsewhere is a scope of another org unit, of somebody who may send grades again there.
func elsewhere(c *campus) db.Scope {
	scope := c.scope
	scope.OrgUnit, scope.All = ids.New(), false
	scope.Actor = db.Actor{Kind: db.UserActor, ID: ids.New()}
	scope.Capabilities = capability.NewSet(capability.AssignmentsManage)
	return scope
}

func TestAPlatformThatIsAwayLosesNothing(t *testing.T) {
	t.Parallel()
	g := newGradebook(t)
	g.handIn(6, g.ada.User.ID)
	for path, status := range map[string]int{"/token": 500, "/items/final/scores": 503} {
		g.desk.ForgetTokens()
		g.lms.Break(path, status)
		g.send()
		g.lms.Break(path, 0)
		// It rests, whatever is due: longer than a busy machine takes to come here.
		g.write(func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update lti_platforms set next_at = next_at + interval '1 hour' where tenant_id = $1", tx.Tenant())
			return err
		})
		g.send()
		if s := g.score(); s.State != "due" {
			t.Errorf("%s: got %+v", path, s)
		}
		g.ready()
	}
	g.lms.Break("/items/final/scores", 500)
	g.send()
	g.lms.Break("/items/final/scores", 0)
	g.ready()
	g.wantGrade("", 0)
	g.send()
	g.wantGrade("6/10", 1)
	// A disabled platform gets nothing.
	g.write(func(tx *db.Tx) error {
		_, err := lti.UpdatePlatform(t.Context(), tx, g.platform.ID, lti.PlatformPatch{Status: new(models.ProviderDisabled)})
		return err
	})
	g.handIn(9, g.ada.User.ID)
	g.send()
	g.wantGrade("6/10", 1)
}
