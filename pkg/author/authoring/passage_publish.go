package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// PublishPassage freezes the draft and pins the assets that it shows; questions and
// evaluations published from now on pin this version. Of two calls at once, one publishes
// and the other gets nothing_to_publish. Errors: not_found, archived, nothing_to_publish,
// publish_blocked.
func PublishPassage(ctx context.Context, tx *db.Tx, id ids.ID) (Passage, error) {
	done, err := PublishPassageDraft(ctx, tx, PublishInput{ID: id})
	return done.Passage, err
}

// PublishPassageDraft is PublishPassage with warnings, and as a dry run if that is wished.
func PublishPassageDraft(ctx context.Context, tx *db.Tx, in PublishInput) (PassagePublication, error) {
	none := PassagePublication{}
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return none, err
	}
	ready, err := readyPassages(ctx, tx, []ids.ID{in.ID}, func(int) string { return "" })
	if err != nil {
		return none, err
	}
	if len(ready) == 0 {
		return none, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	out := PassagePublication{Publication: Publication{DryRun: in.DryRun}}
	out.Warnings, err = passageWarnings(ctx, tx, in.ID)
	if err != nil {
		return none, err
	}
	err = freezeAll(ctx, tx, passageTables, ready)
	if err != nil && !in.forgives(err) {
		return none, err
	}
	out.Passage, err = GetPassage(ctx, tx, GetPassageInput{ID: in.ID})
	return out, err
}

// PublishPassages publishes the drafts of many passages in a handful of statements; one
// without a draft is left as it is. It gives the ids of those that it published. Errors:
// not_found, archived, publish_blocked; then nothing is published.
func PublishPassages(ctx context.Context, tx *db.Tx, passageIDs []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return nil, err
	}
	ready, err := readyPassages(ctx, tx, passageIDs, func(i int) string { return element("", "passages", i) })
	if err != nil {
		return nil, err
	}
	return idsOf(ready), freezeAll(ctx, tx, passageTables, ready)
}

// readyPassages locks passages and takes up the drafts of those that have one; path names the
// i-th passage in a problem.
func readyPassages(ctx context.Context, tx *db.Tx, passageIDs []ids.ID, path func(i int) string) ([]freezing, error) {
	locked, err := lock[models.Passage](ctx, tx, passageTables, passageIDs)
	if err != nil {
		return nil, err
	}
	versions, err := passageVersions(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	paths := pathsOf(passageIDs, path)
	var ready []freezing
	for _, row := range locked {
		if err := checkChangeable(row.Status); err != nil {
			return nil, err
		}
		if row.DraftID == nil {
			continue
		}
		one, err := openPassageEdit(row, versions).freezing(paths[row.ID])
		if err != nil {
			return nil, err
		}
		ready = append(ready, one)
	}
	return ready, nil
}

// freezing says what publishing the draft pins.
func (e passageEdit) freezing(path string) (freezing, error) {
	document, err := documentOf(e.version.AuthoredVersion)
	return freezing{id: e.passage.ID, event: e.event("published"),
		documents: []placedDocument{{path: member(path, "content"), Document: document}}}, err
}

// freezing is a draft that is about to be published: what it shows, the passage version that
// it is about, whether that passage has a newer draft, and the terms that it carries.
type freezing struct {
	id           ids.ID
	event        ledger.Event
	documents    []placedDocument
	passage      *ids.ID
	passageDraft bool
	terms        []ids.ID
	problems     problems
}

// freezeAll pins what the drafts show and publishes them, or reports every problem of all
// of them. The records are locked.
func freezeAll(ctx context.Context, tx *db.Tx, of tables, ready []freezing) error {
	pins, blocking, err := pin(ctx, tx, ready, media.Pin)
	if err != nil {
		return err
	}
	if err := blocking.blocked(); err != nil || len(ready) == 0 {
		return err
	}
	events := make([]ledger.Event, 0, len(ready))
	for _, one := range ready {
		events = append(events, one.event)
	}
	err = freezeDrafts(ctx, tx, of, idsOf(ready), pins)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, events...)
}

func idsOf(ready []freezing) []ids.ID {
	all := make([]ids.ID, 0, len(ready))
	for _, one := range ready {
		all = append(all, one.id)
	}
	return all
}

func pathsOf(recordIDs []ids.ID, path func(i int) string) map[ids.ID]string {
	paths := make(map[ids.ID]string, len(recordIDs))
	for i, id := range recordIDs {
		paths[id] = path(i)
	}
	return paths
}
