package access_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"assess/config"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// Somebody who reads the table, or a backup of it, can neither sign nor put one key in another's
// place; and a process with another secret makes a key of its own and refuses the tokens of the first.
func TestSigningKeysAreOfNoUseWithoutTheSecret(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App})
	scope := sample.Tenant(t, store)
	var user ids.ID
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		user = sample.User(t, tx, capability.Author).ID
		return nil
	})
	issue := func(a *access.Authority) string {
		t.Helper()
		var token access.Token
		sample.Write(t, store, scope, func(tx *db.Tx) error {
			var err error
			token, err = a.IssueToken(t.Context(), tx, user, ids.None)
			return err
		})
		return token.Token
	}
	first := issue(access.NewAuthority(store, sample.Auth()))
	var kid string
	var sealed []byte
	err := store.Unscoped().QueryRow(t.Context(), "select kid, sealed_seed from signing_keys").Scan(&kid, &sealed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := access.Unseal(sample.KeySecret, kid, sealed); err != nil {
		t.Fatal(err)
	}
	if _, err := access.Unseal(sample.KeySecret, "other", sealed); err == nil {
		t.Error("a key can be passed off under another id")
	}
	stranger := sample.Auth()
	stranger.KeySecret = "the secret of another installation"
	if _, err := access.Unseal(stranger.KeySecret, kid, sealed); err == nil {
		t.Error("another secret opens the key")
	}
	if n, err := access.ClosedKeys(t.Context(), store, stranger); err != nil || n != 1 {
		t.Errorf("closed keys: got %d, %v, want 1", n, err)
	}
	changed := access.NewAuthority(store, stranger)
	if _, err := changed.Authenticate(t.Context(), first); err == nil {
		t.Error("a token of a key that cannot be opened was accepted")
	}
	if _, err := changed.Authenticate(t.Context(), issue(changed)); err != nil {
		t.Errorf("with a changed secret: %v", err)
	}
	stranger.KeySecret = ""
	if _, err := access.ClosedKeys(t.Context(), store, stranger); err == nil {
		t.Error("no secret is as good as one")
	}
}

func TestAPrivateDatabaseHasOneSecret(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Database.Embedded, c.Database.EmbeddedDir = true, t.TempDir()
	got := make([]string, 8)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() {
			auth, err := access.WithKeySecret(c)
			if err != nil {
				t.Error(err)
			}
			got[i] = auth.KeySecret
		})
	}
	wait.Wait()
	for _, secret := range got {
		if len(secret) < 32 || secret != got[0] {
			t.Errorf("secrets: %q, want one", got)
		}
	}
	info, err := os.Stat(filepath.Join(c.Database.EmbeddedDir, "key_secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its owner alone", info, err)
	}
}
