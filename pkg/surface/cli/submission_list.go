package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/standing"
)

// submissionQuery is the query of a list of submissions, in the words that people use.
type submissionQuery struct {
	submission.Filter
	evaluation, user string
	version, group   string
	readiness        bool
}

func newSubmissionList(s *Shell) *cobra.Command {
	var q submissionQuery
	cmd := newList(s, "list --evaluation ID|EXTERNAL-ID | --user EMAIL|ID | --awaits marking|review",
		"List the submissions of an evaluation or of a user, newest first, or those that wait for a person", &q.Page, q.list, submissionColumns)
	flags := cmd.Flags()
	flags.StringVar(&q.user, "user", "", "e-mail address or id of a user")
	flags.Var(&choice{&q.Awaits, []string{submission.AwaitsMarking, submission.AwaitsReview}}, "awaits",
		"marking or review: only those that wait for a person, the one that has waited longest first")
	flags.BoolVar(&q.readiness, "readiness", false, "say of each whether its result is ready to be defended; -o json has the reasons")
	q.bind(cmd)
	return cmd
}

// bind adds the flags that choose submissions, in lists and in the export.
func (q *submissionQuery) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&q.evaluation, "evaluation", "", "id or external id of an evaluation")
	flags.StringVar(&q.version, "evaluation-version", "", "id of a version, or external id of an evaluation for its newest published version: only those of it")
	flags.StringVar(&q.group, "group", "", "name or id of a group: only those at assignments to it")
	flags.Var(&choice{&q.Status, []string{models.SubmissionCompleted, models.SubmissionVoided}}, "status", "completed or voided")
	flags.Var(&choice{&q.Outcome, []string{"pass", "fail", "incomplete"}}, "outcome", "pass, fail or incomplete")
	flags.Var(&choice{&q.ApprovalStatus, []string{models.ApprovalNotRequired, models.ApprovalPendingReview, models.ApprovalApproved,
		models.ApprovalRejected, models.ApprovalChangesRequested}}, "approval",
		"not_required, pending_review, approved, rejected or changes_requested")
	runLabelFlag(cmd, &q.RunLabel, listedRun)
	idFlag(cmd, &q.AssignmentID, "assignment", "only those of the assignment with this id")
	takePeriod(cmd, func(at time.Time) { q.From = at }, func(at time.Time) { q.To = at })
}

// find looks up the records that were chosen by name.
func (q *submissionQuery) find(ctx context.Context, tx *db.Tx) error {
	var err error
	if q.version != "" {
		q.EvaluationVersionID, err = evaluationVersion(ctx, tx, q.version)
	}
	if q.group != "" && err == nil {
		q.GroupID, err = findGroupID(ctx, tx, q.group)
	}
	return err
}

func (q *submissionQuery) list(ctx context.Context, tx *db.Tx, _ []string) (db.List[standing.Summary], error) {
	include := ""
	if q.readiness {
		include = standing.IncludeReadiness
	}
	return standing.List(ctx, tx, include, q.plain)
}

func (q *submissionQuery) plain(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
	err := q.find(ctx, tx)
	if err != nil {
		return db.List[submission.Summary]{}, err
	}
	switch {
	case q.evaluation != "" && q.user != "" || q.evaluation == "" && q.user == "" && q.Awaits == "":
		return db.List[submission.Summary]{}, Usage("say either --evaluation or --user, or what they wait for with --awaits")
	case q.user != "":
		user, err := findUserID(ctx, tx, q.user)
		if err != nil {
			return db.List[submission.Summary]{}, err
		}
		return submission.ListByUser(ctx, tx, user, q.Filter)
	case q.evaluation == "":
		return submission.ListWaiting(ctx, tx, q.Filter)
	}
	id, err := findEvaluation(ctx, tx, q.evaluation)
	if err != nil {
		return db.List[submission.Summary]{}, err
	}
	return submission.ListByEvaluation(ctx, tx, id, q.Filter)
}

var submissionColumns = columns("Person, EvaluationTitle = Evaluation, RunLabel = Run, CompletedAt, Score, OutcomeLabel = Outcome, Status, ApprovalStatus = Review, Ready, ID",
	Column[standing.Summary]{Header: "Person", Cell: func(r standing.Summary) string { return cmp.Or(r.UserName, r.UserID.String()) }},
	Column[standing.Summary]{Header: "Score", Cell: func(r standing.Summary) string { return outOf(&r.Score, &r.MaxScore) }, Align: Right},
	Column[standing.Summary]{Header: "Ready", Cell: func(r standing.Summary) string { return ready(r.ProofReadiness) }},
)
