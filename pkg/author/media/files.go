package media

import (
	"context"

	gocloud "gocloud.dev/blob"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/shelf"
)

var kind = shelf.Kind{Blob: blob.Media, Claims: "media_blobs", Records: "asset_versions", Held: "sha256", Keeper: "library_files"}

// Files keeps the bytes of assets in the blob store.
type Files struct{ *shelf.Shelf }

// NewFiles makes Files.
func NewFiles(store *db.Store, blobs *blob.Store) *Files {
	return &Files{shelf.New(kind, store, blobs)}
}

// Keep stores a file before the transaction that records it. Errors: forbidden, and the
// errors of Inspect and of blob.Store.Put.
func (f *Files) Keep(ctx context.Context, scope db.Scope, file *blob.File, claimed string) (Content, error) {
	content, err := Inspect(file, claimed)
	if err != nil {
		return Content{}, err
	}
	return content, f.Shelf.Keep(ctx, scope, file, func(tx *db.Tx) error { return tx.Require(capability.MediaManage) })
}

// Claim says that a file is about to be recorded.
func Claim(ctx context.Context, tx *db.Tx, c Content) error {
	if err := tx.Require(capability.MediaManage); err != nil {
		return err
	}
	return kind.Claim(ctx, tx, c.SHA256)
}

// Open gives a reader of the bytes of a version that FindVersion gave. Errors: file_damaged,
// storage_unavailable.
func (f *Files) Open(ctx context.Context, tenant ids.ID, v Version, verified bool) (*gocloud.Reader, error) {
	return f.Shelf.Open(ctx, tenant, v.SHA256, verified)
}
