package translog

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/signer"
)

// Key is a public key that checkpoints, receipts and manifests are checked with.
type Key struct {
	ID ids.ID `json:"id"`
	// VerifierKey is the form in which tools for signed notes take it.
	VerifierKey string     `json:"verifierKey,omitempty" doc:"For signed notes: name, key hash and key; absent before the log begins"`
	PublicKey   string     `json:"publicKey" doc:"For openssl: PEM"`
	CreatedAt   time.Time  `json:"createdAt"`
	RetiredAt   *time.Time `json:"retiredAt" doc:"From then on it signed nothing; what it signed before stays valid"`
	SignedBy    *ids.ID    `json:"signedBy" doc:"The key before it in the chain; null for the first"`
	Signature   []byte     `json:"signature,omitempty" doc:"What that key signed: the line assess trust key, its id, the id of this key and its 32 bytes in base64, each with a line feed"`
}

// Keys are all keys that ever signed for a tenant.
type Keys struct {
	Keys []Key `json:"keys" nullable:"false" doc:"The chain from the first key, the newest first"`
	// Outside are the keys outside the chain: nothing signed by them is believed.
	Outside []Key `json:"outside,omitempty" nullable:"false" doc:"Keys that no key of the chain has signed: they count for nobody who was not told so"`
}

// All gives the keys of the chain and the keys outside it: a caller that checks something takes them apart again.
func (k Keys) All() []Key { return slices.Concat(k.Keys, k.Outside) }

// ListKeys gives the public keys of the tenant. Everybody of the tenant may see them.
func ListKeys(ctx context.Context, tx *db.Tx) (Keys, error) {
	var origin string
	err := tx.QueryRow(ctx, "select origin from ledger_logs where tenant_id = $1", tx.Tenant()).Scan(&origin)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Keys{}, fmt.Errorf("read the name of the log: %w", err)
	}
	all, err := signer.ListKeys(ctx, tx)
	var keys []Key
	for _, k := range all {
		keys = append(keys, keyOf(k, origin))
	}
	_, chain, outside := chained(keys, nil)
	return Keys{chain, outside}, err
}

// chained takes keys apart: the keys that lead back to a pinned key, or to the first where none is pinned, and the
// others. trusted are the pinned ones and the chain, as a notary takes them.
func chained(keys []Key, pinned []string) (trusted []string, chain, outside []Key) {
	links := make([]signer.Link, len(keys))
	for i, k := range keys {
		links[i] = signer.Link{ID: k.ID, PublicKey: signer.PublicKey(k.PublicKey), SignedBy: db.OrZero(k.SignedBy), Signature: k.Signature}
	}
	in := signer.InChain(links, func(l signer.Link) bool {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == l.ID })
		return len(pinned) == 0 && signer.IsFirst(l) || keys[i].VerifierKey != "" && slices.Contains(pinned, keys[i].VerifierKey)
	})
	chain = []Key{}
	for _, k := range keys {
		if in[k.ID] {
			chain = append(chain, k)
		} else {
			outside = append(outside, k)
		}
	}
	return append(slices.Clone(pinned), verifierKeys(chain)...), chain, outside
}

// trusting gives the keys that signatures of a file or of the database are checked with, and reports keys outside
// the chain.
func trusting(r *Report, keys []Key, pinned []string) []string {
	trusted, _, unpinned := chained(keys, pinned)
	_, _, outside := chained(keys, nil)
	for _, k := range outside {
		if !slices.ContainsFunc(unpinned, func(u Key) bool { return u.ID == k.ID }) {
			continue // somebody trusts it, or one before it
		}
		r.add(Finding{Code: KeyOutsideChain, Message: "the key " + k.ID.String() + " was signed by no key of the chain: what it signs does not count"})
	}
	return trusted
}

// OwnKeys gives the keys of the tenant as VerifyFile takes them: none before the first checkpoint.
func OwnKeys(ctx context.Context, tx *db.Tx) ([]string, error) {
	keys, err := ListKeys(ctx, tx)
	return verifierKeys(keys.Keys), err
}

// RotateKey retires the key in use and makes a new one, as signer.Rotate does. Capability: compliance.manage.
func RotateKey(ctx context.Context, tx *db.Tx, secret string, lost bool) (Keys, error) {
	_, err := signer.Rotate(ctx, tx, secret, lost)
	if err != nil {
		return Keys{}, err
	}
	return ListKeys(ctx, tx)
}

func keyOf(k signer.Key, origin string) Key {
	key := Key{ID: k.ID, PublicKey: signer.PEM(k.PublicKey), CreatedAt: k.CreatedAt, RetiredAt: k.RetiredAt, Signature: k.Signature}
	if k.SignedBy != ids.None {
		key.SignedBy = &k.SignedBy
	}
	if origin != "" {
		key.VerifierKey, _ = note.NewEd25519VerifierKey(origin, k.PublicKey) // it has the right size
	}
	return key
}

func verifierOf(origin string, public ed25519.PublicKey) (note.Verifier, error) {
	text, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return nil, fmt.Errorf("name the key of the log: %w", err)
	}
	v, err := note.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("name the key of the log: %w", err)
	}
	return v, nil
}
