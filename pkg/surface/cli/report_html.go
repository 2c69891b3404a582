package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"assess/pkg/report/page"
)

// htmlFlag gives a report the flag that writes it as a page.
func htmlFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "html", "", "write the report as a page with charts into this file; - is standard output")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if *file != "" && cmd.Flags().Changed("output") {
			return Usage("--html and --output exclude each other")
		}
		return nil
	}
}

// showReport prints a report, or writes it as a page where a file is named.
func (s *Shell) showReport(file string, value any, drawn func() page.Page, draw func(*Screen) error) error {
	if file == "" {
		return s.Show(value, draw)
	}
	return s.writePage(file, drawn())
}

func (s *Shell) writePage(file string, p page.Page) error {
	err := s.writeWhole(file, func(to io.Writer) error { return page.Write(to, p) })
	if err == nil && file != "-" {
		s.Note("The page is in %s.", file)
	}
	return err
}

// writeWhole writes a file that appears when it is complete, under its name or not at all;
// one of that name is replaced. - is standard output.
func (s *Shell) writeWhole(file string, write func(io.Writer) error) error {
	if file == "-" {
		return write(s.Screen)
	}
	if at, err := os.Stat(file); err == nil && at.IsDir() {
		return Usage("%s is a folder: name a file in it", file)
	}
	part, err := os.Create(file + ".part")
	if err != nil {
		return Usage("%w", err)
	}
	defer os.Remove(part.Name()) //nolint:errcheck // gone already when all went well
	err = errors.Join(write(part), part.Close())
	if err != nil {
		return err
	}
	err = os.Rename(part.Name(), file)
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
