package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
)

func newLocale(s *Shell) *cobra.Command {
	return group("locale", "Show and choose the languages of a tenant", newLocaleList(s), newLocaleSet(s))
}

func newLocaleList(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the languages that the tenant writes in; none means every language",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			chosen, err := read(cmd.Context(), s, func(tx *db.Tx) (media.TenantLocales, error) {
				return media.GetLocales(cmd.Context(), tx)
			})
			if err != nil {
				return err
			}
			return s.printLocales(chosen)
		},
	}
}

func newLocaleSet(s *Shell) *cobra.Command {
	var preferred string
	var required []string
	cmd := s.changes(&cobra.Command{
		Use:     "set [TAG...]",
		Short:   "Choose the languages of the tenant; without any, every language is allowed",
		Example: "  assessctl locale set en de ar --required en,ar --tenant northwind",
		RunE: func(cmd *cobra.Command, tags []string) error {
			s.tenantWide()
			in, err := localesInput(tags, preferred, required)
			if err != nil {
				return err
			}
			chosen, err := write(s, cmd, in, func(tx *db.Tx) (media.TenantLocales, error) {
				return media.SetLocales(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return s.printLocales(chosen)
		},
	})
	cmd.Flags().StringVar(&preferred, "default", "", "the default language (default: the first)")
	cmd.Flags().StringSliceVar(&required, "required", nil, "languages that whatever is published must have")
	return cmd
}

func localesInput(tags []string, preferred string, required []string) (media.LocalesInput, error) {
	in := media.LocalesInput{DefaultLocale: preferred, Locales: []media.Locale{}}
	if preferred == "" && len(tags) > 0 {
		in.DefaultLocale = tags[0]
	}
	asked := map[string]bool{}
	for _, tag := range required {
		asked[tag] = true
	}
	for _, tag := range tags {
		in.Locales = append(in.Locales, media.Locale{Tag: tag, Required: asked[tag]})
		delete(asked, tag)
	}
	for tag := range asked {
		return in, Usage("--required names %s, which is not among the languages", tag)
	}
	return in, nil
}

func (s *Shell) printLocales(chosen media.TenantLocales) error {
	if s.Format == FormatCSV {
		return Print(s, chosen.Locales)
	}
	return s.Show(chosen, func(screen *Screen) error {
		if len(chosen.Locales) == 0 {
			s.Note("No languages are chosen: every language is allowed.")
			return nil
		}
		return Table(screen, chosen.Locales,
			Column[media.Locale]{Header: "Language", Cell: func(l media.Locale) string { return l.Tag }},
			Column[media.Locale]{Header: "Default", Cell: func(l media.Locale) string { return yes(l.Tag == chosen.DefaultLocale) }},
			Column[media.Locale]{Header: "Required", Cell: func(l media.Locale) string { return yes(l.Required) }})
	})
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
