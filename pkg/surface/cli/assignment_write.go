package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// handOut is what create takes, in the words of the call.
type handOut struct {
	Evaluation, Kind string
	Refs             []string
	Input            assignment.CreateInput
}

func newAssignmentCreate(s *Shell) *cobra.Command {
	var in handOut
	cmd := &cobra.Command{
		Use:   "create EVALUATION TARGET-TYPE [TARGET...]",
		Short: "Hand out an evaluation to persons, addresses or groups, or by a public link",
		Long: "Hand out an evaluation, by its id or external id, to persons (user_id: ids or addresses of\n" +
			"users), addresses (email: with an account or without), groups (group_id: names or ids), or\n" +
			"by a public link (public_link, without targets).",
		Example: `  assessctl assignment create SAFETY email ada@example.org bob@example.org --invite --tenant northwind --org north
  assessctl assignment create SAFETY group_id Crew --run-label spring --tenant northwind --org north
  assessctl assignment create SAFETY public_link --to 2031-04-01 --tenant northwind --org north`,
		Args:        cobra.MinimumNArgs(2),
		Annotations: map[string]string{printsSecret: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Evaluation, in.Kind, in.Refs = args[0], args[1], args[2:]
			made, err := write(s, cmd, in, func(tx *db.Tx) (assignment.Created, error) {
				return in.make(cmd.Context(), tx)
			})
			if err != nil {
				return err
			}
			return PrintPage(s, made, made.Items, handedColumns...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Input.RunLabel, "run-label", "", "marks the run")
	optionalIDFlag(cmd, &in.Input.SubjectID, "subject", "id of the subject that it is about")
	optionalIDFlag(cmd, &in.Input.EngagementID, "engagement", "id of the engagement that it belongs to")
	flags.BoolVar(&in.Input.WithToken, "with-token", false, "make tokens that redeem it; they are shown this once")
	flags.BoolVar(&in.Input.Invite, "invite", false, "queue an invitation by mail to every invitee")
	periodFlags(cmd, &in.Input.ValidFrom, &in.Input.ValidUntil)
	return s.changes(cmd)
}

func (h handOut) make(ctx context.Context, tx *db.Tx) (assignment.Created, error) {
	var err error
	h.Input.EvaluationID, err = findEvaluation(ctx, tx, h.Evaluation)
	if err != nil {
		return assignment.Created{}, err
	}
	refs, err := targetRefs(ctx, tx, h.Kind, h.Refs)
	if err != nil {
		return assignment.Created{}, err
	}
	for _, ref := range refs {
		h.Input.Targets = append(h.Input.Targets, assignment.Target{Type: h.Kind, Ref: ref})
	}
	if len(refs) == 0 {
		h.Input.Targets = []assignment.Target{{Type: h.Kind}} // a public link has no reference
	}
	return assignment.Create(ctx, tx, h.Input)
}

// targetRefs takes the words that people use for users and groups, too.
func targetRefs(ctx context.Context, tx *db.Tx, kind string, words []string) ([]string, error) {
	var refs []string
	for _, word := range words {
		id := ids.None
		switch kind {
		case models.TargetUser:
			user, err := findUser(ctx, tx, word)
			if err != nil {
				return nil, err
			}
			id = user.ID
		case models.TargetGroup:
			group, err := findGroup(ctx, tx, word)
			if err != nil {
				return nil, err
			}
			id = group.ID
		}
		if id != ids.None {
			word = id.String()
		}
		refs = append(refs, word)
	}
	return refs, nil
}

func newAssignmentUpdate(s *Shell) *cobra.Command {
	var patch assignment.Patch
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change the window, the subject or the engagement of an assignment",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return updateOne(s, cmd, "assignment", args[0], patch, assignment.Update, assignmentColumns...)
		},
	}
	optionalIDFlag(cmd, &patch.SubjectID, "subject", "id of the subject that it is about")
	optionalIDFlag(cmd, &patch.EngagementID, "engagement", "id of the engagement that it belongs to")
	cmd.Flags().StringSliceVar(&patch.Clear, "clear", nil, "validFrom, validUntil, subjectId or engagementId: what to empty; repeatable")
	periodFlags(cmd, &patch.ValidFrom, &patch.ValidUntil)
	return s.changes(cmd)
}

func newAssignmentClose(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "close ID",
		Short: "Close an assignment: no redemption, no start; running sessions go on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.confirm(cmd.Context(), "Close the assignment %s?", args[0])
			if err != nil {
				return err
			}
			return s.setAssignmentStatus(cmd, args[0], models.AssignmentClosed)
		},
	}
	return s.changes(cmd)
}

func newAssignmentOpen(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open ID",
		Short: "Open a closed assignment again",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.setAssignmentStatus(cmd, args[0], models.AssignmentActive)
		},
	}
	return s.changes(cmd)
}

func (s *Shell) setAssignmentStatus(cmd *cobra.Command, word, status string) error {
	return updateOne(s, cmd, "assignment", word, assignment.Patch{Status: &status}, assignment.Update, assignmentColumns...)
}

func newAssignmentRotateToken(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "rotate-token ID",
		Short:       "Make a new token for an assignment, which is shown once and ends the one before",
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{printsSecret: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("assignment", args[0])
			if err != nil {
				return err
			}
			rotated, err := write(s, cmd, id, func(tx *db.Tx) (assignment.Rotated, error) {
				return assignment.RotateToken(cmd.Context(), tx, id)
			})
			if err != nil {
				return unknown("assignment", args[0], err)
			}
			return PrintOne(s, rotated, Column[assignment.Rotated]{Header: "Token", Cell: func(r assignment.Rotated) string { return r.Token }})
		},
	}
	return s.changes(cmd)
}
