package evidence

import (
	"context"

	gocloud "gocloud.dev/blob"

	"assess/config"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/shelf"
)

var kept = shelf.Kind{Blob: blob.Evidence, Claims: "evidence_blobs", Records: "evidence", Held: "held_sha256"}

// Files keeps the bytes of evidence in the blob store.
type Files struct {
	*shelf.Shelf
	store *db.Store
	types []string
	limit int64
}

// NewFiles makes Files.
func NewFiles(store *db.Store, blobs *blob.Store, c config.Blob) *Files {
	return &Files{Shelf: shelf.New(kept, store, blobs), store: store, types: c.EvidenceTypes, limit: int64(c.EvidenceLimit)}
}

// Limit is the size of the largest file that is taken, in bytes.
func (f *Files) Limit() int64 { return f.limit }

// Keep stores a file before the transaction of Attach. A file for a submission that does not exist
// is not stored. Errors: as of Inspect, Attach and blob.Store.Put.
func (f *Files) Keep(ctx context.Context, scope db.Scope, in AttachInput, file *blob.File, claimed string) (Content, error) {
	content, err := f.Inspect(file, claimed)
	if err != nil {
		return Content{}, err
	}
	return content, f.Shelf.Keep(ctx, scope, file, func(tx *db.Tx) error {
		_, err := in.check(ctx, tx)
		return err
	})
}

// ClaimFile says that a file is about to be recorded.
func ClaimFile(ctx context.Context, tx *db.Tx, c Content) error {
	if err := tx.Require(capability.EvidenceManage); err != nil {
		return err
	}
	return kept.Claim(ctx, tx, c.SHA256)
}

// Open gives a reader of the bytes of evidence that View gave. With verified, all of them are
// compared with their hash first. Errors: file_damaged, storage_unavailable.
func (f *Files) Open(ctx context.Context, tenant ids.ID, e Evidence, verified bool) (*gocloud.Reader, error) {
	return f.Shelf.Open(ctx, tenant, e.SHA256, verified)
}
