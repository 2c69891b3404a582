package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
)

func newReportAttempts(s *Shell) *cobra.Command {
	var q submissionQuery
	cmd := newPaged(s, (*db.Store).Report, "attempts --evaluation-version ID", "List the attempts at an evaluation version by name, newest first", &q.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[submission.Summary], error) {
			err := q.find(ctx, tx)
			if err != nil {
				return db.List[submission.Summary]{}, err
			}
			return submission.ListNamed(ctx, tx, q.Filter)
		}, pagedOf[submission.Summary], func(s *Shell, list db.List[submission.Summary]) error { return printList(s, list, attemptColumns...) })
	versionFlag(cmd, &q.version)
	required(cmd, "evaluation-version")
	flags := cmd.Flags()
	flags.StringVar(&q.group, "group", "", "name or id of a group: only those at assignments to it")
	flags.Var(&choice{&q.Outcome, []string{"pass", "fail", "incomplete"}}, "outcome", "pass, fail or incomplete")
	runLabelFlag(cmd, &q.RunLabel, listedRun)
	takePeriod(cmd, func(at time.Time) { q.From = at }, func(at time.Time) { q.To = at })
	return cmd
}

var attemptColumns = columns("Person, RunLabel = Run, CompletedAt, Score, OutcomeLabel = Outcome, Status, ApprovalStatus = Review, ID",
	Column[submission.Summary]{Header: "Person", Cell: func(r submission.Summary) string { return cmp.Or(r.UserName, r.UserID.String()) }},
	Column[submission.Summary]{Header: "Score", Cell: func(r submission.Summary) string { return outOf(&r.Score, &r.MaxScore) }, Align: Right},
)
