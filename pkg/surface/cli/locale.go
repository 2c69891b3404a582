package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
)

func newLocale(s *Shell) *cobra.Command {
	return wide(group("locale", "Show and choose the languages of a tenant", s.operations("locale", newLocaleSet(s))...))
}

func newLocaleSet(s *Shell) *cobra.Command {
	var preferred string
	var required []string
	cmd := newAct(s, "set [TAG...]", "Choose the languages of the tenant; without any, every language is allowed",
		func(ctx context.Context, tx *db.Tx, tags []string) (media.TenantLocales, error) {
			in, err := localesInput(tags, preferred, required)
			if err != nil {
				return media.TenantLocales{}, err
			}
			return media.SetLocales(ctx, tx, in)
		}, (*Shell).printLocales)
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
		return Table(screen, chosen.Locales, columns("Tag = Language, Default, Required",
			Column[media.Locale]{Header: "Default", Cell: func(l media.Locale) string { return yes(l.Tag == chosen.DefaultLocale) }},
			Column[media.Locale]{Header: "Required", Cell: func(l media.Locale) string { return yes(l.Required) }})...)
	})
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
