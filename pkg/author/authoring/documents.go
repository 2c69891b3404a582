package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// placedDocument is a content document with its path in the input, and the languages
// that it was stored in before.
type placedDocument struct {
	path string
	content.Document
	held []string
}

// checkDocuments checks what drafts have to obey: they show images that are managed assets
// (specification, section 2.8), in languages that the tenant writes in; a language that was
// used before may stay.
func checkDocuments(ctx context.Context, tx *db.Tx, documents []placedDocument) (problems, error) {
	if len(documents) == 0 {
		return nil, nil
	}
	languages, err := media.LoadLanguages(ctx, tx)
	if err != nil {
		return nil, err
	}
	var p problems
	var uses []media.Use
	for _, d := range documents {
		p = append(p, languages.NotEnabled(d.path, d.Document, d.held...)...)
		uses = append(uses, media.Uses(d.path, d.Document)...)
	}
	unusable, err := media.Check(ctx, tx, uses)
	return append(p, unusable...), err
}

// pin gives the pins of drafts that are about to be published, in the order of the drafts
// and in the form in which they are stored, and every problem that keeps the drafts from
// being published. current finds the current versions of assets: media.Pin to publish,
// media.Current to say what publishing would do.
func pin(ctx context.Context, tx *db.Tx, ready []freezing, current func(context.Context, *db.Tx, []ids.ID) (map[ids.ID]ids.ID, error)) ([]string, problems, error) {
	languages, err := media.LoadLanguages(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	var blocking problems
	var wanted []ids.ID
	uses := make([][]media.Use, len(ready))
	for i, one := range ready {
		blocking = append(blocking, one.problems...)
		for _, d := range one.documents {
			blocking = append(blocking, languages.Missing(d.path, d.Document)...)
			uses[i] = append(uses[i], media.Uses(d.path, d.Document)...)
		}
		for _, use := range uses[i] {
			wanted = append(wanted, use.Asset)
		}
	}
	assets, err := current(ctx, tx, wanted)
	if err != nil {
		return nil, nil, err
	}
	stored := make([]string, len(ready))
	for i, one := range ready {
		pins := models.Pins{PassageVersionID: one.passage, AssetVersions: map[ids.ID]ids.ID{}}
		for _, use := range uses[i] {
			version, known := assets[use.Asset]
			blocking.addIf(!known, use.Path, "unknown_asset", "there is no such asset")
			pins.AssetVersions[use.Asset] = version
		}
		raw, err := json.Marshal(pins)
		if err != nil {
			return nil, nil, fmt.Errorf("write pins: %w", err)
		}
		stored[i] = string(raw)
	}
	return stored, blocking, nil
}

// documentOf reads the body of a version that is a content document.
func documentOf(row models.AuthoredBody) (content.Document, error) {
	var d content.Document
	err := json.Unmarshal(row.Body, &d)
	if err != nil {
		return content.Document{}, fmt.Errorf("read body %s: %w", row.ContentHash, err)
	}
	return d, nil
}

// localesOf lists the languages of a document.
func localesOf(d content.Document) []string { return slices.Collect(maps.Keys(d.Locales)) }
