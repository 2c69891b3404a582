package intake_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/surface/intake"
)

// An import may take a while. Nobody else of the tenant waits for its end: after each chunk
// others write, and their events come before all of its own.
func TestOthersWriteWhileAnImportIsAtWork(t *testing.T) {
	t.Parallel()
	h := newHandout(t)
	h.must(intake.CommitQuestions, questionHeader+"q0,mcq,Zero?,a,b,,A,,,,,en,,\n")
	h.write(func(tx *db.Tx) error {
		_, err := people.CreateGroup(t.Context(), tx, people.GroupInput{Name: "Red team", MembershipRule: &people.Rule{
			All: []people.Condition{{Key: "team", Op: people.RuleEquals, Value: "red"}}}})
		return err
	})
	for _, c := range []struct {
		name   string
		commit committer
		file   string
	}{
		{"users", intake.CommitUsers, "email,roles,meta.team\nada@x.example,candidate,red\n" + h.user.Email + ",,red\n"},
		{"subjects", intake.CommitSubjects, "externalId,name\ns1,One\nsite,Another name\n"},
		{"assignments", intake.CommitAssignments, assignmentHeader + "exam,email,eve@x.example,,,,,\nexam,userId," + h.user.ID.String() + ",,,,,\n"},
		{"terms", intake.CommitTerms, "facet,slug,label\ntopic,algebra,Algebra\n"},
		{"questions", intake.CommitQuestions, questionHeader + "q0,mcq,Nought?,a,b,,A,,,topic:sets,,en,,\n" + manyQuestions(1200)},
		{"evaluations", intake.CommitEvaluations, "evaluation,title,question,publish\nexam,Exam,q0,yes\n"},
		{"passages", intake.CommitPassages, passageHeader + "p1;River;The river rises.;en;;q0\n"},
	} {
		before, met := h.count("ledger_events"), 0
		_, err := h.commit(c.commit, intake.Input{Data: []byte(c.file), Invite: true, CreateTerms: true, Progress: func(int, int) {
			met++
			h.writeBeside()
			if got, wanted := h.count("ledger_events"), before+beside*met; got != wanted {
				t.Errorf("%s: while the import works there are %d events, want %d", c.name, got, wanted)
			}
		}})
		want(t, err, "")
		if got := h.count("ledger_events"); met == 0 || got < before+beside*met+1 {
			t.Errorf("%s: met %d times, %d events before and %d after", c.name, met, before, got)
		}
	}
}

// beside is the number of events of writeBeside.
const beside = 5

// writeBeside writes with another hand, or fails instead of waiting.
func (b bench) writeBeside() {
	b.Helper()
	b.write(func(tx *db.Tx) error {
		_, err := tx.Exec(b.Context(), "select set_config('lock_timeout', '5s', true)")
		if err != nil {
			return err
		}
		sample.Question(b.T, tx, "A")
		_, err = people.CreateUser(b.Context(), tx, people.UserInput{Email: ids.New().String() + "@x.example"})
		if err != nil {
			return err
		}
		_, err = programme.CreateSubject(b.Context(), tx, programme.SubjectInput{ExternalID: ids.New().String(), Name: "Beside"})
		return err
	})
}
