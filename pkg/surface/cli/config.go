package cli

import (
	"github.com/spf13/cobra"

	"assess/config"
)

const configShowLong = `Show every setting as it holds for this call, with where it comes from: the default, the settings
file, the environment, a profile or a flag. Secrets are masked.

The settings file may hold profiles, each with what assessctl needs to know of a place to work in:

  profiles:
    school:
      database_url: postgres://assess@db.example.org/assess
      tenant: northwind
      org: north

--profile school, or ASSESS_PROFILE, stands above the environment and below the other flags.`

func newConfig(s *Shell) *cobra.Command {
	show := &cobra.Command{
		Use:   "show",
		Short: "Show the settings as they hold, and where each comes from",
		Long:  configShowLong,
		RunE: func(*cobra.Command, []string) error {
			settings, err := config.Show(s.configFile, s.flags)
			if err != nil {
				return Usage("%w", err)
			}
			for i := range settings {
				if settings[i].Key == "database.url" && s.profileURL {
					settings[i].Source = "profile " + s.profile
				}
			}
			return Print(s, settings, columns[config.Shown]("Key = Setting, Value, Source = From")...)
		},
	}
	return group("config", "Look at the settings", show)
}
