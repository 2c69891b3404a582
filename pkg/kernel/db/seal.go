package db

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A sealed key is stored in the table as a hash, and the answer is encrypted under another
// hash of it (AES-256-GCM). So an answer that holds a secret can be replayed to anyone who
// has the key, and nobody can read it from the database; it is as safe as the client's key
// is hard to guess.

func (k *Key) stored() string {
	if !k.Sealed {
		return k.Key
	}
	hash := sha256.Sum256([]byte("stored\x1f" + k.Key))
	return "sealed:" + hex.EncodeToString(hash[:])
}

func (k *Key) seal(body []byte) ([]byte, error) {
	if !k.Sealed {
		return body, nil
	}
	box, err := k.box()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize())
	rand.Read(nonce) //nolint:errcheck // never fails
	return box.Seal(nonce, nonce, body, nil), nil
}

func (k *Key) open(sealed []byte) ([]byte, error) {
	if !k.Sealed {
		return sealed, nil
	}
	box, err := k.box()
	if err != nil {
		return nil, err
	}
	if len(sealed) < box.NonceSize() {
		return nil, errors.New("db: a sealed answer is too short")
	}
	return box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], nil)
}

func (k *Key) box() (cipher.AEAD, error) {
	secret := sha256.Sum256([]byte("answer\x1f" + k.Key))
	block, err := aes.NewCipher(secret[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
