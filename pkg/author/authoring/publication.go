package authoring

import (
	"errors"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// PublishInput names a draft. A dry run does all that publishing does except requiring a
// proof, and returns the problems of the draft instead of refusing it; the surface rolls it
// back (Store.DryRun).
type PublishInput struct {
	ID     ids.ID `path:"id"`
	DryRun bool   `query:"dryRun" doc:"Answer problems and warnings and change nothing; needs neither proof nor Idempotency-Key"`
}

// forgives says that the call continues: a dry run returns the problems of the draft with the record.
func (in PublishInput) forgives(err error) bool {
	return in.DryRun && errors.Is(err, errs.PublishBlocked)
}

// Publication is the result of publishing, in addition to the record. Warnings name things
// that may surprise the author but do not keep anything from being published.
type Publication struct {
	DryRun   bool         `json:"dryRun" doc:"Nothing was changed"`
	Warnings []errs.Field `json:"warnings" nullable:"false" doc:"What may surprise, such as a newer draft; it keeps nothing from being published"`
}

// QuestionPublication is a question as it was published, or would be.
type QuestionPublication struct {
	Question
	Publication
}

// PassagePublication is a passage as it was published, or would be.
type PassagePublication struct {
	Passage
	Publication
}

// EvaluationPublication is an evaluation as it was published, or would be.
type EvaluationPublication struct {
	Evaluation
	Publication
	Problems []errs.Field `json:"problems" nullable:"false" doc:"What keeps the draft from being published; only a dry run has any"`
}
