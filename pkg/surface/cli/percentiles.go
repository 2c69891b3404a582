package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

func newPercentiles(s *Shell) *cobra.Command {
	return wide(group("percentiles", "Look after median and 90th percentile times, and overviews of skills", newPercentilesRecompute(s)))
}

func newPercentilesRecompute(s *Shell) *cobra.Command {
	var queue bool
	cmd := &cobra.Command{
		Use:   "recompute",
		Short: "Compute the percentiles of every question whose figures changed",
		Long: `Compute median and 90th percentile times of every question of the tenant whose figures
changed since the last time, and derive the overviews of skills whose figures did, without
waiting for the periodic job. It can be interrupted and run again. --queue leaves the work
to assessd.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.ask(cmd, nil, queue, func(tx *db.Tx) (projection.Job, error) { return projection.QueuePercentiles(cmd.Context(), tx) })
		},
	}
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the work to assessd")
	return s.changes(cmd)
}
