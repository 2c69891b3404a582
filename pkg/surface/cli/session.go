package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newSession makes the commands for candidates' sessions.
func newSession(s *Shell) *cobra.Command {
	return group("session", "List candidates' sessions, read them, and act as a proctor",
		newSessionList(s), newSessionShow(s), newSessionClose(s), newSessionExtend(s), newSessionExpire(s), newSessionSubmit(s))
}

func newSessionList(s *Shell) *cobra.Command {
	var filter session.Filter
	var evaluation, user string
	var userID ids.ID
	cmd := newList(s, "list --evaluation ID|EXTERNAL-ID", "List the sessions of an evaluation, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[session.Summary], error) {
			if evaluation == "" {
				return db.List[session.Summary]{}, Usage("say which --evaluation")
			}
			id, err := findEvaluation(ctx, tx, evaluation)
			if err == nil && user != "" {
				userID, err = findUserID(ctx, tx, user)
				filter.UserID = &userID
			}
			if err != nil {
				return db.List[session.Summary]{}, err
			}
			return session.List(ctx, tx, id, filter)
		}, sessionColumns)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "id or external id of an evaluation")
	flags.Var(&choice{&filter.State, session.States}, "state", strings.Join(session.States, ", "))
	flags.StringVar(&user, "user", "", "only those of a user: e-mail address or id")
	optionalIDFlag(cmd, &filter.AssignmentID, "assignment", "only those of the assignment of this id")
	runLabelFlag(cmd, &filter.RunLabel, listedRun)
	return cmd
}

// atDesk does something with the session that the first word names.
func atDesk[T any](do func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (T, error)) work[T] {
	return byID("session", func(ctx context.Context, tx *db.Tx, id ids.ID) (T, error) {
		desk := session.NewDesk()
		evaluation, err := desk.EvaluationOf(ctx, tx, id)
		if err != nil {
			var none T
			return none, err
		}
		return do(ctx, tx, desk, evaluation, id)
	})
}

func newSessionShow(s *Shell) *cobra.Command {
	return newShow(s, "show ID", "Show a session with its answers and what proctors did with it",
		atDesk(func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.Session, error) {
			return desk.Get(ctx, tx, session.GetInput{EvaluationID: evaluation, SessionID: id})
		}), fields(sessionFields))
}

func newSessionClose(s *Shell) *cobra.Command {
	var in session.CloseInput
	cmd := asking(newAct(s, "close ID --reason TEXT", "End a session without a submission, for good; what was saved stays",
		atDesk(func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.Summary, error) {
			in.EvaluationID, in.SessionID = evaluation, id
			return desk.Close(ctx, tx, in)
		}), fields(sessionColumns)), "Close the session %[1]s without a submission?")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	return cmd
}

func newSessionExtend(s *Shell) *cobra.Command {
	var in session.ExtendInput
	var by time.Duration
	cmd := newAct(s, "extend ID --by DURATION --reason TEXT", "Give a session more time",
		atDesk(func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.Summary, error) {
			in.EvaluationID, in.SessionID, in.ExtraTimeSeconds = evaluation, id, int(by.Seconds())
			return desk.Extend(ctx, tx, in)
		}), fields(sessionColumns))
	cmd.Flags().DurationVar(&by, "by", 0, "how much time, as 90s or 10m")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	return cmd
}

// expiry says whether there was something to expire.
type expiry struct {
	SessionID ids.ID `json:"sessionId"`
	Expired   bool   `json:"expired"`
}

func newSessionExpire(s *Shell) *cobra.Command {
	return newAct(s, "expire ID", "Submit what was saved in a session whose time is over, without waiting for the job",
		atDesk(func(ctx context.Context, tx *db.Tx, desk *session.Desk, _, id ids.ID) (expiry, error) {
			done, err := desk.Expire(ctx, tx, id)
			return expiry{id, done}, err
		}), fields(columns[expiry]("SessionID, Expired")))
}

func newSessionSubmit(s *Shell) *cobra.Command {
	return asking(newAct(s, "submit ID", "Submit an open session for its person",
		atDesk(func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.SubmitResult, error) {
			return desk.Submit(ctx, tx, session.SubmitInput{EvaluationID: evaluation, SessionID: id})
		}), fields(submittedColumns)), "Submit the session %[1]s for its person? They can answer nothing more.")
}

var sessionColumns = columns[session.Summary]("ID, UserID*, State, RunLabel*, StartedAt, DeadlineAt, Revision = Saves")

var sessionFields = columns(`ID, UserID, Title = Evaluation, State, StartedAt, DeadlineAt, View = Device, Revision = Saves,
	Answers, Proctors`,
	Column[session.Session]{Header: "Answers", Cell: func(r session.Session) string { return strconv.Itoa(len(r.Answers)) }},
	Column[session.Session]{Header: "Proctors", Cell: func(r session.Session) string {
		return words(r.Actions, func(a session.Action) string { return a.Action + " by " + a.By + ": " + a.Reason })
	}},
)

var submittedColumns = columns("SubmissionID, AlreadyComplete = Before, CompletedAt, Score, OutcomeLabel = Outcome",
	Column[session.SubmitResult]{Header: "Score", Cell: func(r session.SubmitResult) string { return outOf(r.Score, r.MaxScore) }},
)
