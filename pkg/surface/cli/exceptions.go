package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/report/exception"
	"assess/pkg/report/page"
	"assess/pkg/report/projection"
	"assess/pkg/trust/readiness"
)

func newExceptions(s *Shell) *cobra.Command {
	return group("exceptions", "See which results cannot be defended yet, and who looks after them",
		append(s.operations("exceptions"), newExceptionsList(s), newShow(s, "show SUBMISSION", "Show the exception about a submission", byID("submission", exception.Get), fields(exceptionFields)),
			newExceptionsTriage(s), newExceptionsRollups(s, "engagements", "List engagements with submissions that are not ready", exception.Engagements),
			newExceptionsRollups(s, "requirements", "List programme requirements with submissions that are not ready", exception.Requirements),
			newExceptionsRefresh(s))...)
}

// exceptionFlags adds the flags that all lists of the queue share.
func exceptionFlags(cmd *cobra.Command, f *exception.Filter) {
	flags := cmd.Flags()
	flags.Var(&choice{&f.State, exception.States}, "state", "open, acknowledged or resolved (default: all that are not resolved)")
	flags.Var(&choice{&f.ReadinessState, exception.ReadinessStates}, "readiness", "not_met: something stands against the result; pending: it waits for somebody; met: cleared")
	idFlag(cmd, &f.OwnerUserID, "owner", "only what the user with this id looks after")
	flags.BoolVar(&f.IncludeSuppressed, "include-suppressed", false, "with those that are suppressed now")
	flags.Var(&choice{&f.Sort, []string{exception.OldestFirst, exception.NewestFirst}}, "sort", "age: the oldest issue first, which is the default; -age: the newest")
}

func newExceptionsList(s *Shell) *cobra.Command {
	var f exception.Filter
	var evaluation, file string
	list := func(ctx context.Context, tx *db.Tx, _ []string) (db.List[exception.Exception], error) {
		var err error
		if evaluation != "" {
			f.EvaluationID, err = findEvaluation(ctx, tx, evaluation)
		}
		if err != nil {
			return db.List[exception.Exception]{}, err
		}
		return exception.List(ctx, tx, f)
	}
	cmd := newList(s, "list", "List submissions whose results cannot be defended yet, the oldest issue first", &f.Page, list, exceptionColumns)
	exceptionFlags(cmd, &f)
	cmd.Flags().Var(&choice{&f.Reason, readiness.Codes()}, "reason", "only those with this reason")
	cmd.Flags().StringVar(&evaluation, "evaluation", "", "id or external id of an evaluation")
	htmlFlag(cmd, &file)
	cmd.MarkFlagsMutuallyExclusive("all", "html") // a page of HTML is a page of the list
	plain := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return plain(cmd, args)
		}
		drawn, err := read(cmd.Context(), s, func(tx *db.Tx) (page.Page, error) {
			found, err := list(cmd.Context(), tx, args)
			if err != nil {
				return page.Page{}, err
			}
			names, err := people.NamesOf(cmd.Context(), tx, exception.Owners(found.Items))
			return page.Exceptions(found, names), err
		})
		if err != nil {
			return err
		}
		return s.writePage(file, drawn)
	}
	return cmd
}

func newExceptionsRollups(s *Shell, name, short string, kind exception.Kind) *cobra.Command {
	var f exception.Filter
	cmd := newList(s, name, short, &f.Page, func(ctx context.Context, tx *db.Tx, _ []string) (db.List[exception.Rollup], error) {
		return exception.ListRollups(ctx, tx, kind, f)
	}, rollupColumns)
	exceptionFlags(cmd, &f)
	return cmd
}

func newExceptionsTriage(s *Shell) *cobra.Command {
	var in exception.TriageInput
	var of string
	const submission, engagement, requirement = "submission", "engagement", "requirement"
	do := func(ctx context.Context, tx *db.Tx, id ids.ID) (any, error) {
		switch of {
		case engagement:
			return exception.WorkRollup(ctx, tx, exception.Engagements, id, in)
		case requirement:
			return exception.WorkRollup(ctx, tx, exception.Requirements, id, in)
		}
		return exception.Work(ctx, tx, id, in)
	}
	cmd := newAct(s, "triage ID", "Set state, owner and suppression of an exception", byID("exception", do), drawn(drawTriaged))
	flags := cmd.Flags()
	flags.Var(&choice{&of, []string{submission, engagement, requirement}}, "of", "what the id is of: submission, which is the default, engagement or requirement")
	flags.Var(&choice{&in.State, exception.States}, "state", "open, acknowledged or resolved")
	optionalIDFlag(cmd, &in.OwnerUserID, "owner", "id of the user who looks after it")
	timeFlag(cmd, &in.SuppressedUntil, "suppress-until", "leave it out of the list until then")
	flags.StringSliceVar(&in.Clear, "clear", nil, "fields to empty: ownerUserId, suppressedUntil")
	timeFlag(cmd, &in.UpdatedAt, "updated-at", "the state that the change was made from")
	return cmd
}

func newExceptionsRefresh(s *Shell) *cobra.Command {
	var in projection.RefreshInput
	var queue bool
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Judge submissions anew, all of the scope or those that are named",
		Long: `Judge submissions anew. The queue is up to date without it: whatever changes about a submission
leads to a fresh look. A refresh says of every exception when it was last seen, and finds what was
changed behind the service's back. It can be interrupted; assessd goes on with it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.ask(cmd, in, queue, func(tx *db.Tx) (projection.Job, error) { return projection.QueueRefresh(cmd.Context(), tx, in) })
		},
	}
	idsFlag(cmd, &in.SubmissionIDs, "submission", "ids of submissions, separated by commas")
	optionalIDFlag(cmd, &in.EvaluationVersionID, "evaluation-version", "id of an evaluation version")
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the work to assessd")
	return s.changes(cmd)
}

func drawTriaged(screen *Screen, r any) error {
	if one, ok := r.(exception.Exception); ok {
		return writeFields(screen, one, exceptionFields)
	}
	return writeFields(screen, r.(exception.Rollup), rollupColumns)
}

func reasonsOf(r exception.Exception) string { return reasonsInWords(r.Reasons) }

var exceptionColumns = columns("SubmissionID, EvaluationTitle = Evaluation, State, ReadinessState = Readiness, Reasons, OwnerUserID = Owner*, FirstSeenAt = Since (UTC), SuppressedUntil = Suppressed until (UTC)",
	Column[exception.Exception]{Header: "Reasons", Cell: reasonsOf})

var exceptionFields = append(slices.Clip(exceptionColumns), columns[exception.Exception]("EvaluationID = Evaluation id, UserID, CompletedAt, LastSeenAt, UpdatedAt")...)

var rollupColumns = columns[exception.Rollup]("ID, ExternalID, State, ReadinessState = Readiness, ActiveSubmissionCount = Active, BlockedSubmissionCount = Blocked, NeedsReviewSubmissionCount = Needs review, OwnerUserID = Owner*, FirstSeenAt = Since (UTC)")
