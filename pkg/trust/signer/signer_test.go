package signer_test

import (
	"crypto/ed25519"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/trust/signer"
)

func sign(t *testing.T, store *db.Store, scope db.Scope, message string) signer.Signature {
	t.Helper()
	var s signer.Signature
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		s, err = signer.Sign(t.Context(), tx, sample.KeySecret, []byte(message))
		return err
	})
	return s
}

func keys(t *testing.T, store *db.Store, scope db.Scope) []signer.Key {
	t.Helper()
	var all []signer.Key
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		all, err = signer.ListKeys(t.Context(), tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOpenSSLChecksASignature(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("openssl is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	store := sample.Store(t)
	s := sign(t, store, sample.Tenant(t, store), "what was signed\n")
	dir := t.TempDir()
	check := func(message string) error {
		for name, content := range map[string][]byte{"message": []byte(message), "sig": s.Bytes, "key.pem": []byte(signer.PEM(s.PublicKey))} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.CommandContext(t.Context(), openssl, "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "key.pem", "-sigfile", "sig", "-in", "message")
		command.Dir = dir
		return command.Run()
	}
	if err := check("what was signed\n"); err != nil {
		t.Error(err)
	}
	if check("what was not\n") == nil {
		t.Error("openssl takes another message")
	}
}

// If many sign first at once, all use the same key.
func TestATenantHasOneKeyInUse(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope, other := sample.Tenant(t, store), sample.Tenant(t, store)
	signatures := make([]signer.Signature, 8)
	var all sync.WaitGroup
	for i := range signatures {
		all.Go(func() { signatures[i] = sign(t, store, scope, "x") })
	}
	all.Wait()
	for _, s := range signatures {
		if s.KeyID != signatures[0].KeyID || !ed25519.Verify(s.PublicKey, []byte("x"), s.Bytes) {
			t.Errorf("got key %s, the first used %s", s.KeyID, signatures[0].KeyID)
		}
	}
	if n := len(keys(t, store, scope)); n != 1 {
		t.Errorf("got %d keys, want 1", n)
	}
	if sign(t, store, other, "x").KeyID == signatures[0].KeyID {
		t.Error("two tenants share a key")
	}
}

func TestRotationKeepsWhatWasSigned(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	before := sign(t, store, scope, "x")
	rotate := func(scope db.Scope) (signer.Key, error) {
		var k signer.Key
		err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
			var err error
			k, err = signer.Rotate(t.Context(), tx, sample.KeySecret, false)
			return err
		})
		return k, err
	}
	if _, err := rotate(sample.As(scope, ids.New(), capability.ComplianceRead)); !errors.Is(err, errs.Forbidden) {
		t.Errorf("without compliance.manage: got %v", err)
	}
	made, err := rotate(scope)
	if err != nil {
		t.Fatal(err)
	}
	after := sign(t, store, scope, "x")
	if after.KeyID != made.ID || after.KeyID == before.KeyID {
		t.Errorf("the key after rotation: got %s, want %s", after.KeyID, made.ID)
	}
	all := keys(t, store, scope)
	if len(all) != 2 || all[0].ID != after.KeyID || all[0].RetiredAt != nil || all[1].ID != before.KeyID || all[1].RetiredAt == nil ||
		!all[1].PublicKey.Equal(before.PublicKey) {
		t.Errorf("got %+v", all)
	}
}

// The table by itself gives nobody a key, and no key passes for another one.
func TestKeysAreOfNoUseWithoutTheSecret(t *testing.T) {
	t.Parallel()
	urls := dbtest.Clone(t)
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sign(t, store, scope, "x")
	try := func(secret string) error {
		return store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := signer.Sign(t.Context(), tx, secret, []byte("x"))
			return err
		})
	}
	if err := try("the secret of another installation"); !errors.Is(err, signer.ErrSealed) {
		t.Errorf("another secret: got %v", err)
	}
	if err := try(""); !errors.Is(err, access.ErrNoKeySecret) {
		t.Errorf("no secret: got %v", err)
	}
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context()) //nolint:errcheck // the test ends
	_, err = super.Exec(t.Context(), "update trust_keys set id = $2 where tenant_id = $1", scope.Tenant, ids.New())
	if err != nil {
		t.Fatal(err)
	}
	if err := try(sample.KeySecret); !errors.Is(err, signer.ErrSealed) {
		t.Errorf("under another id: got %v", err)
	}
}
