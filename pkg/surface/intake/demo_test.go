package intake_test

import (
	"testing"

	"assess/pkg/surface/demo"
	"assess/pkg/surface/intake"
)

func TestShippedSampleImportsAsAWhole(t *testing.T) {
	t.Parallel()
	importsAsAWhole(newBench(t), demo.Sample())
}

func TestRealDataSetsImportAsAWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hci", "medical_mrq"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := demo.Open(testdataFolder(t, name))
			want(t, err, "")
			importsAsAWhole(newBench(t), data)
		})
	}
}

// importsAsAWhole imports a data set twice: everything the first time, nothing the second.
func importsAsAWhole(b bench, data demo.Dataset) {
	b.Helper()
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
		done, err := b.commit(file.commit, intake.Input{Data: file.csv, CreateTerms: true})
		want(b.T, err, "")
		if done.Created != file.created || done.Skipped != 0 || len(done.Warnings) != 0 {
			b.Errorf("%s: %s, warnings %v; want %d created", file.name, counts(done), done.Warnings, file.created)
		}
		again, err := b.commit(file.commit, intake.Input{Data: file.csv, CreateTerms: true})
		want(b.T, err, "")
		if again.Created+again.Changed+again.Published != 0 {
			b.Errorf("%s again: %s, want nothing changed", file.name, counts(again))
		}
	}
	if e := b.evaluation("sample"); e.Status != "published" {
		b.Errorf("the evaluation is %s, want published", e.Status)
	}
}
