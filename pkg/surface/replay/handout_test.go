package replay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"assess/pkg/dev/apptest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// Each group gets the exam by an assignment of its own, once, however often it is replayed.
func TestGroupsGetTheExamByAssignments(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	o := optionsFor(t, app)
	o.GroupBy = "group"
	result := mustRun(t, o)
	mustRun(t, o)
	oneEach(t, submitted(t, app, o, result.EvaluationID))
	groups := listAll[struct{ Name string }](t, app.URL, o.Token, "/groups", nil)
	assignments := listAll[struct {
		ID  string
		Run string `json:"run_label"`
	}](t, app.URL, o.Token, "/assignments", nil)
	if len(groups) != 3 || len(assignments) != 3 || assignments[0].Run != o.RunLabel {
		t.Fatalf("groups %v, assignments %v", groups, assignments)
	}
	seen := map[string]int{}
	for _, s := range listAll[struct{ AssignmentID string }](t, app.URL, o.Token, "/evaluations/"+result.EvaluationID+"/sessions", nil) {
		seen[s.AssignmentID]++
	}
	for _, a := range assignments {
		if seen[a.ID] == 0 {
			t.Errorf("nobody came by the assignment %s: %v", a.ID, seen)
		}
	}
}

// With tokens of their own people start, answer and submit themselves, and once, also when the replay is run again.
func TestPeopleTakeTheExamThemselves(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	o := optionsFor(t, app)
	o.GroupBy = "group"
	o.CandidateToken = func(ctx context.Context, user string) (string, error) {
		id, err := ids.Parse("user", user)
		if err != nil {
			return "", err
		}
		var token access.Token
		err = app.Store.Write(ctx, app.Scope, func(tx *db.Tx) error {
			token, err = app.Authority.IssueToken(ctx, tx, id, app.OrgUnit)
			return err
		})
		return token.Token, err
	}
	var begun atomic.Int64
	o.Begun = func(_ context.Context, _ string, took time.Duration) error {
		begun.Add(1)
		if took < time.Minute || took > time.Hour {
			t.Errorf("somebody took %s", took)
		}
		return nil
	}
	result := mustRun(t, o)
	mustRun(t, o)
	oneEach(t, submitted(t, app, o, result.EvaluationID))
	if begun.Load() != 2*persons {
		t.Errorf("%d sessions began, want %d", begun.Load(), 2*persons)
	}
	for _, s := range result.Sessions {
		var got struct{ CompletionMethod string }
		fetch(t, app.URL, o.Token, "/submissions/"+s.SubmissionID, nil, &got)
		if got.CompletionMethod != "submitted" {
			t.Errorf("the submission of %s was %q", s.Person, got.CompletionMethod)
		}
	}
}
