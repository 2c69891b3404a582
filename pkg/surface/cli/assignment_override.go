package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// overrides is what override takes, in the words of the call.
type overrides struct {
	ID    ids.ID
	User  string
	Input assignment.OverrideInput
}

func newAssignmentOverride(s *Shell) *cobra.Command {
	var in overrides
	var seconds, attempts int
	cmd := &cobra.Command{
		Use:   "override ID EMAIL|USER-ID --reason TEXT",
		Short: "Give one invitee more time, more attempts or another window",
		Long: "Give one invitee more time, more attempts or another window. An earlier override keeps what\n" +
			"this one leaves out.",
		Example: "  assessctl assignment override 01a1fbc1-578d-7a4f-89c6-163d741ecbbd ada@example.org --extra-time 600 --reason 'fire alarm'",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.ID, err = recordID("assignment", args[0])
			if err != nil {
				return err
			}
			in.User, in.Input.ExtraTimeSeconds, in.Input.ExtraAttempts = args[1], ifSet(cmd, "extra-time", &seconds), ifSet(cmd, "extra-attempts", &attempts)
			return changed(s, cmd, in, func(tx *db.Tx) (assignment.Override, error) { return in.set(cmd.Context(), tx) }, overrideColumns...)
		},
	}
	cmd.Flags().IntVar(&seconds, "extra-time", 0, "seconds added to the time limit")
	cmd.Flags().IntVar(&attempts, "extra-attempts", 0, "further attempts")
	cmd.Flags().StringSliceVar(&in.Input.Clear, "clear", nil, "validFrom or validUntil: what the assignment says holds again; repeatable")
	cmd.Flags().StringVar(&in.Input.Reason, "reason", "", "why; name nobody here")
	periodFlags(cmd, &in.Input.ValidFrom, &in.Input.ValidUntil)
	return s.changes(cmd)
}

func (o overrides) set(ctx context.Context, tx *db.Tx) (assignment.Override, error) {
	user, err := findUser(ctx, tx, o.User)
	if err != nil {
		return assignment.Override{}, err
	}
	o.Input.UserID = user.ID
	return assignment.SetOverride(ctx, tx, o.ID, o.Input)
}
