package authoring

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"assess/pkg/kernel/content"
)

// intact remembers which texts have been found to be the content that a hash names, so that a text that
// comes again is not put into canonical form again. It remembers the texts themselves, by their own hash,
// and no times: a changed text is another text.
var intact = struct {
	sync.Mutex
	known map[intactText]bool
}{known: map[intactText]bool{}}

type intactText struct {
	hash string
	text [sha256.Size]byte
}

// maxIntact limits the number of remembered hashes.
const maxIntact = 10_000

// Intact says whether the content of a snapshot, as it was read, has the hash that it is stored under.
// Snapshots never change: one that does not was changed behind the service's back.
func Intact(hash string, frozen []byte) bool {
	key := intactText{hash, sha256.Sum256(frozen)}
	intact.Lock()
	known := intact.known[key]
	intact.Unlock()
	if known {
		return true
	}
	canonical, err := content.Canonical(json.RawMessage(frozen))
	if err != nil || content.Hash(canonical) != hash {
		return false
	}
	intact.Lock()
	defer intact.Unlock()
	if len(intact.known) >= maxIntact {
		clear(intact.known)
	}
	intact.known[key] = true
	return true
}
