package residue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/signer"
)

// Receipt is a report with its proof: Signature is Ed25519 (RFC 8032) over the canonical JSON of the
// report (RFC 8785), by a key of the tenant.
type Receipt struct {
	Report    Report `json:"report"`
	SHA256    string `json:"sha256" doc:"Of the canonical JSON of the report"`
	KeyID     ids.ID `json:"keyId"`
	PublicKey string `json:"publicKey" doc:"In PEM"`
	Signature []byte `json:"signature"`
}

// Sign signs a report, and records in the ledger that it was made: only figures. secret is
// auth.key_secret. It also gives the bytes that were signed. Errors: as signer.Sign.
func Sign(ctx context.Context, tx *db.Tx, secret string, r Report) (Receipt, []byte, error) {
	message, err := content.Canonical(r)
	if err != nil {
		return Receipt{}, nil, fmt.Errorf("write the report: %w", err)
	}
	signature, err := signer.Sign(ctx, tx, secret, message)
	if err != nil {
		return Receipt{}, nil, err
	}
	hash := sha256.Sum256(message)
	receipt := Receipt{Report: r, SHA256: hex.EncodeToString(hash[:]), KeyID: signature.KeyID,
		PublicKey: signer.PEM(signature.PublicKey), Signature: signature.Bytes}
	event := ledger.Event{Type: "residue.scanned", SubjectType: "user", Payload: map[string]any{
		"rows": r.Rows, "files": r.Files, "bytes": r.Bytes, "residue": r.Residue, "possible": r.Possible, "allowed": r.Allowed,
		"sha256": receipt.SHA256}}
	if r.SubjectID != nil {
		event.SubjectID = *r.SubjectID
	}
	return receipt, message, ledger.Append(ctx, tx, event)
}
