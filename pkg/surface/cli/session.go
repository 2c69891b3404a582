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
	var evaluation, user, run string
	cmd := pages(&cobra.Command{
		Use:     "list --evaluation ID|EXTERNAL-ID",
		Short:   "List the sessions of an evaluation, newest first",
		Example: "  assessctl session list --evaluation ARITH-1 --state open",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if evaluation == "" {
				return Usage("say which --evaluation")
			}
			filter.RunLabel = ifSet(cmd, "run-label", &run)
			return printedList(s, cmd, func(tx *db.Tx) (db.List[session.Summary], error) {
				id, err := findEvaluation(cmd.Context(), tx, evaluation)
				if err != nil {
					return db.List[session.Summary]{}, err
				}
				if user != "" {
					found, err := findUser(cmd.Context(), tx, user)
					if err != nil {
						return db.List[session.Summary]{}, err
					}
					filter.UserID = &found.ID
				}
				return session.List(cmd.Context(), tx, id, filter)
			}, sessionColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "id or external id of an evaluation")
	flags.Var(&choice{&filter.State, session.States}, "state", strings.Join(session.States, ", "))
	flags.StringVar(&user, "user", "", "only those of a user: e-mail address or id")
	optionalIDFlag(cmd, &filter.AssignmentID, "assignment", "only those of the assignment of this id")
	runLabelFlag(cmd, &run)
	return cmd
}

func newSessionShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a session with its answers and what proctors did with it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("session", args[0])
			if err != nil {
				return err
			}
			return printed(s, cmd, func(tx *db.Tx) (session.Session, error) {
				desk := session.NewDesk()
				evaluation, err := desk.EvaluationOf(cmd.Context(), tx, id)
				if err != nil {
					return session.Session{}, err
				}
				return desk.Get(cmd.Context(), tx, session.GetInput{EvaluationID: evaluation, SessionID: id})
			}, sessionFields...)
		},
	}
}

// onSession makes a command that does one thing with one session. in holds what else the
// thing depends on.
func onSession[T any](s *Shell, use, short string, in any, columns []Column[T],
	do func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (T, error)) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("session", args[0])
			if err != nil {
				return err
			}
			keyed := struct {
				ID ids.ID
				In any
			}{id, in}
			return changed(s, cmd, keyed, func(tx *db.Tx) (T, error) {
				desk := session.NewDesk()
				evaluation, err := desk.EvaluationOf(cmd.Context(), tx, id)
				if err != nil {
					var none T
					return none, err
				}
				return do(cmd.Context(), tx, desk, evaluation, id)
			}, columns...)
		},
	})
}

func newSessionClose(s *Shell) *cobra.Command {
	in := &session.CloseInput{}
	cmd := onSession(s, "close ID --reason TEXT", "End a session without a submission, for good; what was saved stays", in, sessionColumns,
		func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.Summary, error) {
			in.EvaluationID, in.SessionID = evaluation, id
			return desk.Close(ctx, tx, *in)
		})
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	return s.asking(cmd, "Close the session %s without a submission?")
}

func newSessionExtend(s *Shell) *cobra.Command {
	in := &session.ExtendInput{}
	var by time.Duration
	cmd := onSession(s, "extend ID --by DURATION --reason TEXT", "Give a session more time", in, sessionColumns,
		func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.Summary, error) {
			in.EvaluationID, in.SessionID = evaluation, id
			return desk.Extend(ctx, tx, *in)
		})
	cmd.Example = "  assessctl session extend 01a1fbc1-578d-7a4f-89c6-163d741ecbbd --by 10m --reason 'fire alarm'"
	cmd.Flags().DurationVar(&by, "by", 0, "how much time, as 90s or 10m")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	cmd.PreRun = func(*cobra.Command, []string) { in.ExtraTimeSeconds = int(by.Seconds()) }
	return cmd
}

// expiry says whether there was something to expire.
type expiry struct {
	SessionID ids.ID `json:"sessionId"`
	Expired   bool   `json:"expired"`
}

func newSessionExpire(s *Shell) *cobra.Command {
	return onSession(s, "expire ID", "Submit what was saved in a session whose time is over, without waiting for the job", nil, expiryColumns,
		func(ctx context.Context, tx *db.Tx, desk *session.Desk, _, id ids.ID) (expiry, error) {
			done, err := desk.Expire(ctx, tx, id)
			return expiry{id, done}, err
		})
}

func newSessionSubmit(s *Shell) *cobra.Command {
	cmd := onSession(s, "submit ID", "Submit an open session for its person", nil, submittedColumns,
		func(ctx context.Context, tx *db.Tx, desk *session.Desk, evaluation, id ids.ID) (session.SubmitResult, error) {
			return desk.Submit(ctx, tx, session.SubmitInput{EvaluationID: evaluation, SessionID: id})
		})
	return s.asking(cmd, "Submit the session %s for its person? They can answer nothing more.")
}

// asking lets a command that names one record ask before it does something for good.
func (s *Shell) asking(cmd *cobra.Command, question string) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := s.confirm(cmd.Context(), question, args[0])
		if err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

var sessionColumns = columns("ID, UserID*, State, Run label, StartedAt, DeadlineAt, Revision = Saves",
	Column[session.Summary]{Header: "Run label", Cell: func(r session.Summary) string {
		if r.RunLabel == nil {
			return none
		}
		return *r.RunLabel
	}, Spare: true},
)

var sessionFields = columns(`ID, UserID, Title = Evaluation, State, StartedAt, DeadlineAt, View = Device, Revision = Saves,
	Answers, Proctors`,
	Column[session.Session]{Header: "Answers", Cell: func(r session.Session) string { return strconv.Itoa(len(r.Answers)) }},
	Column[session.Session]{Header: "Proctors", Cell: func(r session.Session) string {
		return words(r.Actions, func(a session.Action) string { return a.Action + " by " + a.By + ": " + a.Reason })
	}},
)

var expiryColumns = columns[expiry]("SessionID, Expired")

var submittedColumns = columns("SubmissionID, AlreadyComplete = Before, CompletedAt, Score, OutcomeLabel = Outcome",
	Column[session.SubmitResult]{Header: "Score", Cell: func(r session.SubmitResult) string { return outOf(r.Score, r.MaxScore) }},
)
