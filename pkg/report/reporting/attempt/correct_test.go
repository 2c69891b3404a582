package attempt

import (
	"context"
	"math/rand/v2"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// markEssay scores the essay of a submission, as a person does.
func (r *room) markEssay(submission ids.ID) {
	r.Helper()
	for _, section := range r.snapshot.Sections {
		for _, item := range section.Items {
			if item.Key.QType == scoring.Essay {
				r.write(func(tx *db.Tx) error {
					_, err := remediation.Mark(r.Context(), tx, remediation.MarkInput{SubmissionID: submission, ItemID: item.ItemID, Score: 2.5})
					return err
				})
			}
		}
	}
}

// remediate corrects a random question of the evaluation.
func (r *room) remediate(chance *rand.Rand, rule string) ids.ID {
	r.Helper()
	section := r.snapshot.Sections[chance.IntN(len(r.snapshot.Sections))]
	in := remediation.Input{EvaluationVersionID: &r.snapshot.EvaluationVersionID, Rule: rule, Reason: "the key was wrong",
		QuestionVersionID: section.Items[chance.IntN(len(section.Items))].QuestionVersionID}
	if rule == remediation.RuleAdjust {
		half := 0.5
		in.Parameters.Score = &half
	}
	var made remediation.Remediation
	r.write(func(tx *db.Tx) (err error) {
		made, err = remediation.Create(r.Context(), tx, in)
		return err
	})
	r.through(made.ID, remediation.Apply)
	return made.ID
}

// through requests that a remediation be applied or taken back, and does it.
func (r *room) through(id ids.ID, what func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)) {
	r.Helper()
	r.write(func(tx *db.Tx) error {
		_, err := what(r.Context(), tx, id)
		return err
	})
	_, err := remediation.Run(r.Context(), r.store, r.operator.Tenant, id, nil)
	if err != nil {
		r.Fatal(err)
	}
}
