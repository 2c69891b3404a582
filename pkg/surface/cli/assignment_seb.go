package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assess/pkg/exam/assignment"
	"assess/pkg/exam/seb"
	"assess/pkg/kernel/db"
)

// sebFile is the written file, and its content.
type sebFile struct {
	File      string `json:"file"`
	StartURL  string `json:"startUrl"`
	ConfigKey string `json:"configKey"`
}

func newAssignmentSEB(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "seb ID FILE",
		Short: "Write the file that opens an assignment in Safe Exam Browser",
		Long: "Write the file that opens an assignment in Safe Exam Browser, on the page of candidates (auth.app_url).\n" +
			"Its Config Key is the one that sessions of the assignment take where settings.lockdown.sebFile\nis set; it need not be listed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("assignment", args[0])
			if err != nil {
				return err
			}
			c, err := s.Config()
			if err != nil {
				return err
			}
			settings, err := readBy(cmd.Context(), s, (*db.Store).Read, func(tx *db.Tx) (seb.Settings, error) {
				return assignment.SEBSettings(cmd.Context(), tx, id, c.Auth.AppURL)
			})
			if err == nil {
				err = s.writeWhole(args[1], func(to io.Writer) error {
					_, err := to.Write(settings.File())
					return err
				})
			}
			if err != nil || args[1] == "-" {
				return err
			}
			return PrintOne(s, sebFile{args[1], fmt.Sprint(settings["startURL"]), settings.ConfigKey()}, columns[sebFile]("File, StartURL = Opens, ConfigKey")...)
		},
	}
}
