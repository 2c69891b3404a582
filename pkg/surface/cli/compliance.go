package cli

import "github.com/spf13/cobra"

func newCompliance(s *Shell) *cobra.Command {
	return wide(group("compliance", "Do what the law asks for with a person's data, and prove it",
		newComplianceScan(s)))
}
