package intake_test

import (
	"testing"

	"assess/pkg/demo"
	"assess/pkg/intake"
)

func TestShippedSampleImportsAsAWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	data := demo.Sample()
	files := []struct {
		name    string
		commit  committer
		csv     []byte
		created int
	}{
		{"users", intake.CommitUsers, data.UsersCSV(), len(data.Persons)},
		{"questions", intake.CommitQuestions, data.QuestionsCSV(), len(data.Items)},
		{"evaluation", intake.CommitEvaluations, data.EvaluationCSV("sample", "Sample exam", 60), 1},
	}
	for _, file := range files {
		done, err := b.commit(file.commit, intake.Input{Data: file.csv})
		want(t, err, "")
		if done.Created != file.created || done.Skipped != 0 || len(done.Warnings) != 0 {
			t.Errorf("%s: %s, warnings %v; want %d created", file.name, counts(done), done.Warnings, file.created)
		}
		again, err := b.commit(file.commit, intake.Input{Data: file.csv})
		want(t, err, "")
		if again.Created+again.Changed+again.Published != 0 {
			t.Errorf("%s again: %s, want nothing changed", file.name, counts(again))
		}
	}
	if e := b.evaluation("sample"); e.Status != "published" {
		t.Errorf("the evaluation is %s, want published", e.Status)
	}
}
