package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
)

func newAssignment(s *Shell) *cobra.Command {
	return group("assignment", "Hand out evaluations and watch who takes them",
		newAssignmentList(s), newAssignmentShow(s), newAssignmentCreate(s), newAssignmentUpdate(s), newAssignmentClose(s), newAssignmentOpen(s),
		newAssignmentOverride(s), newAssignmentRotateToken(s), newAssignmentInvite(s), newAssignmentMonitor(s), newSchedule(s))
}

func newAssignmentList(s *Shell) *cobra.Command {
	var filter assignment.Filter
	var evaluation, run string
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List assignments, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter.RunLabel = ifSet(cmd, "run-label", &run)
			return printedList(s, cmd, func(tx *db.Tx) (db.List[assignment.Assignment], error) {
				if evaluation != "" {
					var err error
					filter.EvaluationID, err = findEvaluation(cmd.Context(), tx, evaluation)
					if err != nil {
						return db.List[assignment.Assignment]{}, err
					}
				}
				return assignment.List(cmd.Context(), tx, filter)
			}, assignmentColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&evaluation, "evaluation", "", "only those of the evaluation of this id or external id")
	idFlag(cmd, &filter.BatchID, "batch", "only those of this batch")
	flags.Var(&choice{&filter.TargetType, assignment.TargetTypes}, "target", strings.Join(assignment.TargetTypes, ", "))
	flags.Var(&choice{&filter.Status, assignment.Statuses}, "status", strings.Join(assignment.Statuses, ", "))
	runLabelFlag(cmd, &run)
	return cmd
}

func newAssignmentShow(s *Shell) *cobra.Command {
	return show(s, "assignment", assignment.Get, assignmentColumns...)
}

func newAssignmentInvite(s *Shell) *cobra.Command {
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

func newAssignmentMonitor(s *Shell) *cobra.Command {
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
	cmd.Flags().Var(&choice{&in.State, assignment.MonitorStates}, "state", strings.Join(assignment.MonitorStates, ", "))
	cmd.Flags().BoolVar(&in.Batch, "batch", false, "all assignments of the same batch")
	return cmd
}
