package media

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// Languages are the languages that a tenant chose, for checking many documents. The zero
// value is for a tenant that chose none: every language is allowed and none required.
type Languages struct {
	enabled  []string
	required []string
}

// LoadLanguages reads the tenant's languages in one statement. It checks no capability itself.
func LoadLanguages(ctx context.Context, tx *db.Tx) (Languages, error) {
	rows, err := tx.Query(ctx, "select tag, is_required from tenant_locales where tenant_id = $1 order by position", tx.Tenant())
	if err != nil {
		return Languages{}, fmt.Errorf("load languages: %w", err)
	}
	var l Languages
	var tag string
	var required bool
	_, err = pgx.ForEachRow(rows, []any{&tag, &required}, func() error {
		l.enabled = append(l.enabled, tag)
		if required {
			l.required = append(l.required, tag)
		}
		return nil
	})
	if err != nil {
		return Languages{}, fmt.Errorf("load languages: %w", err)
	}
	return l, nil
}

// NotEnabled names the locales of a document that the tenant did not choose
// (locale_not_enabled), except the ones that the document had before.
func (l Languages) NotEnabled(path string, d content.Document, held ...string) []errs.Field {
	if len(l.enabled) == 0 {
		return nil
	}
	var found []errs.Field
	for _, locale := range locales(d) {
		if !slices.Contains(l.enabled, locale) && !slices.Contains(held, locale) {
			found = append(found, errs.Field{Path: member(path, "locales", locale), Code: "locale_not_enabled",
				Message: "the tenant does not write in " + locale})
		}
	}
	return found
}

// Missing names the required languages that a document lacks (missing_locale), each as
// a problem at the document's path.
func (l Languages) Missing(path string, d content.Document) []errs.Field {
	var found []errs.Field
	for _, tag := range l.required {
		if _, ok := d.Locales[tag]; !ok {
			found = append(found, errs.Field{Path: path, Code: "missing_locale", Message: "the content lacks " + tag + ", which the tenant requires"})
		}
	}
	return found
}
