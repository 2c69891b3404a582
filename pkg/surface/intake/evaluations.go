package intake

import (
	"context"
	"errors"
	"fmt"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

var evaluations = kind[evaluation]{
	name:  "evaluations",
	needs: []capability.Capability{capability.EvaluationsWrite},
	columns: []column{
		{name: "evaluation", required: true},
		{name: "title"},
		{name: "section"},
		{name: "question", required: true},
		{name: "weight"},
		{name: "passMarkPercent"},
		{name: "timeLimitSeconds"},
		{name: "feedbackMode"},
		{name: "reviewPolicy"},
		{name: "maxAttemptsPerUser"},
		{name: "cooloffSeconds"},
		{name: "navigation"},
		{name: "shuffleItems"},
		{name: "shuffleOptions"},
		{name: "rounding"},
		{name: "negativeMarking"},
		{name: "defaultOutcome"},
		{name: "sectionTimeLimitSeconds"},
		{name: "settings", raw: true},
		{name: "terms"},
		{name: "tags"},
		{name: "content", raw: true},
		{name: "publish"},
	},
	key: func(r row) string {
		if r.test != nil {
			return r.test.ID
		}
		return r.text("evaluation")
	},
	tests: true,
	plan:  planEvaluations,
	apply: applyEvaluations,
	batch: chunk / 10,
	place: placeInEvaluation,
}

// PreviewEvaluations shows what CommitEvaluations would do. It needs evaluations.write,
// questions.read, and questions.write when the file publishes.
func PreviewEvaluations(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return evaluations.preview(ctx, tx, in)
}

// CommitEvaluations writes evaluations by external id, one row an item. The file may also be QTI: its tests become evaluations,
// and their questions have to be in the service. That needs evaluations.read too. Title, settings
// and publish are on the first row of an evaluation. An empty section continues the section
// of the row above; rows that name one section are together in it.
//
// With publish=yes an evaluation that has a draft is published, and before it the drafts
// of its questions, since imported questions are drafts. One that is already published as in
// the file is not changed, even if its questions have newer drafts. Publishing takes the
// step-up proof of the call, which is good for one evaluation: a user publishes one per
// file, operators any number. It needs what PreviewEvaluations needs, and
// evaluations.read when the file publishes. Errors: import_invalid, step_up_required.
func CommitEvaluations(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	return evaluations.commit(ctx, tx, in)
}

func planEvaluations(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[evaluation], error) {
	var records []record[evaluation]
	var wanted []string
	at := map[string]int{}
	for r := range f.rows() {
		if r.test != nil {
			e := evaluationOf(r, in)
			records = append(records, record[evaluation]{key: e.externalID, rows: []row{r}, value: e})
			wanted = append(wanted, e.questions()...)
			continue
		}
		key := r.required("evaluation")
		i, known := at[key]
		if !known || key == "" {
			i, at[key] = len(records), len(records)
			records = append(records, record[evaluation]{key: key, value: newEvaluation(r, in)})
		}
		if r.text("content") == "" {
			wanted = append(wanted, r.required("question"))
		}
		records[i].rows = append(records[i].rows, r)
		records[i].value.addItem(r)
	}
	err := checkPublish(tx, f, records)
	if err == nil && f.tests {
		err = keepSettings(ctx, tx, records)
	}
	if err != nil {
		return nil, err
	}
	known, err := knownTerms(ctx, tx, in, records, evaluation.named)
	if err != nil {
		return nil, err
	}
	found, err := authoring.FindQuestions(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	inputs := make([]authoring.EvaluationInput, len(records))
	for i := range records {
		one := &records[i].value
		one.resolve(found)
		inputs[i] = one.input()
		inputs[i].TaxonomyTermIDs = withTerms(inputs[i].TaxonomyTermIDs, one.terms, known)
		one.termIDs, one.known = inputs[i].TaxonomyTermIDs, known
	}
	var problems []errs.Field
	err = tx.Rehearse(ctx, func() error {
		problems, err = authoring.CheckUpsertEvaluations(ctx, tx, inputs)
		return err
	})
	if err != nil {
		return nil, err
	}
	reportAll(records, problems, placeInEvaluation)
	return records, rehearsePublishing(ctx, tx, in, f, records)
}

// rehearsePublishing writes and publishes the evaluations to be published and rolls that back: there is
// no other way to find out what keeps a draft from being published.
func rehearsePublishing(ctx context.Context, tx *db.Tx, in Input, f *file, records []record[evaluation]) error {
	for _, r := range records {
		if !r.value.publish || r.bad() {
			continue
		}
		one := []record[evaluation]{r}
		err := tx.Rehearse(ctx, func() error { return applyEvaluations(ctx, tx, in, one, &Commit{}) })
		if err != nil && !locate(err, one, placeInEvaluation) {
			return err
		}
		if err == nil && in.rehearsal {
			err = f.askToPublish(ctx, tx, r)
		}
		if err != nil && !r.bad() {
			return err
		}
	}
	return nil
}

// askToPublish says what the commit has to bring along.
func (f *file) askToPublish(ctx context.Context, tx *db.Tx, r record[evaluation]) error {
	rules, err := policy.AskedToPublish(ctx, tx, r.value.input().Settings.VerificationLevel)
	if err != nil {
		return err
	}
	column := f.header.spelling("publish")
	if rules.RequireStepUp {
		f.warn(r.rows[0].line, column, string(errs.StepUpRequired), "publishing needs a step-up proof, which the commit has to bring")
	}
	if rules.RequireContext {
		f.warn(r.rows[0].line, column, "context_required", "publishing needs a context, which the commit has to state in X-Verification-Context")
	}
	return nil
}

// checkPublish: a step-up proof is consumed by the act that it authorises.
func checkPublish(tx *db.Tx, f *file, records []record[evaluation]) error {
	for _, r := range records {
		if !r.value.publish {
			continue
		}
		f.publishing++
		if f.publishing > 1 && tx.Actor().Kind == db.UserActor {
			r.rows[0].problem("publish", "one_publish_per_proof", "a step-up proof publishes one evaluation; publish the others on their own")
		}
	}
	if f.publishing == 0 {
		return nil
	}
	return tx.Require(capability.QuestionsWrite)
}

func applyEvaluations(ctx context.Context, tx *db.Tx, in Input, records []record[evaluation], done *Commit) error {
	known, err := makeTerms(ctx, tx, in, records, evaluation.named)
	if err != nil {
		return err
	}
	inputs := make([]authoring.EvaluationInput, len(records))
	for i, r := range records {
		inputs[i] = r.value.input()
		inputs[i].TaxonomyTermIDs = withTerms(inputs[i].TaxonomyTermIDs, r.value.terms, known)
	}
	results, err := authoring.UpsertEvaluations(ctx, tx, inputs)
	if err != nil {
		return err
	}
	var refused []errs.Field
	for i, result := range results {
		done.count(string(result.Change))
		if !records[i].value.publish {
			continue
		}
		published, err := publish(ctx, tx, result.ID, records[i])
		problems, ok := publishProblems(err, i)
		if !ok {
			return err
		}
		refused = append(refused, problems...)
		done.Published += published
	}
	return errs.Invalid(refused...)
}

// publish gives the number of evaluations that it published: 0 or 1.
func publish(ctx context.Context, tx *db.Tx, id ids.ID, r record[evaluation]) (int, error) {
	stored, err := authoring.GetEvaluation(ctx, tx, id)
	if err != nil || stored.Draft == nil {
		return 0, err
	}
	_, err = authoring.PublishQuestions(ctx, tx, r.value.questionIDs())
	if err != nil {
		return 0, err
	}
	_, err = authoring.PublishEvaluation(ctx, tx, id)
	if err != nil {
		return 0, err
	}
	return 1, nil
}

// publishProblems places the problems of a draft at its record; it says whether
// err contains nothing else.
func publishProblems(err error, i int) ([]errs.Field, bool) {
	problem := errs.Of(err)
	switch {
	case err == nil:
		return nil, true
	case errors.Is(err, errs.Archived):
		return []errs.Field{{Path: fmt.Sprintf("evaluations[%d].publish", i), Code: "archived", Message: "one of the questions is archived"}}, true
	case !errors.Is(err, errs.PublishBlocked):
		return nil, false
	}
	problems := make([]errs.Field, len(problem.Fields))
	for n, f := range problem.Fields {
		f.Path = fmt.Sprintf("evaluations[%d].%s", i, f.Path)
		problems[n] = f
	}
	return problems, true
}

func (e evaluation) named() []termName { return e.terms }
