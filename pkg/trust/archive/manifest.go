package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/trust/signer"
)

// Version is the export version of manifests (specification, section 9.6). It grows when what
// reads archives must read them in another way.
const Version = 1

// Manifest says what an archive is and what it holds. It has no times of its own: the same data
// make the same manifest.
type Manifest struct {
	ExportVersion int `json:"exportVersion"`
	// Kind is the type of the job that made it.
	Kind string `json:"kind"`
	// SubjectID is the person it is about.
	SubjectID ids.ID `json:"subjectId"`
	// DataMapVersion names the data map that the content follows.
	DataMapVersion string `json:"dataMapVersion,omitempty"`
	// Counts are numbers of records by their kind.
	Counts map[string]int64 `json:"counts"`
	// Missing are files that are recorded and that the store does not have, or not as they were.
	Missing []string `json:"missing,omitempty"`
	// Artifacts are earlier results that the archive includes (specification, section 2.11).
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Files     []File     `json:"files"`
}

// Artifact is a result of an earlier job: the file of this archive that it is, its SHA-256, the job,
// and when it was made.
type Artifact struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	JobID     ids.ID    `json:"jobId"`
	SHA256    string    `json:"sha256"`
	CreatedAt time.Time `json:"createdAt"`
}

// Receipt says when an archive was made, who requested it and who it is about. RequestedBy is
// user:<id>, "operator" or "service": names stay out of it.
type Receipt struct {
	ExportVersion     int       `json:"exportVersion"`
	Kind              string    `json:"kind"`
	JobID             ids.ID    `json:"jobId"`
	SubjectID         ids.ID    `json:"subjectId"`
	RequestedBy       string    `json:"requestedBy"`
	IssuedAt          time.Time `json:"issuedAt"`
	ManifestSHA256    string    `json:"manifestSha256"`
	ManifestSignature []byte    `json:"manifestSignature"`
	KeyID             ids.ID    `json:"keyId"`
}

// Sign signs for the tenant whose archive it is.
type Sign func(message []byte) (signer.Signature, error)

// Close writes sums, manifest, signatures and receipt, and ends the archive. It fills in what it
// knows: the files of the manifest, and hash, signature and key of the receipt.
func (w *Writer) Close(m Manifest, r Receipt, sign Sign) (Receipt, error) {
	err := w.add(Sums, w.sums())
	if err != nil {
		return r, err
	}
	w.end()
	m.ExportVersion, m.Files = Version, w.files
	manifest, err := encode(m)
	if err != nil {
		return r, err
	}
	signature, err := w.signed(ManifestName, ManifestSigName, manifest, sign)
	if err != nil {
		return r, err
	}
	err = w.add(SignerName, []byte(signer.PEM(signature.PublicKey)))
	if err != nil {
		return r, err
	}
	hash := sha256.Sum256(manifest)
	r.ExportVersion, r.Kind, r.SubjectID = Version, m.Kind, m.SubjectID
	r.ManifestSHA256, r.ManifestSignature, r.KeyID = hex.EncodeToString(hash[:]), signature.Bytes, signature.KeyID
	receipt, err := encode(r)
	if err != nil {
		return r, err
	}
	again, err := w.signed(ReceiptName, ReceiptSigName, receipt, sign)
	if err != nil {
		return r, err
	}
	if again.KeyID != signature.KeyID {
		return r, errors.New("archive: the key that signs was changed between manifest and receipt; try again")
	}
	err = w.zip.Close()
	if err != nil {
		return r, fmt.Errorf("archive: end it: %w", err)
	}
	return r, nil
}

// signed writes a file and its signature.
func (w *Writer) signed(name, sigName string, content []byte, sign Sign) (signer.Signature, error) {
	signature, err := sign(content)
	if err != nil {
		return signature, err
	}
	err = w.add(name, content)
	if err != nil {
		return signature, err
	}
	return signature, w.add(sigName, signature.Bytes)
}

// encode writes JSON that people can read.
func encode(v any) ([]byte, error) {
	raw, err := wire.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("archive: encode: %w", err)
	}
	var b bytes.Buffer
	err = json.Indent(&b, raw, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("archive: encode: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
