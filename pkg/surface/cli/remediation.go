package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newRemediation(s *Shell) *cobra.Command {
	return group("remediation", "Correct one question in many submissions", s.operations("remediation",
		newRemediationRun(s, remediation.ActionApply, "Apply a remediation and correct its submissions", "Applying", remediation.Apply),
		newRemediationRun(s, remediation.ActionRevert, "Take a remediation back and correct its submissions", "Reverting", remediation.Revert))...)
}

func lookAt(in *remediation.PreviewInput) work[remediation.Preview] {
	return byID("remediation", func(ctx context.Context, tx *db.Tx, id ids.ID) (remediation.Preview, error) {
		in.ID = id
		return remediation.Look(ctx, tx, *in)
	})
}

func drawRemediationPreview(screen *Screen, p remediation.Preview) error {
	err := writeFields(screen, p, remediationPreviewColumns)
	if err != nil || len(p.Affected.Items) == 0 {
		return err
	}
	screen.heading(fmt.Sprintf("Who would change: %d of %d, page %d", len(p.Affected.Items), p.Affected.Total, p.Affected.Page))
	return Table(screen, p.Affected.Items, affectedColumns...)
}

// newRemediationRun does the work itself; a server may be doing it at the same time.
func newRemediationRun(s *Shell, verb, short, doing string,
	begin func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   verb + " ID",
		Short: short,
		Long:  short + `. It can be interrupted: a running assessd goes on, and so does the same command.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			id, err := recordID("remediation", args[0])
			if err != nil {
				return err
			}
			if s.dryRun {
				s.Note("Dry run: nothing was changed.")
				found, err := read(ctx, s, func(tx *db.Tx) (remediation.Preview, error) {
					return lookAt(&remediation.PreviewInput{Action: verb})(ctx, tx, args)
				})
				if err != nil {
					return err
				}
				return drawn(drawRemediationPreview)(s, found)
			}
			err = s.confirm(ctx, "%s the remediation %s?", strings.ToUpper(verb[:1])+verb[1:], id)
			if err != nil {
				return err
			}
			_, err = write(s, cmd, id, func(tx *db.Tx) (remediation.Remediation, error) { return begin(ctx, tx, id) })
			if err != nil {
				return unknown("remediation", args[0], err)
			}
			return s.runRemediation(ctx, id, doing)
		},
	})
}

func (s *Shell) runRemediation(ctx context.Context, id ids.ID, doing string) error {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	progress := s.Progress(doing)
	done, err := remediation.Run(ctx, store, scope.Tenant, id, func(done, total int) { progress.Report(int64(done), int64(total)) })
	progress.Done()
	if err != nil {
		return err
	}
	return PrintOne(s, done, remediationColumns...)
}

var remediationColumns = columns[remediation.Remediation]("ID, QuestionVersionID*, Rule, State, Submissions, Done, Changed, AlsoLater, OpenSessions")

var remediationPreviewColumns = columns("Action, Submissions, Changed, Raised, Lowered, Outcomes, OpenSessions",
	Column[remediation.Preview]{Header: "Outcomes", Cell: func(p remediation.Preview) string {
		var all []string
		for _, f := range p.Flips {
			all = append(all, fmt.Sprintf("%d from %s to %s", f.Count, f.From, f.To))
		}
		return orDash(strings.Join(all, ", "))
	}},
)

var affectedColumns = columns("SubmissionID, UserID*, Before, After",
	Column[remediation.Affected]{Header: "Before", Cell: func(a remediation.Affected) string { return howItStands(a.Before) }},
	Column[remediation.Affected]{Header: "After", Cell: func(a remediation.Affected) string { return howItStands(a.After) }},
)

func howItStands(s remediation.Standing) string {
	return outOf(&s.Score, &s.MaxScore) + ", " + s.OutcomeCode
}
