package erasure

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/hold"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/residue"
	"assess/pkg/trust/signer"
)

// The files that a job makes: the receipt in canonical JSON (RFC 8785), its signature (Ed25519, 64 bytes) and
// the public key in PEM, so that openssl pkeyutl -verify -rawin checks it.
const (
	receiptFile   = "receipt.json"
	signatureFile = "receipt.sig"
	keyFile       = "receipt.pem"
)

// receiptFormat names the fields of a receipt.
const receiptFormat = "assess-erasure-receipt/v1"

// Receipt says what was done to forget a person. It names nobody.
type Receipt struct {
	Format      string    `json:"format"`
	TenantID    ids.ID    `json:"tenantId"`
	JobID       ids.ID    `json:"jobId"`
	SubjectID   ids.ID    `json:"subjectId"`
	RequestedAt time.Time `json:"requestedAt"`
	ErasedAt    time.Time `json:"erasedAt"`
	// DataMap is the SHA-256 of docs/data-map.md, by which was erased.
	DataMap string `json:"dataMap"`
	// Rows counts the rows that were deleted or changed, by table.
	Rows map[string]int64 `json:"rows"`
	// Vacuum lists the tables where erased data remain as dead rows, until they are written anew.
	Vacuum []string `json:"vacuum"`
	// Remedy is the statement that writes them anew; empty where nothing was erased. The write-ahead log is a matter of the
	// server (docs/compliance.md).
	Remedy string `json:"remedy"`
	// Residue is what the search at the end came to; null if the person was forgotten before: then there is nothing
	// to search for.
	Residue *Searched `json:"residue"`
	KeyID   ids.ID    `json:"keyId"`
}

func remedy(tables []string) string {
	if len(tables) == 0 {
		return ""
	}
	return "vacuum (full, analyze) " + strings.Join(tables, ", ")
}

// sign ends the job: from here on holds can be placed again.
func sign(ctx context.Context, tx *db.Tx, r *compliance.Run) (bool, error) {
	key, public, err := signer.Current(ctx, tx, r.Secret)
	if err != nil {
		return false, err
	}
	tables := slices.Sorted(maps.Keys(r.Job.Counts))
	receipt := Receipt{Format: receiptFormat, TenantID: tx.Tenant(), JobID: r.Job.ID, SubjectID: r.Person(), RequestedAt: r.Job.CreatedAt.UTC(),
		ErasedAt: tx.Now(), DataMap: content.Hash([]byte(datamap.Document())), Rows: r.Job.Counts, Vacuum: tables, Remedy: remedy(tables), KeyID: key}
	receipt.Residue, err = searchedBy(r)
	if err != nil {
		return false, err
	}
	message, err := content.Canonical(receipt)
	if err != nil {
		return false, fmt.Errorf("write the receipt: %w", err)
	}
	signature, err := signer.Sign(ctx, tx, r.Secret, message)
	if err != nil {
		return false, err
	}
	err = keep(ctx, tx, r, receiptFile, message)
	if err == nil {
		err = keep(ctx, tx, r, signatureFile, signature.Bytes)
	}
	if err == nil {
		err = keep(ctx, tx, r, keyFile, []byte(signer.PEM(public)))
	}
	if err != nil {
		return false, err
	}
	err = r.Result(result{Vacuum: receipt.Vacuum, Residue: receipt.Residue})
	if err != nil {
		return false, err
	}
	err = compliance.Finish(ctx, tx, compliance.Forget, r.Person())
	if err != nil {
		return false, err
	}
	return true, hold.StopErasing(ctx, tx, r.Person())
}

// result is what the row of the job says at the end. Search is how far the search is, while it lasts.
type result struct {
	Vacuum  []string       `json:"vacuum,omitempty"`
	Residue *Searched      `json:"residue"`
	Search  *residue.State `json:"search,omitempty"`
}

var mediaTypes = map[string]string{".json": "application/json", ".sig": "application/octet-stream", ".pem": "application/x-pem-file"}

// keep stores a file of the job for ever: it names nobody.
func keep(ctx context.Context, tx *db.Tx, r *compliance.Run, name string, content []byte) error {
	_, err := r.Artifact(ctx, tx, compliance.Artifact{Name: name, MediaType: mediaTypes[path.Ext(name)], Write: func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}})
	return err
}

// eraseMail deletes what lies in the mail folder for the person.
func (f forgetting) eraseMail(_ context.Context, r *compliance.Run) error {
	who, err := unseal(r.Secret, r.Job)
	if err != nil {
		return err
	}
	_, err = mail.Erase(f.mail, r.Person(), who.Emails)
	return err
}
