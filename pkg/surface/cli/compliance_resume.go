package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// workOn brings a job to its end here, and says how to go on where that is interrupted.
func (s *Shell) workOn(ctx context.Context, office *compliance.Centre, scope db.Scope, id ids.ID, doing string) (compliance.Job, error) {
	progress := s.Progress(doing)
	job, err := office.Work(ctx, scope.Tenant, id, func(j compliance.Job) { progress.Report(int64(j.Progress.Steps), int64(j.Progress.Of)) })
	progress.Done()
	if err != nil && ctx.Err() != nil {
		s.Note("Job %s is not at its end. assessd goes on with it, and so does: assessctl compliance jobs resume %s", id, id)
	}
	return job, err
}

func newComplianceResume(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "resume ID",
		Short: "Bring a job to its end that was interrupted",
		Long: `Go on with a job where it stopped, and before it with those about the same person that are older. A job
that is at its end already is printed, and nothing is done.

Exit codes: 0 done, 1 the job failed, 3 there is no such job, 4 a hold stands against it, 6 a forget left something.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("job", args[0])
			if err != nil {
				return err
			}
			office, scope, done, err := s.office(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			job, err := s.workOn(cmd.Context(), office, scope, id, "Working")
			if err != nil {
				return unknown("job", args[0], err)
			}
			return errors.Join(PrintOne(s, job, complianceJobFields...), refusal(job), leftover(job))
		},
	}
}
