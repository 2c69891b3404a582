package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newAssignment(s *Shell) *cobra.Command {
	return group("assignment", "Hand out evaluations and watch who takes them", append(s.operations("assignment", newAssignmentCreate(s),
		asking(newAssignmentStatus(s, "close ID", "Close an assignment: no redemption, no start; running sessions go on", models.AssignmentClosed),
			"Close the assignment %[1]s?"),
		newAssignmentStatus(s, "open ID", "Open a closed assignment again", models.AssignmentActive), newAssignmentSEB(s)), newSchedule(s))...)
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
	optionalIDFlag(cmd, &in.SubjectID, "subject-id", "id of the subject that it is about")
	optionalIDFlag(cmd, &in.EngagementID, "engagement-id", "id of the engagement that it belongs to")
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

func newAssignmentStatus(s *Shell, use, short, status string) *cobra.Command {
	patch := assignment.Patch{Status: &status}
	return newAct(s, use, short, change("assignment", &patch, assignment.Update), fields(assignmentColumns))
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

var overrideColumns = columns[assignment.Override](`UserID, ExtraTimeSeconds = Extra time (s), ExtraAttempts, ValidFrom = From (UTC),
	ValidUntil = Until (UTC), SessionsExtended`)

var assignmentColumns = columns(`EvaluationTitle = Evaluation, TargetType = Target, Who, RunLabel, Status, ValidFrom = From (UTC), ValidUntil = Until (UTC),
	ID*`,
	Column[assignment.Assignment]{Header: "Who", Cell: func(a assignment.Assignment) string { return cmp.Or(a.Email, a.TargetName, a.TargetRef) }},
)
