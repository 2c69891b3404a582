package authoring

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CreateQuestion adds a question with a first draft. Errors: validation_failed,
// external_id_taken.
func CreateQuestion(ctx context.Context, tx *db.Tx, in QuestionInput) (Question, error) {
	return questionStore.create(ctx, tx, in.check(nil, false))
}

// UpdateQuestion changes the draft; a published question without one gets a new draft that
// starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdateQuestion(ctx context.Context, tx *db.Tx, id ids.ID, patch QuestionPatch) (Question, error) {
	return questionStore.update(ctx, tx, id, patch.UpdatedAt, func(e *questionEdit) (CheckedQuestion, error) {
		before, err := questionVersionOf(e.version)
		if err != nil {
			return CheckedQuestion{}, err
		}
		current, err := sendable[QuestionInput](before)
		current.ExternalID = text(e.record.ExternalID)
		return overlaid(current, patch).check(nil, false), err
	})
}

// CreateQuestionVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreateQuestionVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	return questionStore.begin(ctx, tx, id)
}

// UpsertCheckedQuestions writes questions by external id in the home org unit, in a handful of
// statements for thousands: a new one is created as a draft, one that differs from its newest
// version gets a draft with the difference, one that does not is not changed. All or nothing:
// every problem of every input is reported, with paths from questions[0].
func UpsertCheckedQuestions(ctx context.Context, tx *db.Tx, inputs []CheckedQuestion) ([]Upserted, error) {
	return questionStore.upsert(ctx, tx, inputs)
}

// CheckUpsertQuestions names every problem that UpsertCheckedQuestions would report for
// the inputs, with its paths. It writes nothing, and takes locks: run it in
// db.Tx.Rehearse.
func CheckUpsertQuestions(ctx context.Context, tx *db.Tx, inputs []CheckedQuestion) ([]errs.Field, error) {
	return questionStore.checkUpsert(ctx, tx, inputs)
}

// PublishQuestion freezes the draft and pins the assets that it shows and the published
// version of its passage; evaluations published from now on pin it. Of two
// calls at once, one publishes and the other gets nothing_to_publish. Errors: not_found,
// archived, nothing_to_publish, publish_blocked.
func PublishQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	done, err := PublishQuestionDraft(ctx, tx, PublishInput{ID: id})
	return done.Question, err
}

// PublishQuestionDraft is PublishQuestion with warnings, and with an optional dry run.
func PublishQuestionDraft(ctx context.Context, tx *db.Tx, in PublishInput) (QuestionPublication, error) {
	published, how, err := questionStore.publish(ctx, tx, in, questionWarnings)
	return QuestionPublication{published, how}, err
}

// PublishQuestions publishes the drafts of many questions in a handful of statements; a
// question without a draft is not changed. It gives the ids of the questions that it
// published. Errors: not_found, archived, publish_blocked; then nothing is published.
func PublishQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]ids.ID, error) {
	return questionStore.publishAll(ctx, tx, questionIDs)
}

// GetQuestion gives a question with its draft and its published version. Errors:
// not_found.
func GetQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	return questionStore.get(ctx, tx, id)
}

// FindQuestions gives the ids of questions of the home org unit by their external ids;
// a question without one is found by its id. Unknown ones are absent. Imports use it.
func FindQuestions(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	return questionStore.findExternal(ctx, tx, externalIDs)
}

// GetQuestionTerms gives the terms of a question. It needs only taxonomy.read. Errors: not_found.
func GetQuestionTerms(ctx context.Context, tx *db.Tx, id ids.ID) (AssignedTerms, error) {
	return questionStore.getTerms(ctx, tx, id)
}

// SetQuestionTerms replaces the terms of a question, in its draft; a published question
// without a draft gets one. Terms that it carries already change nothing. It needs only
// taxonomy.manage. Errors: not_found, archived, stale_update, validation_failed
// (unknown_term, wrong_domain, retired_term, duplicate_term).
func SetQuestionTerms(ctx context.Context, tx *db.Tx, id ids.ID, in TermsInput) (AssignedTerms, error) {
	return questionStore.setTerms(ctx, tx, id, in)
}
