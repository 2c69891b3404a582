package authoring

import (
	"context"
	"fmt"

	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// freezing is a draft that is about to be published: what it shows, the passage version that
// it is about, whether that passage has a newer draft, and the terms that it carries.
type freezing struct {
	id           ids.ID
	event        ledger.Event
	documents    []placedDocument
	passage      *ids.ID
	passageDraft bool
	terms        []ids.ID
	// orderTold says that the ids of the options, sorted, are in their right order.
	orderTold bool
	problems  problems
}

// publish freezes the draft of a question or passage. Of two calls at once, one publishes and
// the other gets nothing_to_publish. Errors: not_found, archived, nothing_to_publish,
// publish_blocked.
func (s store[R, V, C, Out]) publish(ctx context.Context, tx *db.Tx, in PublishInput,
	warn func(context.Context, *db.Tx, freezing) ([]errs.Field, error)) (Out, Publication, error) {
	var none Out
	if err := tx.Require(s.write); err != nil {
		return none, Publication{}, err
	}
	ready, err := s.ready(ctx, tx, []ids.ID{in.ID}, func(int) string { return "" })
	if err != nil {
		return none, Publication{}, err
	}
	if len(ready) == 0 {
		return none, Publication{}, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	out := Publication{DryRun: in.DryRun}
	out.Warnings, err = warn(ctx, tx, ready[0])
	if err != nil {
		return none, Publication{}, err
	}
	err = s.freeze(ctx, tx, ready)
	if err != nil && !in.forgives(err) {
		return none, Publication{}, err
	}
	published, err := s.get(ctx, tx, in.ID)
	return published, out, err
}

// publishAll publishes the drafts of many questions or passages in a handful of statements; a
// record without a draft is not changed. It gives the ids of the records that it published.
// Errors: not_found, archived, publish_blocked; then nothing is published.
func (s store[R, V, C, Out]) publishAll(ctx context.Context, tx *db.Tx, wanted []ids.ID) ([]ids.ID, error) {
	if err := tx.Require(s.write); err != nil {
		return nil, err
	}
	ready, err := s.ready(ctx, tx, wanted, func(i int) string { return element("", s.records(), i) })
	if err != nil {
		return nil, err
	}
	return idsOf(ready), s.freeze(ctx, tx, ready)
}

// ready locks records and reads the drafts, for the records that have one; path names the
// i-th record in a problem.
func (s store[R, V, C, Out]) ready(ctx context.Context, tx *db.Tx, wanted []ids.ID, path func(i int) string) ([]freezing, error) {
	locked, err := s.lock(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	versions, err := s.versionsOf(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	pathOf := make(map[ids.ID]string, len(wanted))
	for i, id := range wanted {
		pathOf[id] = path(i)
	}
	var drafts []*edit[R, V]
	var paths []string
	for _, r := range locked {
		if err := checkChangeable(r.Row().Status); err != nil {
			return nil, err
		}
		if r.Row().DraftID != nil {
			drafts, paths = append(drafts, s.open(r, versions)), append(paths, pathOf[r.Row().ID])
		}
	}
	ready, err := s.freezing(ctx, tx, drafts, paths)
	for i, e := range drafts[:len(ready)] {
		ready[i].id, ready[i].event = e.record.Row().ID, s.event(e, "published")
	}
	return ready, err
}

// freeze pins everything that the drafts show and publishes them, or reports every problem of
// every draft. The records are locked.
func (s store[R, V, C, Out]) freeze(ctx context.Context, tx *db.Tx, ready []freezing) error {
	pins, blocking, err := pin(ctx, tx, ready, media.Pin)
	if err != nil {
		return err
	}
	if err := blocking.blocked(); err != nil || len(ready) == 0 {
		return err
	}
	// Written by hand, since each row gets pins of its own, and times that the database computes.
	_, err = tx.Exec(ctx, fmt.Sprintf(`
		update %s v set status = 'published', published_at = $4, updated_at = $4, pins = p.pins::jsonb
		from unnest($2::uuid[], $3::text[]) as p (id, pins) join %s r on r.tenant_id = $1 and r.id = p.id
		where v.tenant_id = $1 and v.id = r.draft_id`, s.versions(), s.records()),
		tx.Tenant(), idsOf(ready), pins, tx.Now())
	if err != nil {
		return fmt.Errorf("publish %s versions: %w", s.noun, err)
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`
		update %s set status = 'published', published_id = draft_id, draft_id = null,
			updated_at = greatest($3, just_after(updated_at))
		where tenant_id = $1 and id = any($2) and draft_id is not null`, s.records()),
		tx.Tenant(), idsOf(ready), tx.Now())
	if err != nil {
		return fmt.Errorf("publish %s: %w", s.records(), err)
	}
	if s.terms != nil {
		err = s.publishTerms(ctx, tx, idsOf(ready))
		if err != nil {
			return err
		}
	}
	return ledger.Append(ctx, tx, each(ready, func(one freezing) ledger.Event { return one.event })...)
}

func idsOf(ready []freezing) []ids.ID {
	return each(ready, func(one freezing) ids.ID { return one.id })
}
