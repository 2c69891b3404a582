package cli

import (
	"github.com/spf13/cobra"
)

// newPack has the operations on packs, and commands written by hand that read or write files.
func newPack(s *Shell) *cobra.Command {
	return group("pack", "Publish evaluations as content packs, install them in other org units, and follow every copy",
		s.operations("pack", newPackExport(s), newPackImport(s), newPackKey(s))...)
}
