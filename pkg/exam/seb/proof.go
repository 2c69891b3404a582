package seb

import (
	"crypto/subtle"
	"strings"
)

// Hash is the hash that the browser gives for a key when it calls an address, or shows it.
func Hash(address, key string) string {
	address, _, _ = strings.Cut(address, "#")
	return sum(address + strings.ToLower(key))
}

// Proves says whether a hash was made of one of the keys at one of the addresses. It takes as long whichever it was.
func Proves(hash string, keys, addresses []string) bool {
	found := 0
	for _, address := range addresses {
		for _, key := range keys {
			found |= subtle.ConstantTimeCompare([]byte(strings.ToLower(hash)), []byte(Hash(address, key)))
		}
	}
	return found == 1
}
