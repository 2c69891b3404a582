package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/media"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The files of a pack's ZIP archive; the files that it shows are under assets/ by their SHA-256.
const (
	envelopeFile  = "pack.json"
	signatureFile = "pack.json.sig"
	manifestFile  = "manifest.json"
	contentsFile  = "contents.ndjson"
	assetFolder   = "assets/"
)

// Envelope is pack.json, which is the signed part. It names the manifest by its hash, and the manifest names everything else.
type Envelope struct {
	ExportVersion  string    `json:"exportVersion"`
	LibraryID      ids.ID    `json:"libraryId"`
	Name           string    `json:"name"`
	Description    string    `json:"description"`
	RevisionNumber int       `json:"revisionNumber"`
	PublishedAt    time.Time `json:"publishedAt"`
	ManifestHash   string    `json:"manifestHash"`
	PublicKey      string    `json:"publicKey"`
}

// Signer signs for the tenant: Ed25519 (RFC 8032) over the unchanged message.
type Signer func(ctx context.Context, tx *db.Tx, message func(ed25519.PublicKey) ([]byte, error)) (signed, signature []byte, err error)

// Exported describes an exported file.
type Exported struct {
	LibraryID      ids.ID `json:"libraryId"`
	RevisionNumber int    `json:"revisionNumber"`
	ManifestHash   string `json:"manifestHash"`
	PublicKey      string `json:"publicKey" doc:"Of the signature, Ed25519, in hexadecimal"`
}

// Export writes a revision as a signed ZIP archive, a record at a time. The archive has the key of every question, so
// Export needs packs.manage. Errors: not_found, file_damaged, storage_unavailable.
func Export(ctx context.Context, tx *db.Tx, in RevisionInput, to io.Writer, files *media.Files, sign Signer) (Exported, error) {
	if err := tx.Require(capability.PacksManage); err != nil {
		return Exported{}, err
	}
	r, err := revisionOf(ctx, tx, in.LibraryID, in.RevisionID)
	if err != nil {
		return Exported{}, err
	}
	var library, org ids.ID
	err = tx.QueryRow(ctx, "select coalesce(origin_id, id), org_unit_id from libraries where tenant_id = $1 and id = $2", tx.Tenant(), r.LibraryID).Scan(&library, &org)
	if err != nil {
		return Exported{}, fmt.Errorf("find library: %w", err)
	}
	e := Envelope{ExportVersion: Format, LibraryID: library, Name: r.Name, Description: r.Description, RevisionNumber: r.RevisionNumber,
		PublishedAt: r.PublishedAt, ManifestHash: r.ManifestHash}
	envelope, signature, err := sign(ctx, tx, func(key ed25519.PublicKey) ([]byte, error) {
		e.PublicKey = hex.EncodeToString(key)
		return content.Canonical(e)
	})
	if err != nil {
		return Exported{}, err
	}
	m, err := readManifest(ctx, tx, r.ID)
	if err != nil {
		return Exported{}, err
	}
	z := zip.NewWriter(to)
	for _, f := range []struct {
		name string
		text []byte
	}{{envelopeFile, envelope}, {signatureFile, signature}, {manifestFile, m.canonical()}} {
		err = put(z, f.name, bytes.NewReader(f.text))
		if err != nil {
			return Exported{}, err
		}
	}
	err = putContents(ctx, tx, z, r.ID)
	if err != nil {
		return Exported{}, err
	}
	err = putAssets(ctx, tx, z, m, files)
	if err != nil {
		return Exported{}, err
	}
	err = z.Close()
	if err != nil {
		return Exported{}, fmt.Errorf("write pack: %w", err)
	}
	return Exported{r.LibraryID, r.RevisionNumber, r.ManifestHash, e.PublicKey}, ledger.Append(ctx, tx, libraryEvent("exported", r.LibraryID, org,
		map[string]any{"revisionId": r.ID, "manifestHash": r.ManifestHash, "publicKey": e.PublicKey}))
}

// put writes a file of the archive without a time, so that the same revision always has the same bytes.
func put(z *zip.Writer, name string, from io.Reader) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = io.Copy(w, from)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// putContents writes a line for each content, in the order of the hashes.
func putContents(ctx context.Context, tx *db.Tx, z *zip.Writer, revision ids.ID) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: contentsFile, Method: zip.Deflate})
	if err != nil {
		return fmt.Errorf("write contents: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select c.body from (select distinct content_hash as hash from library_entries
			where tenant_id = $1 and revision_id = $2 and content_hash is not null) e
		join library_contents c on c.tenant_id = $1 and c.hash = e.hash order by c.hash`, tx.Tenant(), revision)
	if err != nil {
		return fmt.Errorf("read contents: %w", err)
	}
	var body json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&body}, func() error {
		line, err := content.Canonical(body)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write contents: %w", err)
	}
	return nil
}

func putAssets(ctx context.Context, tx *db.Tx, z *zip.Writer, m manifest, files *media.Files) error {
	for _, e := range m[kindAsset] {
		from, err := files.Shelf.Open(ctx, tx.Tenant(), e.ref, true)
		if err != nil {
			return err
		}
		err = put(z, assetFolder+e.ref, from)
		from.Close() //nolint:errcheck // only read from
		if err != nil {
			return err
		}
	}
	return nil
}
