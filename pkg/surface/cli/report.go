package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newReport(s *Shell) *cobra.Command {
	return group("report", "Read the reports", newReportEvaluations(s), newReportSummary(s), newReportGroups(s), newReportCohorts(s), newReportAttempts(s), newReportAttempt(s), newReportHealth(s), newReportQuestion(s), newReportFindings(s), newReportLink(s))
}

// heading starts a part of a report.
func (s *Screen) heading(text string) { fmt.Fprintf(s, "\n%s\n", s.Paint(Strong, text)) }

// questionVersion finds a version by its id, or the published one of a question by the
// external id of that.
func questionVersion(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	id, parseErr := ids.Parse("question", word)
	if parseErr == nil {
		return id, nil
	}
	found, err := findQuestion(ctx, tx, word)
	if err != nil {
		return ids.None, err
	}
	question, err := authoring.GetQuestion(ctx, tx, found)
	if err != nil {
		return ids.None, unknown("question", word, err)
	}
	if question.Published == nil {
		return ids.None, fmt.Errorf("the question %q was never published", word)
	}
	return question.Published.ID, nil
}
