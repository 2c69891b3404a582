package authoring

import (
	"context"
	"slices"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreateQuestion adds a question with a first draft. Errors: validation_failed,
// external_id_taken.
func CreateQuestion(ctx context.Context, tx *db.Tx, in QuestionInput) (Question, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Question{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Question{}, err
	}
	return writeQuestion(ctx, tx, newQuestionEdit(tx, org), in)
}

// UpdateQuestion changes the draft; a published question without one gets a new draft that
// starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdateQuestion(ctx context.Context, tx *db.Tx, id ids.ID, patch QuestionPatch) (Question, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Question{}, err
	}
	edit, err := takeUpQuestion(ctx, tx, id)
	if err != nil {
		return Question{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, edit.question.UpdatedAt); err != nil {
		return Question{}, err
	}
	current, err := questionVersionOf(edit.version)
	if err != nil {
		return Question{}, err
	}
	in, err := current.input(text(edit.question.ExternalID))
	if err != nil {
		return Question{}, err
	}
	return writeQuestion(ctx, tx, edit, patch.over(in))
}

// CreateQuestionVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreateQuestionVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Question{}, err
	}
	edit, err := takeUpQuestion(ctx, tx, id)
	if err != nil {
		return Question{}, err
	}
	if edit.question.DraftID != nil {
		return Question{}, errs.New(errs.Conflict, "There is a draft already.").With("draftId", *edit.question.DraftID)
	}
	edit.question.UpdatedAt = tx.ChangedAt(edit.question.UpdatedAt)
	edit.begin(tx)
	return storeQuestion(ctx, tx, edit, "version_created")
}

// takeUpQuestion locks a question for a change.
func takeUpQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (questionEdit, error) {
	locked, err := lockQuestions(ctx, tx, []ids.ID{id})
	if err != nil {
		return questionEdit{}, err
	}
	if err := checkChangeable(locked[0].Status); err != nil {
		return questionEdit{}, err
	}
	versions, err := questionVersions(ctx, tx, locked)
	if err != nil {
		return questionEdit{}, err
	}
	edit := openQuestionEdit(locked[0], versions)
	return edit, followMerges(ctx, tx, []*questionEdit{&edit})
}

func writeQuestion(ctx context.Context, tx *db.Tx, edit questionEdit, in QuestionInput) (Question, error) {
	body, found := in.parse("")
	unusable, err := checkTerms(ctx, tx, edit.termUses("", in))
	if err != nil {
		return Question{}, err
	}
	documents, err := edit.documents("", body)
	if err != nil {
		return Question{}, err
	}
	shown, err := checkDocuments(ctx, tx, documents)
	if err != nil {
		return Question{}, err
	}
	if err := errs.Invalid(slices.Concat(found, unusable, shown)...); err != nil {
		return Question{}, err
	}
	stored, err := in.store(body)
	if err != nil {
		return Question{}, err
	}
	what := "updated"
	if edit.isNew {
		what = "created"
	}
	edit.write(tx, stored)
	return storeQuestion(ctx, tx, edit, what)
}

func storeQuestion(ctx context.Context, tx *db.Tx, edit questionEdit, what string) (Question, error) {
	err := saveQuestions(ctx, tx, []questionEdit{edit})
	if err != nil {
		return Question{}, err
	}
	err = ledger.Append(ctx, tx, edit.event(what))
	if err != nil {
		return Question{}, err
	}
	return readQuestion(ctx, tx, edit.question)
}

// readQuestion gives a question whose row is at hand.
func readQuestion(ctx context.Context, tx *db.Tx, row models.Question) (Question, error) {
	versions, err := questionVersions(ctx, tx, []models.Question{row})
	if err != nil {
		return Question{}, err
	}
	q, err := questionOf(row, versions)
	if err != nil {
		return Question{}, err
	}
	q.Problems, err = problemsOfQuestion(ctx, tx, openQuestionEdit(row, versions))
	return q, err
}

// problemsOfQuestion names what publishing would refuse of a draft.
func problemsOfQuestion(ctx context.Context, tx *db.Tx, edit questionEdit) ([]errs.Field, error) {
	if edit.question.DraftID == nil {
		return []errs.Field{}, nil
	}
	passages, err := passagesOf(ctx, tx, []ids.ID{edit.question.ID})
	if err != nil {
		return nil, err
	}
	draft, err := edit.freezing("", passages)
	if err != nil {
		return nil, err
	}
	_, blocking, err := pin(ctx, tx, []freezing{draft}, media.Current)
	return blocking.listed(), err
}
