package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/authoring"
	"assess/pkg/db"
	"assess/pkg/ids"
)

func newReport(s *Session) *cobra.Command {
	return group("report", "Read the reports", newReportSummary(s), newReportHealth(s), newReportQuestion(s))
}

// heading starts a part of a report.
func (s *Screen) heading(text string) { fmt.Fprintf(s, "\n%s\n", s.Paint(Strong, text)) }

// evaluationVersion finds a version by its id, or the published one of an evaluation by
// the external id of that.
func evaluationVersion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	id, parseErr := ids.Parse("evaluation-version", word)
	if parseErr == nil || word == "" {
		return id, nil
	}
	if tx.Scope().OrgUnit == ids.None {
		return ids.None, Usage("%q is no id, and an external id belongs to one org unit: give --org", word)
	}
	found, err := authoring.FindEvaluations(ctx, tx, []string{word})
	if err != nil {
		return ids.None, err
	}
	published, err := authoring.PublishedVersion(ctx, tx, found[word])
	return published.EvaluationVersionID, unknown("evaluation", word, err)
}

// questionVersion finds a version by its id, or the published one of a question by the
// external id of that.
func questionVersion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	id, parseErr := ids.Parse("question", word)
	if parseErr == nil {
		return id, nil
	}
	if tx.Scope().OrgUnit == ids.None {
		return ids.None, Usage("%q is no id, and an external id belongs to one org unit: give --org", word)
	}
	found, err := authoring.FindQuestions(ctx, tx, []string{word})
	if err != nil {
		return ids.None, err
	}
	question, err := authoring.GetQuestion(ctx, tx, found[word])
	if err != nil {
		return ids.None, unknown("question", word, err)
	}
	if question.Published == nil {
		return ids.None, fmt.Errorf("the question %q was never published", word)
	}
	return question.Published.ID, nil
}
