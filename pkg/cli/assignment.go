package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/assignment"
	"assess/pkg/db"
	"assess/pkg/ids"
)

func newAssignment(s *Session) *cobra.Command {
	return group("assignment", "Hand out evaluations and watch who takes them",
		newAssignmentList(s), newAssignmentShow(s), newAssignmentCreate(s), newAssignmentClose(s), newAssignmentOverride(s),
		newAssignmentInvite(s), newAssignmentMonitor(s), newSchedule(s))
}

func newAssignmentList(s *Session) *cobra.Command {
	var filter assignment.Filter
	var evaluation, batch string
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List assignments, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for flag, into := range map[string]*ids.ID{"evaluation": &filter.EvaluationID, "batch": &filter.BatchID} {
				id, err := optionalID(flag, cmd.Flag(flag).Value.String())
				if err != nil {
					return err
				}
				if id != nil {
					*into = *id
				}
			}
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[assignment.Assignment], error) {
				return assignment.List(cmd.Context(), tx, filter)
			})
			if err != nil {
				return err
			}
			return printList(s, list, assignmentColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "only those of the evaluation of this id")
	flags.StringVar(&batch, "batch", "", "only those of this batch")
	flags.StringVar(&filter.TargetType, "target", "", "user_id, email, group_id or public_link")
	flags.StringVar(&filter.Status, "status", "", "active or closed")
	flags.StringVar(&filter.RunLabel, "run-label", "", "only those of this run label")
	return cmd
}

func newAssignmentShow(s *Session) *cobra.Command {
	return show(s, "assignment", assignment.Get, assignmentColumns...)
}

func newAssignmentCreate(s *Session) *cobra.Command {
	var in assignment.CreateInput
	var from, to, subject, engagement string
	cmd := &cobra.Command{
		Use:   "create EVALUATION-ID TARGET-TYPE [TARGET...]",
		Short: "Hand out an evaluation to persons, addresses or groups, or by a public link",
		Example: `  assessctl assignment create 01a1fbc1-578d-7a4f-89c6-163d741ecbbd email ada@example.org bob@example.org --invite
  assessctl assignment create 01a1fbc1-578d-7a4f-89c6-163d741ecbbd public_link --to 2031-04-01`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.EvaluationID, err = recordID("evaluation", args[0])
			if err != nil {
				return err
			}
			in.ValidFrom, in.ValidUntil, err = period(from, to)
			if err != nil {
				return err
			}
			in.SubjectID, err = optionalID("subject", subject)
			if err != nil {
				return err
			}
			in.EngagementID, err = optionalID("engagement", engagement)
			if err != nil {
				return err
			}
			in.Targets = targets(args[1], args[2:])
			made, err := write(s, cmd, in, func(tx *db.Tx) (assignment.Created, error) {
				return assignment.Create(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, made, made.Items, handedColumns...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.RunLabel, "run-label", "", "marks the run")
	flags.StringVar(&subject, "subject", "", "id of the subject that it is about")
	flags.StringVar(&engagement, "engagement", "", "id of the engagement that it belongs to")
	flags.BoolVar(&in.WithToken, "with-token", false, "make tokens that redeem it; they are shown this once")
	flags.BoolVar(&in.Invite, "invite", false, "queue an invitation by mail to every invitee")
	periodFlags(cmd, &from, &to)
	return s.changes(cmd)
}

func newAssignmentClose(s *Session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "close ID",
		Short: "Close an assignment: no redemption, no start; running sessions go on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			closed := "closed"
			return updateOne(s, cmd, "assignment", args[0], assignment.Patch{Status: &closed}, assignment.Update, assignmentColumns...)
		},
	}
	return s.changes(cmd)
}

func newAssignmentOverride(s *Session) *cobra.Command {
	var in assignment.OverrideInput
	var from, to string
	cmd := &cobra.Command{
		Use:     "override ID USER-ID --reason TEXT",
		Short:   "Give one invitee more time, more attempts or another window",
		Example: "  assessctl assignment override 01a1fbc1-578d-7a4f-89c6-163d741ecbbd 01a1fbc1-5791-7b86-8c4b-4a5c8a3a2f10 --extra-time 600 --reason 'fire alarm'",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.UserID, err = recordID("user", args[1])
			if err != nil {
				return err
			}
			in.ValidFrom, in.ValidUntil, err = period(from, to)
			if err != nil {
				return err
			}
			return updateOne(s, cmd, "assignment", args[0], in, assignment.SetOverride, overrideColumns...)
		},
	}
	cmd.Flags().IntVar(&in.ExtraTimeSeconds, "extra-time", 0, "seconds added to the time limit")
	cmd.Flags().IntVar(&in.ExtraAttempts, "extra-attempts", 0, "further attempts")
	cmd.Flags().StringVar(&in.Reason, "reason", "", "why; name nobody here")
	periodFlags(cmd, &from, &to)
	return s.changes(cmd)
}

func newAssignmentInvite(s *Session) *cobra.Command {
	var in assignment.InviteInput
	cmd := &cobra.Command{
		Use:   "invite ID",
		Short: "Queue invitations by mail to those who have had none",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return updateOne(s, cmd, "assignment", args[0], in, assignment.Invite, invitedColumns...)
		},
	}
	cmd.Flags().BoolVar(&in.Resend, "resend", false, "also to those whose mail was sent or failed before")
	return s.changes(cmd)
}

func newAssignmentMonitor(s *Session) *cobra.Command {
	var in assignment.MonitorInput
	cmd := pages(&cobra.Command{
		Use:   "monitor ID",
		Short: "Show how far the invitees are",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.ID, err = recordID("assignment", args[0])
			if err != nil {
				return err
			}
			m, err := read(cmd.Context(), s, func(tx *db.Tx) (assignment.Monitor, error) {
				return assignment.Watch(cmd.Context(), tx, in)
			})
			if err != nil {
				return unknown("assignment", args[0], err)
			}
			err = PrintPage(s, m, m.Items, inviteeColumns...)
			if err == nil && s.Format == FormatTable {
				for _, state := range assignment.MonitorStates {
					s.Note("%s: %d", state, m.Counts[state])
				}
				s.notePage(m.Page, m.Limit, len(m.Items), m.Total)
			}
			return err
		},
	}, &in.Page)
	cmd.Flags().StringVar(&in.State, "state", "", "not_started, in_progress, completed, expired or overridden")
	cmd.Flags().BoolVar(&in.Batch, "batch", false, "all assignments of the same batch")
	return cmd
}

// targets makes the targets of a call; a public link has no reference.
func targets(kind string, refs []string) []assignment.Target {
	if len(refs) == 0 {
		return []assignment.Target{{Type: kind}}
	}
	var all []assignment.Target
	for _, ref := range refs {
		all = append(all, assignment.Target{Type: kind, Ref: ref})
	}
	return all
}
