package authoring_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// strangers are an operator of another tenant and one of another org unit.
func strangers(t *testing.T, b bench) map[string]bench {
	t.Helper()
	elsewhere := b.scope
	elsewhere.All = false
	sample.Write(t, b.Store, b.scope, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "other").ID
		return nil
	})
	return map[string]bench{
		"another tenant":   {b.Store, sample.Tenant(t, b.Store)},
		"another org unit": {b.Store, elsewhere},
	}
}

func TestOthersSeeNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID))
	e = must(t, b, authoring.PublishEvaluation, e.ID)
	for name, other := range strangers(t, b) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := write(t, other, authoring.GetQuestion, q.ID)
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, other.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(2.0)})
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.PublishQuestions, []ids.ID{q.ID})
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.GetEvaluation, e.ID)
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.PublishEvaluation, e.ID)
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.PublishedVersion, e.ID)
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.LoadSnapshot, e.Published.ID)
			wantCode(t, err, errs.NotFound)
			_, err = write(t, other, authoring.SnapshotByHash, e.Published.SnapshotHash)
			wantCode(t, err, errs.NotFound)
			if n := must(t, other, authoring.ListQuestions, authoring.QuestionFilter{}).Total; n != 0 {
				t.Errorf("sees %d questions", n)
			}
			if n := must(t, other, authoring.ListEvaluations, authoring.EvaluationFilter{}).Total; n != 0 {
				t.Errorf("sees %d evaluations", n)
			}
			_, err = write(t, other, authoring.CreateEvaluation, sample.EvaluationInput(q.ID))
			wantFields(t, err, errs.ValidationFailed, "sections[0].items[0].questionId unknown_question")
		})
	}
}

func TestForeignKeysHoldAcrossTenants(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	other := bench{b.Store, sample.Tenant(t, b.Store)}
	e := must(t, other, authoring.CreateEvaluation, authoring.EvaluationInput{Title: "Empty"})
	err := other.exec(t, `insert into evaluation_items (tenant_id, evaluation_version_id, id, org_unit_id, section_id, position, question_id)
		values ($1, $2, $3, $4, $3, 0, $5)`, other.scope.Tenant, e.Draft.ID, ids.New(), other.scope.OrgUnit, q.ID)
	wantCode(t, err, errs.QuestionInUse)
}

func TestNewRecordsNeedAHome(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.scope.OrgUnit = ids.None
	_, err := write(t, b, authoring.CreateQuestion, sample.QuestionInput("A"))
	wantFields(t, err, errs.ValidationFailed, "orgUnit required")
	_, err = write(t, b, authoring.UpsertEvaluations, []authoring.EvaluationInput{sample.EvaluationInput()})
	wantFields(t, err, errs.ValidationFailed, "orgUnit required")
}
