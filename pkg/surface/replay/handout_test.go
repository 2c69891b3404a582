package replay_test

import (
	"testing"

	"assess/pkg/dev/apptest"
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
