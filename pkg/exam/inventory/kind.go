package inventory

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Kind is one of the inventories, Questions, Passages or Evaluations. Their rows have the same
// states and the same lifecycle; what differs is here.
type Kind struct {
	// name is the plural, and the name of the table; noun is the singular.
	name, noun  string
	read, write capability.Capability
	inUse       errs.Code
	count       func(ctx context.Context, tx *db.Tx, id ids.ID) (counts, error)
	// beginDrafts are the statements that copy published versions into drafts.
	beginDrafts []string
}

// The kinds of inventory.
var (
	Questions = &Kind{name: "questions", noun: "question", inUse: errs.QuestionInUse, count: countQuestion, beginDrafts: []string{draftQuestionsSQL},
		read: capability.QuestionsRead, write: capability.QuestionsWrite}
	Passages = &Kind{name: "passages", noun: "passage", inUse: errs.PassageInUse, count: countPassage,
		read: capability.QuestionsRead, write: capability.QuestionsWrite}
	Evaluations = &Kind{name: "evaluations", noun: "evaluation", inUse: errs.EvaluationInUse, count: countEvaluation, beginDrafts: []string{draftEvaluationsSQL, draftItemsSQL},
		read: capability.EvaluationsRead, write: capability.EvaluationsWrite}
)

// String gives the plural: "questions".
func (k *Kind) String() string { return k.name }

func (k *Kind) notFound() error {
	return errs.New(errs.NotFound, "There is no such %s in your scope.", k.noun)
}

const archived = models.AuthoringArchived
