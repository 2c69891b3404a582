package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/surface/op"
)

// newPack has the operations on packs, and by hand what reads or writes files.
func newPack(s *Shell) *cobra.Command {
	return group("pack", "Publish evaluations as content packs, install them in other org units, and follow every copy",
		append(s.operations(op.Packs()), newPackExport(s), newPackImport(s), newPackKey(s))...)
}
