package pack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Imported is the result of importing a file.
type Imported struct {
	LibraryID      ids.ID `json:"libraryId"`
	RevisionID     ids.ID `json:"revisionId"`
	RevisionNumber int    `json:"revisionNumber"`
	ManifestHash   string `json:"manifestHash"`
	PublicKey      string `json:"publicKey" doc:"That signed the file, Ed25519, in hexadecimal"`
	Unchanged      bool   `json:"unchanged" doc:"The org unit has a library with this revision already"`
}

// Keep stores the files that a verified pack shows, before the transaction that records them. It needs packs.manage.
func (f *File) Keep(ctx context.Context, scope db.Scope, files *media.Files) error {
	return f.assets(func(_ assetLine, file *blob.File) error {
		return files.Shelf.Keep(ctx, scope, file, func(tx *db.Tx) error { return tx.Require(capability.PacksManage) })
	})
}

// Import makes a verified file a library of the caller's org unit, with a revision of the same manifestHash and number; a later
// revision of the same library, signed with the same key, comes into the same library. A revision that the org unit has already
// changes nothing. Capability: packs.manage. Errors: pack_untrusted, conflict (another revision has the number),
// storage_unavailable.
func Import(ctx context.Context, tx *db.Tx, f *File) (Imported, error) {
	done := Imported{RevisionNumber: f.RevisionNumber, ManifestHash: f.ManifestHash, PublicKey: f.PublicKey}
	if err := tx.Require(capability.PacksManage); err != nil {
		return done, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return done, err
	}
	err = Trusted(ctx, tx, f.PublicKey)
	if err != nil {
		return done, err
	}
	_, err = tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'pack import', $1::text, $2::text), 0))", tx.Tenant().String(), org.String())
	if err != nil {
		return done, fmt.Errorf("wait for other imports: %w", err)
	}
	err = tx.QueryRow(ctx, `
		select r.library_id, r.id, r.number from library_revisions r join libraries l on l.tenant_id = r.tenant_id and l.id = r.library_id
		where r.tenant_id = $1 and r.manifest_hash = $2 and l.org_unit_id = $3 and coalesce(l.origin_id, l.id) = $4 order by r.number limit 1`,
		tx.Tenant(), f.ManifestHash, org, f.Envelope.LibraryID).Scan(&done.LibraryID, &done.RevisionID, &done.RevisionNumber)
	if !errors.Is(err, pgx.ErrNoRows) {
		done.Unchanged = err == nil
		return done, err
	}
	done.LibraryID, err = f.library(ctx, tx, org)
	if err != nil {
		return done, err
	}
	var taken bool
	err = tx.QueryRow(ctx, "select exists (select from library_revisions where tenant_id = $1 and library_id = $2 and number = $3)",
		tx.Tenant(), done.LibraryID, f.RevisionNumber).Scan(&taken)
	if err != nil {
		return done, fmt.Errorf("look for the revision: %w", err)
	}
	if taken {
		return done, errs.New(errs.Conflict, "The library has another revision %d.", f.RevisionNumber).With("libraryId", done.LibraryID)
	}
	r := revision{id: ids.New(), library: done.LibraryID, number: f.RevisionNumber, hash: f.ManifestHash, name: f.Name, description: f.Description,
		signedBy: &f.PublicKey, publishedAt: f.PublishedAt}
	done.RevisionID = r.id
	err = f.store(ctx, tx, r)
	if err != nil {
		return done, err
	}
	return done, ledger.Append(ctx, tx, libraryEvent("imported", r.library, org,
		map[string]any{"revisionId": r.id, "revisionNumber": r.number, "manifestHash": r.hash, "publicKey": f.PublicKey}))
}

// library finds the library that an earlier file of the same origin made, or makes it.
func (f *File) library(ctx context.Context, tx *db.Tx, org ids.ID) (ids.ID, error) {
	var id ids.ID
	err := tx.QueryRow(ctx, `
		update libraries set updated_at = greatest($5, just_after(updated_at)), name = $6, description = $7, archived_at = null
		where tenant_id = $1 and org_unit_id = $2 and origin_id = $3 and origin_key = $4 returning id`,
		tx.Tenant(), org, f.Envelope.LibraryID, f.PublicKey, tx.Now(), f.Name, f.Description).Scan(&id)
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	id = ids.New()
	_, err = tx.Exec(ctx, `
		insert into libraries (tenant_id, id, org_unit_id, name, description, origin_id, origin_key, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`, tx.Tenant(), id, org, f.Name, f.Description, f.Envelope.LibraryID, f.PublicKey, tx.Now())
	if err != nil {
		return id, fmt.Errorf("make library: %w", err)
	}
	return id, nil
}

// store writes the contents piece by piece, the files, the lines and the revision.
func (f *File) store(ctx context.Context, tx *db.Tx, r revision) error {
	var waiting []stored
	err := f.contents(func(_ string, said []stored) error {
		waiting = append(waiting, said[0])
		if len(waiting) < piece {
			return nil
		}
		err := storeContents(ctx, tx, waiting)
		waiting = nil
		return err
	})
	if err == nil {
		err = storeContents(ctx, tx, waiting)
	}
	if err != nil {
		return err
	}
	var files []assetLine
	err = f.assets(func(line assetLine, _ *blob.File) error {
		files = append(files, line)
		return nil
	})
	if err != nil {
		return err
	}
	err = storeFiles(ctx, tx, files)
	if err != nil {
		return err
	}
	return r.store(ctx, tx, f.manifest)
}

// Claim is Keep for a dry run: it claims the files within the transaction that is rolled back.
func (f *File) Claim(ctx context.Context, tx *db.Tx) error {
	return f.assets(func(line assetLine, _ *blob.File) error {
		return media.Claim(ctx, tx, media.Content{SHA256: line.SHA256})
	})
}

// Key is a key whose files the tenant takes.
type Key struct {
	PublicKey string    `json:"publicKey" doc:"Ed25519, in hexadecimal"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

// Trusted says whether the tenant takes files that were signed with a key. Errors: pack_untrusted, which names it.
func Trusted(ctx context.Context, tx *db.Tx, publicKey string) error {
	var known bool
	err := tx.QueryRow(ctx, "select exists (select from library_keys where tenant_id = $1 and public_key = $2)", tx.Tenant(), publicKey).Scan(&known)
	if err != nil {
		return fmt.Errorf("look for the key: %w", err)
	}
	if !known {
		return errs.New(errs.PackUntrusted, "The pack was signed with the key %s, which the tenant does not trust.", publicKey).With("publicKey", publicKey)
	}
	return nil
}

// Trust takes files that were signed with a key from now on. Capability: packs.manage. Errors: validation_failed.
func Trust(ctx context.Context, tx *db.Tx, publicKey, name string) (Key, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Key{}, err
	}
	_, err := assetID(publicKey) // 32 bytes in hexadecimal, as a SHA-256 is
	found := errs.Line("name", name, maxName, true)
	if err != nil {
		found = append(found, errs.Field{Path: "publicKey", Code: "invalid_key", Message: "64 hexadecimal digits in lower case"})
	}
	if err := errs.Invalid(found...); err != nil {
		return Key{}, err
	}
	key := Key{publicKey, name, tx.Now()}
	n, err := tx.Exec(ctx, "insert into library_keys (tenant_id, public_key, name, created_at) values ($1, $2, $3, $4) on conflict (tenant_id, public_key) do nothing",
		tx.Tenant(), publicKey, name, tx.Now())
	if err != nil {
		return Key{}, fmt.Errorf("trust key: %w", err)
	}
	if n == 0 {
		return key, nil
	}
	return key, ledger.Append(ctx, tx, ledger.Event{Type: "library.key_trusted", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"publicKey": publicKey}})
}

// Distrust stops taking files that are signed with a key; libraries that came with it stay. Capability:
// packs.manage. Errors: not_found.
func Distrust(ctx context.Context, tx *db.Tx, publicKey string) (Key, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Key{}, err
	}
	key := Key{PublicKey: publicKey}
	err := tx.QueryRow(ctx, "delete from library_keys where tenant_id = $1 and public_key = $2 returning name, created_at", tx.Tenant(), publicKey).
		Scan(&key.Name, &key.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, errs.New(errs.NotFound, "The tenant does not trust this key.")
	}
	if err != nil {
		return Key{}, fmt.Errorf("distrust key: %w", err)
	}
	key.CreatedAt = key.CreatedAt.UTC()
	return key, ledger.Append(ctx, tx, ledger.Event{Type: "library.key_removed", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"publicKey": publicKey}})
}

// ListKeys lists the keys that the tenant trusts. Capability: evaluations.read.
func ListKeys(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Key], error) {
	none := db.List[Key]{}
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return none, err
	}
	page, err := page.Check()
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*) from library_keys where tenant_id = $1", tx.Tenant()).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count keys: %w", err)
	}
	rows, err := tx.Query(ctx, "select public_key, name, created_at from library_keys where tenant_id = $1 order by public_key limit $2 offset $3",
		tx.Tenant(), page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("list keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Key])
	if err != nil {
		return none, fmt.Errorf("list keys: %w", err)
	}
	return db.NewList(keys, page, total), nil
}
