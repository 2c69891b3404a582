package media

import (
	"context"
	"fmt"

	gocloud "gocloud.dev/blob"

	"assess/pkg/blob"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// Files keeps the bytes of assets in the blob store.
type Files struct {
	store *db.Store
	blobs *blob.Store
}

// NewFiles makes Files.
func NewFiles(store *db.Store, blobs *blob.Store) *Files { return &Files{store: store, blobs: blobs} }

// Keep stores a file before the transaction that records it. The claim commits first, so
// that the sweep knows of every file, and knows for which ones it comes too early. An upload
// that goes no further leaves a file that the sweep removes. Errors: forbidden, those of
// Inspect and of blob.Store.Put.
func (f *Files) Keep(ctx context.Context, scope db.Scope, file *blob.File, claimed string) (Content, error) {
	content, err := Inspect(file, claimed)
	if err != nil {
		return Content{}, err
	}
	err = f.store.Write(ctx, scope, func(tx *db.Tx) error { return Claim(ctx, tx, content) })
	if err != nil {
		return Content{}, err
	}
	_, err = f.blobs.Put(ctx, scope.Tenant, blob.Media, file)
	return content, err
}

// Claim says that a file is about to be stored or used. A sweep that is deleting the same
// file ends first, and one that comes later leaves it alone for an hour.
func Claim(ctx context.Context, tx *db.Tx, c Content) error {
	if err := tx.Require(capability.MediaManage); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		insert into media_blobs (tenant_id, sha256, touched_at) values ($1, $2, $3)
		on conflict (tenant_id, sha256) do update set touched_at = greatest(media_blobs.touched_at, excluded.touched_at)`,
		tx.Tenant(), c.SHA256, tx.Now())
	if err != nil {
		return fmt.Errorf("claim file: %w", err)
	}
	return nil
}

// Open gives a reader of the bytes of a version that FindVersion gave. verified asks for the
// bytes to be held against their hash before any of them is given out; it reads them twice.
// Errors: file_damaged, storage_unavailable.
func (f *Files) Open(ctx context.Context, tenant ids.ID, v Version, verified bool) (*gocloud.Reader, error) {
	key := blob.Key{Tenant: tenant, Kind: blob.Media, SHA256: v.SHA256}
	if verified {
		err := f.blobs.Verify(ctx, key)
		if err != nil {
			return nil, err
		}
	}
	return f.blobs.Open(ctx, key)
}
