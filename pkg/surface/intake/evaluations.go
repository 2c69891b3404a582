package intake

import (
	"context"
	"errors"
	"slices"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
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
		{name: "settings"},
		{name: "terms"},
		{name: "tags"},
		{name: "content"},
		{name: "publish"},
	},
	key:   func(r row) string { return r.text("evaluation") },
	plan:  planEvaluations,
	apply: applyEvaluations,
}

// PreviewEvaluations shows what CommitEvaluations would do. It needs evaluations.write,
// questions.read, and questions.write when the file publishes.
func PreviewEvaluations(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	return evaluations.preview(ctx, tx, in)
}

// CommitEvaluations writes evaluations by external id, one row an item. Title, settings
// and publish stand on the first row of an evaluation. An empty section continues the one
// of the row above; rows that name one section are together in it.
//
// With publish=yes an evaluation that has a draft is published, and before it the drafts
// of its questions, since imported questions are drafts. One that is published as the file
// says stays as it is, even where its questions have newer drafts. Publishing takes the
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
	if err != nil {
		return nil, err
	}
	err = checkTerms(ctx, tx, records, evaluation.named)
	if err != nil {
		return nil, err
	}
	found, err := authoring.FindQuestions(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		records[i].value.resolve(found)
		if r.bad() {
			continue
		}
		report(r, records[i].value.input().Problems(""), placeInEvaluation)
	}
	return records, nil
}

// checkPublish: a step-up proof is consumed by what it authorises.
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

func applyEvaluations(ctx context.Context, tx *db.Tx, _ Input, records []record[evaluation], done *Commit) error {
	known, err := makeTerms(ctx, tx, records, evaluation.named)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(records, chunk/10) {
		inputs := make([]authoring.EvaluationInput, len(some))
		for i, r := range some {
			inputs[i] = r.value.input()
			inputs[i].TaxonomyTermIDs = distinct(append(inputs[i].TaxonomyTermIDs, termIDs(r.value.terms, known)...))
		}
		results, err := authoring.UpsertEvaluations(ctx, tx, inputs)
		if err != nil {
			return locate(err, some, placeInEvaluation)
		}
		for i, result := range results {
			done.count(string(result.Change))
			if !some[i].value.publish {
				continue
			}
			published, err := publish(ctx, tx, result.ID, some[i])
			if err != nil {
				return err
			}
			done.Published += published
		}
	}
	return nil
}

// publish gives the number of evaluations that it published: 0 or 1.
func publish(ctx context.Context, tx *db.Tx, id ids.ID, r record[evaluation]) (int, error) {
	stored, err := authoring.GetEvaluation(ctx, tx, id)
	if err != nil || stored.Draft == nil {
		return 0, err
	}
	_, err = authoring.PublishQuestions(ctx, tx, r.value.questionIDs())
	if err != nil {
		return 0, publishRefusal(err, r)
	}
	_, err = authoring.PublishEvaluation(ctx, tx, id)
	if err != nil {
		return 0, publishRefusal(err, r)
	}
	return 1, nil
}

// publishRefusal says on which lines the problems of a draft are.
func publishRefusal(err error, r record[evaluation]) error {
	if !errors.Is(err, errs.PublishBlocked) {
		return err
	}
	found := newFindings()
	for _, p := range errs.Of(err).Fields {
		at, column := placeInEvaluation(r, p.Path)
		found.add(at.line, at.file.header.spelling(column), p.Code, p.Message)
	}
	return found.refusal()
}

func (e evaluation) named() []termName { return e.terms }
