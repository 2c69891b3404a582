package signer

import (
	"crypto/ed25519"
	"encoding/base64"

	"assess/pkg/kernel/ids"
)

// Link is what makes a key one of a chain: the key before it, and what that signed. The first key has neither.
type Link struct {
	ID        ids.ID
	PublicKey ed25519.PublicKey
	SignedBy  ids.ID
	Signature []byte
}

// linked is what a key signs of the one after it.
func linked(before, id ids.ID, public ed25519.PublicKey) []byte {
	return []byte("assess trust key\n" + before.String() + "\n" + id.String() + "\n" + base64.StdEncoding.EncodeToString(public) + "\n")
}

// InChain says which keys lead back to a root: each was signed by one that does. Keys are few.
func InChain(keys []Link, root func(Link) bool) map[ids.ID]bool {
	trusted := map[ids.ID]ed25519.PublicKey{}
	for _, k := range keys {
		if len(k.PublicKey) == ed25519.PublicKeySize && root(k) {
			trusted[k.ID] = k.PublicKey
		}
	}
	for found := true; found; {
		found = false
		for _, k := range keys {
			before, known := trusted[k.SignedBy]
			if _, in := trusted[k.ID]; in || !known || len(k.PublicKey) != ed25519.PublicKeySize || !ed25519.Verify(before, linked(k.SignedBy, k.ID, k.PublicKey), k.Signature) {
				continue
			}
			trusted[k.ID], found = k.PublicKey, true
		}
	}
	in := map[ids.ID]bool{}
	for id := range trusted {
		in[id] = true
	}
	return in
}

// IsFirst says whether a key is the first of its chain.
func IsFirst(k Link) bool { return k.SignedBy == ids.None }
