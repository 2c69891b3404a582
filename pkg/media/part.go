package media

import (
	"context"
	"maps"
	"slices"
	"strings"

	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

// Part is a valid content document and where it stands in what is being written ("stem",
// "options[1].content").
type Part struct {
	Path     string
	Document content.Document
}

// CheckParts names what keeps documents from being stored in a draft: unknown_asset,
// not_an_image, locale_not_enabled. held are the locales that the stored draft has already:
// they may stay when the tenant gives a language up. It costs a statement for the languages
// and one for the assets, if there are any, and needs a transaction that may write.
func CheckParts(ctx context.Context, tx *db.Tx, parts []Part, held ...string) ([]errs.Field, error) {
	var uses []Use
	for _, part := range parts {
		uses = append(uses, Uses(part.Path, part.Document)...)
	}
	found, err := Check(ctx, tx, uses)
	if err != nil {
		return nil, err
	}
	languages, err := LoadLanguages(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		found = append(found, languages.NotEnabled(part.Path, part.Document, held...)...)
	}
	return found, nil
}

// PinParts gives the versions of all assets that the documents name, by asset, and what
// keeps them from being published: unknown_asset, missing_locale for each required language
// that a document lacks. Of many questions or passages it costs no more than of one.
func PinParts(ctx context.Context, tx *db.Tx, parts []Part) (map[ids.ID]ids.ID, []errs.Field, error) {
	var wanted []ids.ID
	var uses []Use
	for _, part := range parts {
		for _, use := range Uses(part.Path, part.Document) {
			uses, wanted = append(uses, use), append(wanted, use.Asset)
		}
	}
	pins, _, err := Pin(ctx, tx, wanted)
	if err != nil {
		return nil, nil, err
	}
	languages, err := LoadLanguages(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	var found []errs.Field
	for _, use := range uses {
		if _, pinned := pins[use.Asset]; !pinned {
			found = append(found, errs.Field{Path: use.Path, Code: "unknown_asset", Message: "there is no such asset"})
		}
	}
	for _, part := range parts {
		found = append(found, languages.Missing(part.Path, part.Document)...)
	}
	return pins, found, nil
}

// locales lists the locales of a document in the order of the alphabet.
func locales(d content.Document) []string { return slices.Sorted(maps.Keys(d.Locales)) }

// member is the path of something below path.
func member(path string, names ...string) string {
	if path != "" {
		names = append([]string{path}, names...)
	}
	return strings.Join(names, ".")
}
