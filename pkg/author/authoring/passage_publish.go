package authoring

import (
	"context"

	"assess/models"
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
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Passage{}, err
	}
	published, err := publishPassages(ctx, tx, []ids.ID{id}, func(int) string { return "" })
	if err != nil {
		return Passage{}, err
	}
	if len(published) == 0 {
		return Passage{}, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	return GetPassage(ctx, tx, GetPassageInput{ID: id})
}

// PublishPassages publishes the drafts of many passages in a handful of statements; one
// without a draft is left as it is. It gives the ids of those that it published. Errors:
// not_found, archived, publish_blocked; then nothing is published.
func PublishPassages(ctx context.Context, tx *db.Tx, passageIDs []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return nil, err
	}
	return publishPassages(ctx, tx, passageIDs, func(i int) string { return element("", "passages", i) })
}

// publishPassages gives the ids of what it published; path names the i-th passage in a
// problem.
func publishPassages(ctx context.Context, tx *db.Tx, passageIDs []ids.ID, path func(i int) string) ([]ids.ID, error) {
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
		edit := openPassageEdit(row, versions)
		document, err := documentOf(edit.version.AuthoredVersion)
		if err != nil {
			return nil, err
		}
		ready = append(ready, freezing{id: row.ID, event: edit.event("published"),
			documents: []placedDocument{{path: member(paths[row.ID], "content"), Document: document}}})
	}
	return freezeAll(ctx, tx, passageTables, ready)
}

// freezing is a draft that is about to be published: what it shows, and the passage version
// that it is about.
type freezing struct {
	id        ids.ID
	event     ledger.Event
	documents []placedDocument
	passage   *ids.ID
	problems  problems
}

// freezeAll pins what the drafts show and publishes them, or reports every problem of all
// of them. The records are locked.
func freezeAll(ctx context.Context, tx *db.Tx, of tables, ready []freezing) ([]ids.ID, error) {
	pins, blocking, err := pin(ctx, tx, ready)
	if err != nil {
		return nil, err
	}
	if err := blocking.blocked(); err != nil {
		return nil, err
	}
	done, events := make([]ids.ID, 0, len(ready)), make([]ledger.Event, 0, len(ready))
	for _, one := range ready {
		done, events = append(done, one.id), append(events, one.event)
	}
	if len(done) == 0 {
		return done, nil
	}
	err = freezeDrafts(ctx, tx, of, done, pins)
	if err != nil {
		return nil, err
	}
	return done, ledger.Append(ctx, tx, events...)
}

func pathsOf(recordIDs []ids.ID, path func(i int) string) map[ids.ID]string {
	paths := make(map[ids.ID]string, len(recordIDs))
	for i, id := range recordIDs {
		paths[id] = path(i)
	}
	return paths
}
