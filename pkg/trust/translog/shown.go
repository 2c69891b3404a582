package translog

import (
	"context"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/signer"
)

// ShownFormat is the first field of a Shown.
const ShownFormat = "assess-glass-box/v1"

// Shown is a view of a submission that the service gave somebody outside to take away: the box, signed,
// and the proof of the state that it is about. assessctl ledger verify FILE checks it.
type Shown struct {
	Format   string          `json:"format"`
	GlassBox json.RawMessage `json:"glassBox" doc:"The glass box; its proof stands beside it"`
	Note     string          `json:"note" doc:"A signed note over the SHA-256 of the canonical JSON of glassBox"`
	Proof    Bundle          `json:"proof"`
}

// claim is what a box has to say for its proof to be about it.
type claim struct {
	SubmissionID ids.ID `json:"submissionId"`
	StateHash    string `json:"stateHash"`
	Ledger       struct {
		Current bool `json:"current"`
	} `json:"ledger"`
}

// statement is the text that is signed.
func statement(box []byte) string { return ShownFormat + "\nsha-256 " + content.Hash(box) + "\n" }

// Vouch signs a box with the key of the log and puts the proof next to it. The caller has checked
// who may see them. Errors: as signer.Sign.
func Vouch(ctx context.Context, tx *db.Tx, secret string, box any, proof Bundle) (Shown, error) {
	canonical, err := content.Canonical(box)
	if err != nil {
		return Shown{}, fmt.Errorf("sign a glass box: %w", err)
	}
	var origin string
	err = tx.QueryRow(ctx, "select origin from ledger_logs where tenant_id = $1", tx.Tenant()).Scan(&origin)
	if err != nil {
		return Shown{}, fmt.Errorf("read the name of the log: %w", err)
	}
	_, public, err := signer.Current(ctx, tx, secret)
	if err != nil {
		return Shown{}, err
	}
	verifier, err := verifierOf(origin, public)
	if err != nil {
		return Shown{}, err
	}
	signed, err := note.Sign(&note.Note{Text: statement(canonical)}, noteKey{verifier, func(message []byte) ([]byte, error) {
		signature, err := signer.Sign(ctx, tx, secret, message)
		return signature.Bytes, err
	}})
	if err != nil {
		return Shown{}, fmt.Errorf("sign a glass box: %w", err)
	}
	return Shown{Format: ShownFormat, GlassBox: canonical, Note: string(signed), Proof: proof}, nil
}

// VerifyShown checks a Shown: that the box is the one that was signed, that its proof holds, and that
// the proof is of the state that the box is about. Keys as for VerifyBundle.
func VerifyShown(s Shown, older []Older, keys []string) (Report, error) {
	r, err := VerifyBundle(s.Proof, older, keys)
	if err != nil {
		return r, err
	}
	r.Source = "glass box"
	keys, _, _ = chained(s.Proof.Keys, keys)
	known, err := newNotary(keys)
	if err != nil {
		return r, err
	}
	canonical, err := content.Canonical(s.GlassBox)
	if err != nil {
		return r, fmt.Errorf("the glass box: %w", err)
	}
	signed, err := note.Open([]byte(s.Note), known.keys)
	switch {
	case err != nil:
		r.add(Finding{Code: WrongSignature, Message: "the glass box is signed by no known key: " + err.Error()})
	case signed.Text != statement(canonical) || signed.Sigs[0].Name != r.Origin:
		r.add(Finding{Code: WrongSignature, Message: "the glass box is not the one that was signed"})
	}
	var said claim
	err = json.Unmarshal(canonical, &said)
	if err != nil {
		return r, fmt.Errorf("the glass box: %w", err)
	}
	r.matches(said, s.Proof.Submission)
	return r, nil
}

// matches holds what a box says against the state that its proof is of. A state that has changed since
// the log took it up is no contradiction: the box says so.
func (r *Report) matches(said claim, logged *State) {
	switch {
	case logged == nil || logged.SubmissionID != said.SubmissionID:
		r.submission(BadProof, said.SubmissionID, "the proof is of another submission")
	case said.Ledger.Current && (logged.StateHash == nil || *logged.StateHash != said.StateHash):
		r.submission(BadProof, said.SubmissionID, "the proof is of another state than the one that the glass box tells of")
	}
}
