package session

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// formAsset is an asset that the content shows, in the version that publishing pinned.
type formAsset struct {
	version ids.ID
	// shown are the items that show it; explained are the items that show it only in their explanation.
	shown, explained []*formItem
}

// AssetInput names an asset that a session shows.
type AssetInput struct {
	EvaluationID, SessionID, AssetID ids.ID
}

var errNoAsset = errs.New(errs.NotFound, "The session shows no such asset.")

// Asset finds the file of an asset for anyone who may read the session, as long as they may: if
// one of its own questions, options or passages shows it. An asset that only an explanation
// shows is there once the session has a submission whose explanations are shown. Errors: not_found.
func (d *Desk) Asset(ctx context.Context, tx *db.Tx, in AssetInput) (media.Version, error) {
	err := requireTaker(tx)
	if err != nil {
		return media.Version{}, err
	}
	o, f, err := d.enter(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return media.Version{}, err
	}
	asset, known := f.assets[in.AssetID]
	if !known {
		return media.Version{}, errNoAsset
	}
	inSession := func(item *formItem) bool { return item.shows(o.deal) }
	shows := slices.ContainsFunc(asset.shown, inSession)
	if !shows && slices.ContainsFunc(asset.explained, inSession) {
		shows, err = explains(ctx, tx, f, in.SessionID)
	}
	if err != nil {
		return media.Version{}, err
	}
	if !shows {
		return media.Version{}, errNoAsset
	}
	return media.PinnedVersion(ctx, tx, in.AssetID, asset.version)
}

// explains says whether the candidate is shown explanations by now.
func explains(ctx context.Context, tx *db.Tx, f *form, session ids.ID) (bool, error) {
	if !f.settings.FeedbackPolicy.ShowExplanation || !submission.ShowsItems(f.settings, tx.Now()) {
		return false, nil
	}
	var submitted bool
	err := tx.QueryRow(ctx, "select exists (select from submissions where tenant_id = $1 and id = $2)", tx.Tenant(), session).Scan(&submitted)
	if err != nil {
		return false, fmt.Errorf("look for the submission: %w", err)
	}
	return submitted, nil
}

// digestAssets finds which items show which asset.
func (f *form) digestAssets(pins map[ids.ID]ids.ID, passages map[string]authoring.SnapshotPassage) {
	f.assets = make(map[ids.ID]*formAsset, len(pins))
	for id, version := range pins {
		f.assets[id] = &formAsset{version: version}
	}
	if len(pins) == 0 {
		return
	}
	for _, item := range f.items {
		shown := item.question.Documents()
		if item.PassageVersionID != nil {
			shown = append(shown, passages[item.PassageVersionID.String()].Content)
		}
		for _, document := range shown {
			for _, asset := range f.assetsOf(document) {
				asset.shown = append(asset.shown, item)
			}
		}
		if item.question.Explanation != nil {
			for _, asset := range f.assetsOf(*item.question.Explanation) {
				asset.explained = append(asset.explained, item)
			}
		}
	}
}

// assetsOf gives the pinned assets of a document.
func (f *form) assetsOf(d content.Document) []*formAsset {
	var all []*formAsset
	for _, use := range media.Uses("", d) {
		if asset, pinned := f.assets[use.Asset]; pinned {
			all = append(all, asset)
		}
	}
	return all
}
