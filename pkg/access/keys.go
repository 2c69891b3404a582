package access

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
)

// Key is a signing key as operators see it. A retired key signs nothing more, but its
// tokens hold until they expire.
type Key struct {
	ID        string     `json:"id"`
	CreatedAt time.Time  `json:"createdAt"`
	RetiredAt *time.Time `json:"retiredAt"`
}

type signingKey struct {
	Key
	private ed25519.PrivateKey
}

func (k signingKey) public() ed25519.PublicKey { return k.private.Public().(ed25519.PublicKey) }

// keyring holds the signing keys of the database. It reads them again when a token names
// a key that it does not know, at most once a second, and at every announcement.
type keyring struct {
	store *db.Store
	mu    sync.RWMutex
	keys  map[string]signingKey
	read  time.Time
}

func (r *keyring) find(ctx context.Context, id string) (signingKey, bool, error) {
	r.mu.RLock()
	k, ok := r.keys[id]
	fresh := time.Since(r.read) < time.Second
	r.mu.RUnlock()
	if ok || fresh {
		return k, ok, nil
	}
	err := r.load(ctx)
	if err != nil {
		return signingKey{}, false, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok = r.keys[id]
	return k, ok, nil
}

// current gives the key that signs; the first call of an installation makes it.
func (r *keyring) current(ctx context.Context) (signingKey, error) {
	for range 2 {
		if k, ok := r.newest(); ok {
			return k, nil
		}
		err := r.load(ctx)
		if err != nil {
			return signingKey{}, err
		}
		if k, ok := r.newest(); ok {
			return k, nil
		}
		_, err = AddKey(ctx, r.store)
		if err != nil {
			return signingKey{}, err
		}
		r.forget()
	}
	return signingKey{}, fmt.Errorf("no signing key could be made")
}

func (r *keyring) newest() (signingKey, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	active := slices.DeleteFunc(slices.Collect(maps.Values(r.keys)), func(k signingKey) bool { return k.RetiredAt != nil })
	if len(active) == 0 {
		return signingKey{}, false
	}
	return slices.MaxFunc(active, func(a, b signingKey) int { return a.CreatedAt.Compare(b.CreatedAt) }), true
}

func (r *keyring) forget() {
	r.mu.Lock()
	r.read = time.Time{}
	r.keys = nil
	r.mu.Unlock()
}

func (r *keyring) load(ctx context.Context) error {
	rows, err := r.store.Unscoped().Query(ctx, "select kid, seed, created_at, retired_at from signing_keys")
	if err != nil {
		return fmt.Errorf("read signing keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (signingKey, error) {
		var k signingKey
		var seed []byte
		err := row.Scan(&k.ID, &seed, &k.CreatedAt, &k.RetiredAt)
		if err == nil {
			k.private = ed25519.NewKeyFromSeed(seed)
		}
		return k, err
	})
	if err != nil {
		return fmt.Errorf("read signing keys: %w", db.Translate(err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = make(map[string]signingKey, len(keys))
	for _, k := range keys {
		r.keys[k.ID] = k
	}
	r.read = time.Now()
	return nil
}

// AddKey makes a new signing key. From now on it signs; the earlier ones go on verifying.
func AddKey(ctx context.Context, store *db.Store) (Key, error) {
	var random [8]byte
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(random[:]) //nolint:errcheck // never fails since Go 1.24
	rand.Read(seed)      //nolint:errcheck // as above
	k := Key{ID: hex.EncodeToString(random[:])}
	err := store.Unscoped().QueryRow(ctx, `
		insert into signing_keys (kid, seed, created_at) values ($1, $2, clock_timestamp()) returning created_at`,
		k.ID, seed).Scan(&k.CreatedAt)
	if err != nil {
		return Key{}, fmt.Errorf("store signing key: %w", db.Translate(err))
	}
	return k, announceKeys(ctx, store)
}

// RotateKeys makes a new key and retires all earlier ones: they sign nothing more and
// verify until their last token has expired. Nobody is signed out.
func RotateKeys(ctx context.Context, store *db.Store) (Key, error) {
	k, err := AddKey(ctx, store)
	if err != nil {
		return Key{}, err
	}
	_, err = store.Unscoped().Exec(ctx,
		"update signing_keys set retired_at = clock_timestamp() where kid <> $1 and retired_at is null", k.ID)
	if err != nil {
		return Key{}, fmt.Errorf("retire signing keys: %w", err)
	}
	return k, announceKeys(ctx, store)
}

// ListKeys lists the keys, newest first.
func ListKeys(ctx context.Context, store *db.Store) ([]Key, error) {
	rows, err := store.Unscoped().Query(ctx, "select kid, created_at, retired_at from signing_keys order by created_at desc")
	if err != nil {
		return nil, fmt.Errorf("list signing keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Key])
	if err != nil {
		return nil, fmt.Errorf("list signing keys: %w", db.Translate(err))
	}
	return keys, nil
}

// sweepKeys deletes retired keys whose last token has expired.
func sweepKeys(ctx context.Context, store *db.Store, lifetime time.Duration) error {
	_, err := store.Unscoped().Exec(ctx,
		"delete from signing_keys where retired_at < clock_timestamp() - make_interval(secs => $1)", 2*lifetime.Seconds())
	return err
}

func announceKeys(ctx context.Context, store *db.Store) error {
	_, err := store.Unscoped().Exec(ctx, "select pg_notify($1, 'keys')", channel)
	return err
}
