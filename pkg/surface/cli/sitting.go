package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/exam/delivery"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newSitting makes the commands for candidates' sessions; a Session here is a call of
// assessctl.
func newSitting(s *Session) *cobra.Command {
	return group("session", "List candidates' sessions, read them, and act as a proctor",
		newSittingList(s), newSittingShow(s), newSittingClose(s), newSittingExtend(s), newSittingExpire(s), newSittingSubmit(s))
}

func newSittingList(s *Session) *cobra.Command {
	var filter delivery.Filter
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
			return printedList(s, cmd, func(tx *db.Tx) (db.List[delivery.Summary], error) {
				id, err := findEvaluation(cmd.Context(), tx, evaluation)
				if err != nil {
					return db.List[delivery.Summary]{}, err
				}
				if user != "" {
					found, err := findUser(cmd.Context(), tx, user)
					if err != nil {
						return db.List[delivery.Summary]{}, err
					}
					filter.UserID = &found.ID
				}
				return delivery.List(cmd.Context(), tx, id, filter)
			}, sittingColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "id or external id of an evaluation")
	flags.Var(&choice{&filter.State, delivery.States}, "state", strings.Join(delivery.States, ", "))
	flags.StringVar(&user, "user", "", "only those of a user: e-mail address or id")
	optionalIDFlag(cmd, &filter.AssignmentID, "assignment", "only those of the assignment of this id")
	runLabelFlag(cmd, &run)
	return cmd
}

func newSittingShow(s *Session) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a session with its answers and what proctors did with it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("session", args[0])
			if err != nil {
				return err
			}
			return printed(s, cmd, func(tx *db.Tx) (delivery.Session, error) {
				desk := delivery.NewDesk()
				evaluation, err := desk.EvaluationOf(cmd.Context(), tx, id)
				if err != nil {
					return delivery.Session{}, err
				}
				return desk.Get(cmd.Context(), tx, delivery.GetInput{EvaluationID: evaluation, SessionID: id})
			}, sittingFields...)
		},
	}
}

// onSitting makes a command that does one thing with one session. in holds what else the
// thing depends on.
func onSitting[T any](s *Session, use, short string, in any, columns []Column[T],
	do func(ctx context.Context, tx *db.Tx, desk *delivery.Desk, evaluation, session ids.ID) (T, error)) *cobra.Command {
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
				desk := delivery.NewDesk()
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

func newSittingClose(s *Session) *cobra.Command {
	in := &delivery.CloseInput{}
	cmd := onSitting(s, "close ID --reason TEXT", "End a session without a submission, for good; what was saved stays", in, sittingColumns,
		func(ctx context.Context, tx *db.Tx, desk *delivery.Desk, evaluation, session ids.ID) (delivery.Summary, error) {
			in.EvaluationID, in.SessionID = evaluation, session
			return desk.Close(ctx, tx, *in)
		})
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	return s.asking(cmd, "Close the session %s without a submission?")
}

func newSittingExtend(s *Session) *cobra.Command {
	in := &delivery.ExtendInput{}
	var by time.Duration
	cmd := onSitting(s, "extend ID --by DURATION --reason TEXT", "Give a session more time", in, sittingColumns,
		func(ctx context.Context, tx *db.Tx, desk *delivery.Desk, evaluation, session ids.ID) (delivery.Summary, error) {
			in.EvaluationID, in.SessionID = evaluation, session
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

func newSittingExpire(s *Session) *cobra.Command {
	return onSitting(s, "expire ID", "Submit what was saved in a session whose time is over, without waiting for the job", nil, expiryColumns,
		func(ctx context.Context, tx *db.Tx, desk *delivery.Desk, _, session ids.ID) (expiry, error) {
			done, err := desk.Expire(ctx, tx, session)
			return expiry{session, done}, err
		})
}

func newSittingSubmit(s *Session) *cobra.Command {
	cmd := onSitting(s, "submit ID", "Submit an open session for its person", nil, submittedColumns,
		func(ctx context.Context, tx *db.Tx, desk *delivery.Desk, evaluation, session ids.ID) (delivery.SubmitResult, error) {
			return desk.Submit(ctx, tx, delivery.SubmitInput{EvaluationID: evaluation, SessionID: session})
		})
	return s.asking(cmd, "Submit the session %s for its person? They can answer nothing more.")
}

// asking lets a command that names one record ask before it does something for good.
func (s *Session) asking(cmd *cobra.Command, question string) *cobra.Command {
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

var sittingColumns = columns("ID, UserID*, State, Run label, StartedAt, DeadlineAt, Revision = Saves",
	Column[delivery.Summary]{Header: "Run label", Cell: func(r delivery.Summary) string {
		if r.RunLabel == nil {
			return none
		}
		return *r.RunLabel
	}, Spare: true},
)

var sittingFields = columns(`ID, UserID, Title = Evaluation, State, StartedAt, DeadlineAt, View = Device, Revision = Saves,
	Answers, Proctors`,
	Column[delivery.Session]{Header: "Answers", Cell: func(r delivery.Session) string { return strconv.Itoa(len(r.Answers)) }},
	Column[delivery.Session]{Header: "Proctors", Cell: func(r delivery.Session) string {
		return words(r.Actions, func(a delivery.Action) string { return a.Action + " by " + a.By + ": " + a.Reason })
	}},
)

var expiryColumns = columns[expiry]("SessionID, Expired")

var submittedColumns = columns("SubmissionID, AlreadyComplete = Before, CompletedAt, Score, OutcomeLabel = Outcome",
	Column[delivery.SubmitResult]{Header: "Score", Cell: func(r delivery.SubmitResult) string { return outOf(r.Score, r.MaxScore) }},
)
