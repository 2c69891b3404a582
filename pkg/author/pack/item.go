package pack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// ItemInput adds an evaluation of the library's org unit. Without a version the next revision takes
// the one that is published then.
type ItemInput struct {
	ByLibrary
	EvaluationID              ids.ID          `json:"evaluationId" noun:"evaluation"`
	SourceEvaluationVersionID *ids.ID         `json:"sourceEvaluationVersionId,omitempty" doc:"A published version; absent: the one that is published when the library is"`
	Pos                       *int            `json:"pos,omitempty" minimum:"0" doc:"Place among the items, from 0; absent: the last"`
	Metadata                  json.RawMessage `json:"metadata,omitempty" shape:"object or null" doc:"An object of your own, which goes with the pack; at most 16 KiB"`
}

// ByItem names an item of a library.
type ByItem struct {
	ByLibrary
	ItemID ids.ID `path:"itemId" json:"-" noun:"item"`
}

// ItemPatch changes the fields that it names. Items can change until they are
// published; a revision keeps its own.
type ItemPatch struct {
	ByItem
	SourceEvaluationVersionID *ids.ID         `json:"sourceEvaluationVersionId,omitempty"`
	Pos                       *int            `json:"pos,omitempty" minimum:"0"`
	Metadata                  json.RawMessage `json:"metadata,omitempty" shape:"object or null"`
}

// Item is an evaluation of a library.
type Item struct {
	ID                        ids.ID          `json:"id"`
	Pos                       int             `json:"pos" doc:"Place among the items, from 0"`
	EvaluationID              ids.ID          `json:"evaluationId"`
	SourceEvaluationVersionID *ids.ID         `json:"sourceEvaluationVersionId,omitempty" doc:"Absent: the version that is published when the library is"`
	Title                     string          `json:"title"`
	Metadata                  json.RawMessage `json:"metadata" shape:"object"`
	CreatedAt                 time.Time       `json:"createdAt"`
}

func itemsOf(ctx context.Context, tx *db.Tx, library ids.ID) ([]Item, error) {
	rows, err := tx.Query(ctx, `
		select i.id, (row_number() over (order by i.position, i.id) - 1)::int, i.evaluation_id, i.evaluation_version_id, e.title, i.metadata, i.created_at
		from library_items i join evaluations e on e.tenant_id = $1 and e.id = i.evaluation_id
		where i.tenant_id = $1 and i.library_id = $2 order by 2`, tx.Tenant(), library)
	if err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Item])
	if err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	for i := range items {
		items[i].CreatedAt = items[i].CreatedAt.UTC()
	}
	return append([]Item{}, items...), nil
}

// AddItem adds an item to a library of the scope. Capability: packs.manage. Errors: not_found, archived,
// conflict (it is there already), validation_failed.
func AddItem(ctx context.Context, tx *db.Tx, in ItemInput) (Library, error) {
	id := in.LibraryID
	own, err := lockForItems(ctx, tx, id)
	if err != nil {
		return Library{}, err
	}
	items, err := itemsOf(ctx, tx, id)
	if err != nil {
		return Library{}, err
	}
	found, err := own.checkItem(ctx, tx, in.EvaluationID, in.SourceEvaluationVersionID)
	if err != nil {
		return Library{}, err
	}
	metadata, wrong := metadataOf(in.Metadata)
	found = append(found, wrong...)
	if len(items) >= maxItems {
		found = append(found, errs.Field{Path: "evaluationId", Code: "too_many", Message: "a library has at most 200 items"})
	}
	if err := errs.Invalid(found...); err != nil {
		return Library{}, err
	}
	for _, item := range items {
		if item.EvaluationID == in.EvaluationID {
			return Library{}, errs.New(errs.Conflict, "The evaluation is in the library already.").With("itemId", item.ID)
		}
	}
	item := ids.New()
	_, err = tx.Exec(ctx, `
		insert into library_items (tenant_id, library_id, id, org_unit_id, evaluation_id, evaluation_version_id, position, metadata, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9)`,
		tx.Tenant(), id, item, own.org, in.EvaluationID, in.SourceEvaluationVersionID, len(items), metadata, tx.Now())
	if err != nil {
		return Library{}, fmt.Errorf("add item: %w", err)
	}
	if in.Pos != nil {
		err = own.move(ctx, tx, item, *in.Pos)
		if err != nil {
			return Library{}, err
		}
	}
	return own.changed(ctx, tx, "item_added", map[string]any{"itemId": item, "evaluationId": in.EvaluationID})
}

// UpdateItem changes an item. Capability: packs.manage. Errors: not_found, archived, validation_failed.
func UpdateItem(ctx context.Context, tx *db.Tx, patch ItemPatch) (Library, error) {
	id, item := patch.LibraryID, patch.ItemID
	own, err := lockForItems(ctx, tx, id)
	if err != nil {
		return Library{}, err
	}
	var evaluation ids.ID
	var version *ids.ID
	var metadata json.RawMessage
	err = tx.QueryRow(ctx, "select evaluation_id, evaluation_version_id, metadata from library_items where tenant_id = $1 and library_id = $2 and id = $3",
		tx.Tenant(), id, item).Scan(&evaluation, &version, &metadata)
	if errors.Is(err, pgx.ErrNoRows) {
		return Library{}, errNoItem()
	}
	if err != nil {
		return Library{}, fmt.Errorf("find item: %w", err)
	}
	var found []errs.Field
	if patch.SourceEvaluationVersionID != nil {
		version = patch.SourceEvaluationVersionID
		found, err = own.checkItem(ctx, tx, evaluation, version)
		if err != nil {
			return Library{}, err
		}
	}
	if patch.Metadata != nil {
		metadata = patch.Metadata
	}
	canonical, wrong := metadataOf(metadata)
	if err := errs.Invalid(append(found, wrong...)...); err != nil {
		return Library{}, err
	}
	_, err = tx.Exec(ctx, "update library_items set evaluation_version_id = $4, metadata = $5::text::jsonb where tenant_id = $1 and library_id = $2 and id = $3",
		tx.Tenant(), id, item, version, canonical)
	if err != nil {
		return Library{}, fmt.Errorf("update item: %w", err)
	}
	if patch.Pos != nil {
		err = own.move(ctx, tx, item, *patch.Pos)
		if err != nil {
			return Library{}, err
		}
	}
	return own.changed(ctx, tx, "item_updated", map[string]any{"itemId": item})
}

// RemoveItem takes an item out of a library; revisions keep theirs. Capability: packs.manage. Errors:
// not_found, archived.
func RemoveItem(ctx context.Context, tx *db.Tx, input ByItem) (db.None, error) {
	id, item := input.LibraryID, input.ItemID
	own, err := lockForItems(ctx, tx, id)
	if err != nil {
		return db.None{}, err
	}
	n, err := tx.Exec(ctx, "delete from library_items where tenant_id = $1 and library_id = $2 and id = $3", tx.Tenant(), id, item)
	if err != nil {
		return db.None{}, fmt.Errorf("remove item: %w", err)
	}
	if n == 0 {
		return db.None{}, errNoItem()
	}
	_, err = own.changed(ctx, tx, "item_removed", map[string]any{"itemId": item})
	return db.None{}, err
}

func lockForItems(ctx context.Context, tx *db.Tx, id ids.ID) (library, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return library{}, err
	}
	own, err := lockLibrary(ctx, tx, id)
	if err != nil {
		return library{}, err
	}
	return own, own.changeable()
}

// checkItem says whether the library may name an evaluation, and a version of it. An evaluation that
// the library's org unit does not have is not found.
func (l library) checkItem(ctx context.Context, tx *db.Tx, evaluation ids.ID, version *ids.ID) ([]errs.Field, error) {
	var status string
	var published, isVersion bool
	err := tx.QueryRow(ctx, `
		select e.status, e.published_id is not null, $4::uuid is null or exists (select from evaluation_versions v
			where v.tenant_id = $1 and v.id = $4 and v.evaluation_id = e.id and v.status = 'published')
		from evaluations e where e.tenant_id = $1 and e.id = $2 and e.org_unit_id = $3 for share of e`,
		tx.Tenant(), evaluation, l.org, version).Scan(&status, &published, &isVersion)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errs.New(errs.NotFound, "There is no such evaluation in the library's org unit.")
	}
	if err != nil {
		return nil, fmt.Errorf("find evaluation: %w", err)
	}
	switch {
	case status == "archived":
		return []errs.Field{{Path: "evaluationId", Code: "archived", Message: "the evaluation is archived"}}, nil
	case !published:
		return []errs.Field{{Path: "evaluationId", Code: "not_published", Message: "the evaluation has no published version"}}, nil
	case !isVersion:
		return []errs.Field{{Path: "sourceEvaluationVersionId", Code: "not_published", Message: "the evaluation has no such published version"}}, nil
	}
	return nil, nil
}

// reorder puts items into the order of their ids.
func (l library) reorder(ctx context.Context, tx *db.Tx, order []ids.ID) error {
	if err := l.changeable(); err != nil {
		return err
	}
	items, err := itemsOf(ctx, tx, l.id)
	if err != nil {
		return err
	}
	left := map[ids.ID]bool{}
	for _, item := range items {
		left[item.ID] = true
	}
	for _, id := range order {
		if !left[id] {
			return errs.Invalid(errs.Field{Path: "items", Code: "unknown_item", Message: "name each item of the library once"})
		}
		delete(left, id)
	}
	if len(left) > 0 {
		return errs.Invalid(errs.Field{Path: "items", Code: "missing_item", Message: "name each item of the library once"})
	}
	_, err = tx.Exec(ctx, `
		update library_items i set position = o.position - 1 from unnest($3::uuid[]) with ordinality as o (id, position)
		where i.tenant_id = $1 and i.library_id = $2 and i.id = o.id`, tx.Tenant(), l.id, order)
	if err != nil {
		return fmt.Errorf("order items: %w", err)
	}
	return nil
}

// move brings an item to a place; a place after the last one means the last.
func (l library) move(ctx context.Context, tx *db.Tx, item ids.ID, pos int) error {
	if pos < 0 {
		return errs.Invalid(errs.Field{Path: "pos", Code: "out_of_range", Message: "places count from 0"})
	}
	items, err := itemsOf(ctx, tx, l.id)
	if err != nil {
		return err
	}
	var order []ids.ID
	for _, other := range items {
		if other.ID != item {
			order = append(order, other.ID)
		}
	}
	at := min(pos, len(order))
	return l.reorder(ctx, tx, append(order[:at:at], append([]ids.ID{item}, order[at:]...)...))
}

func (l library) changed(ctx context.Context, tx *db.Tx, what string, payload map[string]any) (Library, error) {
	_, err := tx.Exec(ctx, "update libraries set updated_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), l.id, tx.ChangedAt(l.updatedAt))
	if err != nil {
		return Library{}, fmt.Errorf("update library: %w", err)
	}
	err = ledger.Append(ctx, tx, libraryEvent(what, l.id, l.org, payload))
	if err != nil {
		return Library{}, err
	}
	return libraryOf(ctx, tx, l.id)
}

// metadataOf gives an object in its canonical form; nothing is the empty object.
func metadataOf(raw json.RawMessage) (string, []errs.Field) {
	if len(raw) == 0 || string(raw) == "null" {
		return "{}", nil
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return "", []errs.Field{{Path: "metadata", Code: "not_an_object", Message: "expected an object"}}
	}
	canonical, err := content.Canonical(object)
	if err != nil || len(canonical) > maxMetadata || bytes.Contains(canonical, []byte(`\u0000`)) {
		return "", []errs.Field{{Path: "metadata", Code: "too_large", Message: "at most 16 KiB, without NUL characters"}}
	}
	return string(canonical), nil
}

func errNoItem() error { return errs.New(errs.NotFound, "The library has no such item.") }
