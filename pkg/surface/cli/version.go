package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/build"
)

func newVersion(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		RunE:  func(*cobra.Command, []string) error { return PrintOne(s, build.This()) },
	}
}
