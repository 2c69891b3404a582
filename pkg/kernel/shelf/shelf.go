package shelf

import (
	"context"
	"fmt"

	gocloud "gocloud.dev/blob"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Kind is a kind of file. Claims and Records name its tables, which have tenant_id; claims have sha256 and touched_at, when
// somebody last meant to use the file. Held is the column of a record with the hash of the file that it still needs: null in
// one whose file was erased. Keeper, if there is one, is a table whose sha256 keeps files, too.
type Kind struct {
	Blob                  blob.Kind
	Claims, Records, Held string
	Keeper                string
}

// Claim says that a file is about to be stored or used. A sweep that is deleting the same
// file ends first, and one that comes later does not touch it for an hour.
func (k Kind) Claim(ctx context.Context, tx *db.Tx, sha256 string) error {
	_, err := tx.Exec(ctx, `
		insert into `+k.Claims+` as c (tenant_id, sha256, touched_at) values ($1, $2, $3)
		on conflict (tenant_id, sha256) do update set touched_at = greatest(c.touched_at, excluded.touched_at)`,
		tx.Tenant(), sha256, tx.Now())
	if err != nil {
		return fmt.Errorf("claim file: %w", err)
	}
	return nil
}

// Shelf keeps the files of a kind.
type Shelf struct {
	kind  Kind
	store *db.Store
	blobs *blob.Store
}

// New makes a Shelf.
func New(kind Kind, store *db.Store, blobs *blob.Store) *Shelf {
	return &Shelf{kind: kind, store: store, blobs: blobs}
}

// Keep stores a file before the transaction that records it. allowed runs in the transaction
// of the claim: a file that it refuses is not stored. The claim commits first, so that the
// sweep knows of every file, and knows which ones are too young for it. Errors: the ones of
// allowed and of blob.Store.Put.
func (s *Shelf) Keep(ctx context.Context, scope db.Scope, file *blob.File, allowed func(*db.Tx) error) error {
	err := s.store.Write(ctx, scope, func(tx *db.Tx) error {
		err := allowed(tx)
		if err != nil {
			return err
		}
		return s.kind.Claim(ctx, tx, file.SHA256)
	})
	if err != nil {
		return err
	}
	_, err = s.blobs.Put(ctx, scope.Tenant, s.kind.Blob, file)
	return err
}

// Open gives a reader of a file. If verified is set, the bytes are compared with their hash before
// any of them is given out; that reads them twice. Errors: file_damaged, storage_unavailable.
func (s *Shelf) Open(ctx context.Context, tenant ids.ID, sha256 string, verified bool) (*gocloud.Reader, error) {
	key := s.key(tenant, sha256)
	if verified {
		err := s.blobs.Verify(ctx, key)
		if err != nil {
			return nil, err
		}
	}
	return s.blobs.Open(ctx, key)
}

// Verify holds a file against its hash. Errors: file_damaged, storage_unavailable.
func (s *Shelf) Verify(ctx context.Context, tenant ids.ID, sha256 string) error {
	return s.blobs.Verify(ctx, s.key(tenant, sha256))
}

// Exists says whether there is a file; its bytes are not looked at.
func (s *Shelf) Exists(ctx context.Context, tenant ids.ID, sha256 string) (bool, error) {
	return s.blobs.Exists(ctx, s.key(tenant, sha256))
}

func (s *Shelf) key(tenant ids.ID, sha256 string) blob.Key {
	return blob.Key{Tenant: tenant, Kind: s.kind.Blob, SHA256: sha256}
}
