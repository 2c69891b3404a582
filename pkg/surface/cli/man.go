package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"assess/pkg/kernel/build"
)

func newMan(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Write the manual pages, one a command, into a folder, which is made if it is missing.
Below a folder man1 of $MANPATH, man assessctl finds them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := writeManual(cmd.Root(), args[0])
			if err != nil {
				return err
			}
			s.Note("Wrote the manual pages to %s.", args[0])
			return nil
		},
	}
}

// writeManual dates the pages by the commit, so that the same source gives the same pages.
func writeManual(root *cobra.Command, folder string) error {
	err := os.MkdirAll(folder, 0o755)
	if err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	header := &doc.GenManHeader{Title: "ASSESSCTL", Section: "1", Source: "assessctl", Manual: "Assessment service"}
	committed, err := time.Parse(time.RFC3339, build.This().Time)
	if err == nil {
		header.Date = &committed
	}
	err = doc.GenManTree(root, header, folder)
	if err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	return nil
}
