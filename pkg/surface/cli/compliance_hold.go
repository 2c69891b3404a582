package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/restrict"
	"assess/pkg/trust/retention"
)

func newRestrict(s *Shell) *cobra.Command {
	a := restrict.Arguments{Action: restrict.Place}
	cmd := newPersonJob(s, personJob{kind: compliance.Restrict, use: "restrict", short: "Place or lift holds and restrictions of processing",
		question: "Change what holds %s?", doing: "Settling",
		arguments: func(context.Context, *db.Tx) (any, error) {
			return a, nil
		}})
	cmd.Long = `Place or lift a hold. A processing restriction stops use and erasing, a legal hold stops erasing and
lets the person go on. A legal hold may be of one submission alone. Lifting undoes what placing did; without
--reason it is the one hold of the kind that stands.

Reasons: ` + reasons() + personJobHelp
	cmd.Flags().Var(&choice{&a.Action, restrict.Actions}, "action", strings.Join(restrict.Actions, " or "))
	cmd.Flags().Var(&choice{&a.Kind, hold.Kinds}, "kind", strings.Join(hold.Kinds, " or ")+"; processing when it is not given")
	cmd.Flags().StringVar(&a.ReasonCode, "reason", "", "code of the reason")
	cmd.Flags().StringVar(&a.Matter, "matter", "", "code of the dispute or inquiry that the hold belongs to")
	timeFlag(cmd, &a.ReviewAt, "review-at", "when somebody looks whether it is still needed")
	optionalIDFlag(cmd, &a.SubmissionID, "submission", "the one submission that a legal hold is of")
	return cmd
}

// printManyHolds fails as partly done where some could not be held or let go.
func printManyHolds(s *Shell, m hold.Many) error {
	err := PrintPage(s, m, m.Results, manyHoldsColumns...)
	if err == nil && m.Failed > 0 {
		err = Partly("%d of %s could not be changed", m.Failed, plural.Of(len(m.Results), "person", "people"))
	}
	return err
}

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
		}, columns[hold.Hold]("PlacedAt, SubjectID, Kind, ReasonCode, Matter, ReviewAt = Review (UTC), SubmissionID, LiftedAt, PlacedBy*, ID*"))
	cmd.Flags().StringVar(&subject, "subject", "", "only of this person: id or e-mail address")
	cmd.Flags().Var(&choice{&filter.Kind, hold.Kinds}, "kind", strings.Join(hold.Kinds, " or "))
	cmd.Flags().Var(&choice{&filter.State, hold.States}, "state", strings.Join(hold.States, " or "))
	cmd.Flags().StringVar(&filter.ReasonCode, "reason", "", "only for this reason: its code")
	optionalIDFlag(cmd, &filter.SubmissionID, "submission", "only of this one submission")
	cmd.Flags().StringVar(&filter.Matter, "matter", "", "only of this matter")
	cmd.Flags().BoolVar(&filter.Review, "review", false, "only those that somebody should look at by now, the oldest date first")
	return cmd
}

func newSweep(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Carry out what retention policies say",
		Long: `Redact or delete what is older than its policy allows, in pieces, as assessd does each day. What a hold
keeps stays and is an incident (assessctl compliance incidents). A sweep that was interrupted goes on with what
is left.

Exit codes: 0 done, 6 something could not be erased.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.sweep(cmd) },
	}
	return s.changes(cmd)
}

func (s *Shell) sweep(cmd *cobra.Command) error {
	ctx := cmd.Context()
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !s.dryRun {
		if err := s.confirm(ctx, "Erase what the retention policies of %s do not keep?", "the tenant"); err != nil {
			return err
		}
	}
	create := office.Create
	if s.dryRun {
		create = office.Preview
	}
	job, err := writeIn(s, cmd, office.Store, scope, said(cmd, nil), func(tx *db.Tx) (compliance.Job, error) {
		return create(ctx, tx, compliance.Input{Type: compliance.RetentionSweep})
	})
	if err == nil && !s.dryRun {
		job, err = s.workOn(ctx, office, scope, job.ID, "Sweeping")
	}
	if err != nil {
		return err
	}
	err = errors.Join(PrintOne(s, job, complianceJobFields...), refusal(job))
	if err == nil && job.Partial && !s.dryRun {
		return Partly("something could not be erased: assessctl compliance incidents")
	}
	return err
}

func newIncidents(s *Shell) *cobra.Command {
	var filter retention.IncidentFilter
	cmd := newList(s, "incidents", "List what sweeps could not erase", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[retention.Incident], error) {
			return retention.ListIncidents(ctx, tx, filter)
		}, columns[retention.Incident]("CreatedAt, EventType, Domain, BlockedReason, CandidateCount, Cutoff, PolicyID*, ID*"))
	cmd.Flags().StringVar(&filter.Domain, "domain", "", "only of this domain")
	cmd.Flags().Var(&choice{&filter.EventType, retention.EventTypes}, "event", strings.Join(retention.EventTypes, " or "))
	optionalIDFlag(cmd, &filter.PolicyID, "policy", "only of this version of a policy")
	timeFlag(cmd, &filter.From, "from", "recorded at or after")
	timeFlag(cmd, &filter.To, "to", "recorded before")
	cmd.Flags().Var(&choice{&filter.Sort, retention.Sorts}, "sort", strings.Join(retention.Sorts, ", "))
	return cmd
}
