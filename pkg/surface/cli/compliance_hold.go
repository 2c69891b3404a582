package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/hold"
	"assess/pkg/trust/restrict"
	"assess/pkg/trust/retention"
)

func newRestrict(s *Shell) *cobra.Command {
	a := restrict.Arguments{Action: restrict.Place}
	var subject string
	cmd := &cobra.Command{
		Use:   "restrict --subject ID|EMAIL --reason CODE",
		Short: "Place or lift a hold or a restriction of processing",
		Long: `Place or lift a hold. A processing restriction stops use and erasing, a legal hold stops erasing and
lets the person go on. A legal hold may be of one submission alone. Lifting undoes what placing did; without
--reason it is the one hold of the kind that stands.

Reasons: ` + reasons() + `

Exit codes: 0 done, 2 the input is wrong, 3 there is no such person or submission, 5 the hold stands already, or
there is nothing to lift.`,
		Example: `  assessctl compliance restrict --subject ada@example.org --reason accuracy_contested
  assessctl compliance restrict --subject ada@example.org --action lift`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if subject == "" {
				return Usage("say whom: --subject ID|EMAIL")
			}
			return s.restrict(cmd.Context(), subject, a)
		},
	}
	cmd.Flags().StringVar(&subject, "subject", "", "whom: id or e-mail address")
	cmd.Flags().Var(&choice{&a.Action, restrict.Actions}, "action", strings.Join(restrict.Actions, " or "))
	cmd.Flags().Var(&choice{&a.Kind, hold.Kinds}, "kind", strings.Join(hold.Kinds, " or ")+"; processing when it is not given")
	cmd.Flags().StringVar(&a.ReasonCode, "reason", "", "code of the reason")
	optionalIDFlag(cmd, &a.SubmissionID, "submission", "the one submission that a legal hold is of")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

func (s *Shell) restrict(ctx context.Context, subject string, a restrict.Arguments) error {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, "Change what holds %s?", subject); err != nil {
		return err
	}
	run := store.Write
	if s.dryRun {
		run = store.DryRun
		s.Note("Dry run: nothing was changed.")
	}
	var done hold.Hold
	err = run(ctx, scope, func(tx *db.Tx) error {
		person, err := findUserID(ctx, tx, subject)
		if err != nil {
			return unknown("user", subject, err)
		}
		done, err = a.Settle(ctx, tx, person)
		return err
	})
	if err != nil {
		return err
	}
	return PrintOne(s, done, holdColumns...)
}

var holdColumns = columns[hold.Hold]("PlacedAt, SubjectID, Kind, ReasonCode, SubmissionID, LiftedAt, PlacedBy*, ID*")

// reasons lists the codes.
func reasons() string {
	var all []string
	for _, r := range hold.Reasons {
		all = append(all, r.Code+" ("+r.Kind+")")
	}
	return strings.Join(all, ", ") + "."
}

func newHolds(s *Shell) *cobra.Command {
	var filter hold.Filter
	var subject string
	cmd := newList(s, "holds", "List holds and restrictions of processing, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[hold.Hold], error) {
			if subject != "" {
				id, err := findUserID(ctx, tx, subject)
				if err != nil {
					return db.List[hold.Hold]{}, err
				}
				filter.SubjectID = &id
			}
			return hold.List(ctx, tx, filter)
		}, holdColumns)
	cmd.Flags().StringVar(&subject, "subject", "", "only of this person: id or e-mail address")
	cmd.Flags().Var(&choice{&filter.Kind, hold.Kinds}, "kind", strings.Join(hold.Kinds, " or "))
	cmd.Flags().Var(&choice{&filter.State, hold.States}, "state", strings.Join(hold.States, " or "))
	return cmd
}

func newIncidents(s *Shell) *cobra.Command {
	var filter retention.IncidentFilter
	cmd := newList(s, "incidents", "List what sweeps could not erase", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[retention.Incident], error) {
			return retention.ListIncidents(ctx, tx, filter)
		}, columns[retention.Incident]("CreatedAt, EventType, Domain, BlockedReason, CandidateCount, Cutoff, PolicyID*, ID*"))
	cmd.Flags().StringVar(&filter.Domain, "domain", "", "only of this domain")
	cmd.Flags().Var(&choice{&filter.EventType, retention.EventTypes}, "event", strings.Join(retention.EventTypes, " or "))
	cmd.Flags().Var(&choice{&filter.Sort, retention.Sorts}, "sort", strings.Join(retention.Sorts, ", "))
	return cmd
}
