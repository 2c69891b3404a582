package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/projection"
)

// Recomputed says how many question versions percentiles recompute visited.
type Recomputed struct {
	QuestionVersions int `json:"questionVersions"`
}

func newPercentiles(s *Session) *cobra.Command {
	return group("percentiles", "Look after median and 90th percentile times", newPercentilesRecompute(s))
}

func newPercentilesRecompute(s *Session) *cobra.Command {
	return &cobra.Command{
		Use:   "recompute",
		Short: "Compute the percentiles of every question whose figures changed",
		Long: `Compute median and 90th percentile times of every question of the tenant whose figures
changed since the last time, without waiting for the periodic job. It can be interrupted
and run again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			store, scope, err := s.scoped(cmd.Context())
			if err != nil {
				return err
			}
			visited, err := projection.RecomputeAll(cmd.Context(), store, scope.Tenant)
			if err != nil {
				return err
			}
			return PrintOne(s, Recomputed{visited})
		},
	}
}
