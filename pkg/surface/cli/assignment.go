package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newAssignment(s *Shell) *cobra.Command {
	return group("assignment", "Hand out evaluations and watch who takes them", newAssignmentList(s),
		newShow(s, "show ID", "Show one assignment", byID("assignment", assignment.Get), fields(assignmentColumns)),
		newAssignmentCreate(s), newAssignmentUpdate(s),
		asking(newAssignmentStatus(s, "close ID", "Close an assignment: no redemption, no start; running sessions go on", models.AssignmentClosed),
			"Close the assignment %[1]s?"),
		newAssignmentStatus(s, "open ID", "Open a closed assignment again", models.AssignmentActive), newAssignmentOverride(s),
		secret(newAct(s, "rotate-token ID", "Make a new token for an assignment, which is shown once and ends the one before",
			byID("assignment", assignment.RotateToken), fields(columns[assignment.Rotated]("Token")))),
		newAssignmentInvite(s), newAssignmentMonitor(s), newAssignmentSEB(s), newSchedule(s))
}

func newAssignmentList(s *Shell) *cobra.Command {
	var filter assignment.Filter
	var evaluation string
	cmd := newList(s, "list", "List assignments, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[assignment.Assignment], error) {
			err := ifNamed(ctx, tx, evaluation, findEvaluation, &filter.EvaluationID)
			if err != nil {
				return db.List[assignment.Assignment]{}, err
			}
			return assignment.List(ctx, tx, filter)
		}, assignmentColumns)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "only those of the evaluation of this id or external id")
	idFlag(cmd, &filter.BatchID, "batch", "only those of this batch")
	flags.Var(&choice{&filter.TargetType, assignment.TargetTypes}, "target", strings.Join(assignment.TargetTypes, ", "))
	flags.Var(&choice{&filter.Status, assignment.Statuses}, "status", strings.Join(assignment.Statuses, ", "))
	runLabelFlag(cmd, &filter.RunLabel, listedRun)
	return cmd
}

func newAssignmentCreate(s *Shell) *cobra.Command {
	var in assignment.CreateInput
	cmd := secret(newAct(s, "create EVALUATION TARGET-TYPE [TARGET...]", "Hand out an evaluation to persons, addresses or groups, or by a public link",
		func(ctx context.Context, tx *db.Tx, args []string) (assignment.Created, error) {
			return handOut(ctx, tx, in, args)
		},
		tableOf(func(made assignment.Created) []assignment.Handed { return made.Items }, columns[assignment.Handed]("TargetType = Target, TargetRef = Who, Token, ID"))))
	cmd.Long = "Hand out an evaluation, by its id or external id, to persons (user_id: ids or addresses of\n" +
		"users), addresses (email: with an account or without), groups (group_id: names or ids), or\n" +
		"by a public link (public_link, without targets)."
	flags := cmd.Flags()
	flags.StringVar(&in.RunLabel, "run-label", "", "marks the run")
	optionalIDFlag(cmd, &in.SubjectID, "subject", "id of the subject that it is about")
	optionalIDFlag(cmd, &in.EngagementID, "engagement", "id of the engagement that it belongs to")
	flags.BoolVar(&in.WithToken, "with-token", false, "make tokens that redeem it; they are shown this once")
	flags.BoolVar(&in.Invite, "invite", false, "queue an invitation by mail to every invitee")
	openFlags(cmd, &in.ValidFrom, &in.ValidUntil)
	return cmd
}

func handOut(ctx context.Context, tx *db.Tx, in assignment.CreateInput, args []string) (assignment.Created, error) {
	var err error
	in.EvaluationID, err = findEvaluation(ctx, tx, args[0])
	if err != nil {
		return assignment.Created{}, err
	}
	refs, err := targetRefs(ctx, tx, args[1], args[2:])
	if err != nil {
		return assignment.Created{}, err
	}
	for _, ref := range refs {
		in.Targets = append(in.Targets, assignment.Target{Type: args[1], Ref: ref})
	}
	if len(refs) == 0 {
		in.Targets = []assignment.Target{{Type: args[1]}} // a public link has no reference
	}
	return assignment.Create(ctx, tx, in)
}

// targetRefs takes the words that people use for users and groups, too.
func targetRefs(ctx context.Context, tx *db.Tx, kind string, words []string) ([]string, error) {
	find, named := map[string]func(context.Context, *db.Tx, string) (ids.ID, error){
		models.TargetUser: findUserID, models.TargetGroup: findGroupID}[kind]
	if !named {
		return words, nil
	}
	var refs []string
	for _, word := range words {
		id, err := find(ctx, tx, word)
		if err != nil {
			return nil, err
		}
		refs = append(refs, id.String())
	}
	return refs, nil
}

func newAssignmentUpdate(s *Shell) *cobra.Command {
	var patch assignment.Patch
	cmd := newAct(s, "update ID", "Change the window, the subject or the engagement of an assignment",
		change("assignment", &patch, assignment.Update), fields(assignmentColumns))
	optionalIDFlag(cmd, &patch.SubjectID, "subject", "id of the subject that it is about")
	optionalIDFlag(cmd, &patch.EngagementID, "engagement", "id of the engagement that it belongs to")
	cmd.Flags().StringSliceVar(&patch.Clear, "clear", nil, "validFrom, validUntil, subjectId or engagementId: what to empty; repeatable")
	openFlags(cmd, &patch.ValidFrom, &patch.ValidUntil)
	return cmd
}

func newAssignmentStatus(s *Shell, use, short, status string) *cobra.Command {
	patch := assignment.Patch{Status: &status}
	return newAct(s, use, short, change("assignment", &patch, assignment.Update), fields(assignmentColumns))
}

func newAssignmentOverride(s *Shell) *cobra.Command {
	var in assignment.OverrideInput
	cmd := newAct(s, "override ID EMAIL|USER-ID --reason TEXT", "Give one invitee more time, more attempts or another window",
		func(ctx context.Context, tx *db.Tx, args []string) (assignment.Override, error) {
			id, err := recordID("assignment", args[0])
			if err == nil {
				in.UserID, err = findUserID(ctx, tx, args[1])
			}
			if err != nil {
				return assignment.Override{}, err
			}
			return assignment.SetOverride(ctx, tx, id, in)
		}, fields(columns[assignment.Override](`UserID, ExtraTimeSeconds = Extra time (s), ExtraAttempts, ValidFrom = From (UTC),
	ValidUntil = Until (UTC), SessionsExtended`)))
	cmd.Long = "Give one invitee more time, more attempts or another window. An earlier override keeps what\n" +
		"this one leaves out."
	optional(cmd, &in.ExtraTimeSeconds, "extra-time", "seconds added to the time limit", cmd.Flags().Int)
	optional(cmd, &in.ExtraAttempts, "extra-attempts", "further attempts", cmd.Flags().Int)
	cmd.Flags().StringSliceVar(&in.Clear, "clear", nil, "validFrom or validUntil: what the assignment says holds again; repeatable")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	openFlags(cmd, &in.ValidFrom, &in.ValidUntil)
	return cmd
}

func newAssignmentInvite(s *Shell) *cobra.Command {
	var in assignment.InviteInput
	cmd := newAct(s, "invite ID", "Queue invitations by mail to those who have had none",
		change("assignment", &in, assignment.Invite), fields(columns[assignment.Invited]("Invitees, Queued = Queued now")))
	cmd.Flags().BoolVar(&in.Resend, "resend", false, "also to those whose mail was sent or failed before")
	return cmd
}

func newAssignmentMonitor(s *Shell) *cobra.Command {
	var in assignment.MonitorInput
	cmd := newPaged(s, (*db.Store).Read, "monitor ID", "Show how far the invitees are", &in.Page,
		byID("assignment", func(ctx context.Context, tx *db.Tx, id ids.ID) (assignment.Monitor, error) {
			in.ID = id
			return assignment.Watch(ctx, tx, in)
		}), func(m *assignment.Monitor) paged[assignment.Invitee] { return pagedOf(&m.List) }, printMonitor)
	cmd.Flags().Var(&choice{&in.State, assignment.MonitorStates}, "state", strings.Join(assignment.MonitorStates, ", "))
	cmd.Flags().BoolVar(&in.Batch, "batch", false, "all assignments of the same batch")
	return cmd
}

func printMonitor(s *Shell, m assignment.Monitor) error {
	err := PrintPage(s, m, m.Items, columns[assignment.Invitee]("Email = E-mail, State, Attempts, CompletedAt, Invitation, UserID*")...)
	if err == nil && s.Format == FormatTable {
		for _, state := range assignment.MonitorStates {
			s.Note("%s: %d", state, m.Counts[state])
		}
		s.notePage(m.Page, m.Limit, len(m.Items), m.Total)
	}
	return err
}

var assignmentColumns = columns(`EvaluationTitle = Evaluation, TargetType = Target, Who, RunLabel, Status, ValidFrom = From (UTC), ValidUntil = Until (UTC),
	ID*`,
	Column[assignment.Assignment]{Header: "Who", Cell: func(a assignment.Assignment) string { return cmp.Or(a.Email, a.TargetName, a.TargetRef) }},
)
