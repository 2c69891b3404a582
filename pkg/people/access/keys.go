package access

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/kernel/db"
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
// a key that it does not know, and at every announcement.
type keyring struct {
	store   *db.Store
	secret  string
	loading sync.Mutex // one reload at a time
	mu      sync.RWMutex
	keys    map[string]signingKey
	asOf    time.Time // when the reload that gave the keys began
	// announced counts the announcements, so that nothing read before one is kept after it.
	announced int
}

// find looks a key up. That a key is unknown is only said after a reload that began later
// than the question; questions that wait for the same reload share it, unless its keys were
// forgotten in between.
func (r *keyring) find(ctx context.Context, id string) (signingKey, bool, error) {
	k, ok, _ := r.look(id)
	if ok {
		return k, true, nil
	}
	asked := time.Now()
	r.loading.Lock()
	defer r.loading.Unlock()
	k, ok, asOf := r.look(id)
	if ok || asOf.After(asked) {
		return k, ok, nil
	}
	keys, err := r.load(ctx, r.store.Unscoped())
	if err != nil {
		return signingKey{}, false, fmt.Errorf("%w: %w", errKeysUnread, err)
	}
	k, ok = keys[id]
	return k, ok, nil
}

// errKeysUnread keeps a token that could not be looked at from being called a bad one.
var errKeysUnread = errors.New("look up a signing key")

func (r *keyring) look(id string) (signingKey, bool, time.Time) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, ok := r.keys[id]
	return k, ok, r.asOf
}

// current gives the key that signs; the first call of an installation makes it. It works on
// the caller's connection: to wait for another one while holding one is how pools lock up.
func (r *keyring) current(ctx context.Context, tx *db.Tx) (signingKey, error) {
	r.mu.RLock()
	keys := r.keys
	r.mu.RUnlock()
	if k, ok := newest(keys); ok {
		return k, nil
	}
	keys, err := r.load(ctx, tx)
	if err != nil {
		return signingKey{}, err
	}
	if k, ok := newest(keys); ok {
		return k, nil
	}
	// The new key is not kept: the transaction may still fail.
	return newKey(ctx, tx, r.secret)
}

func newest(keys map[string]signingKey) (signingKey, bool) {
	active := slices.DeleteFunc(slices.Collect(maps.Values(keys)), func(k signingKey) bool { return k.RetiredAt != nil })
	if len(active) == 0 {
		return signingKey{}, false
	}
	return slices.MaxFunc(active, func(a, b signingKey) int { return a.CreatedAt.Compare(b.CreatedAt) }), true
}

func (r *keyring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys, r.asOf = nil, time.Time{}
	r.announced++
}

// load reads all keys that the secret opens; another one made the rest, which are unknown then. A
// map of keys is never changed once it is shown.
func (r *keyring) load(ctx context.Context, from connection) (map[string]signingKey, error) {
	r.mu.RLock()
	before := r.announced
	r.mu.RUnlock()
	began := time.Now()
	keys, _, err := openKeys(ctx, from, r.secret)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.announced == before {
		r.keys, r.asOf = keys, began
	}
	return keys, nil
}

// openKeys also counts the keys that are not retired and that the secret does not open.
func openKeys(ctx context.Context, from connection, secret string) (map[string]signingKey, int, error) {
	if secret == "" {
		return nil, 0, ErrNoKeySecret
	}
	rows, err := from.Query(ctx, "select kid, sealed_seed, created_at, retired_at from signing_keys")
	if err != nil {
		return nil, 0, fmt.Errorf("read signing keys: %w", err)
	}
	keys, closed := map[string]signingKey{}, 0
	var k signingKey
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&k.ID, &sealed, &k.CreatedAt, &k.RetiredAt}, func() error {
		seed, err := Unseal(secret, k.ID, sealed)
		if err == nil && len(seed) == ed25519.SeedSize {
			k.private = ed25519.NewKeyFromSeed(seed)
			keys[k.ID] = k
		} else if k.RetiredAt == nil {
			closed++
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read signing keys: %w", db.Translate(err))
	}
	return keys, closed, nil
}

// ClosedKeys counts the keys in use that the secret of the settings does not open.
func ClosedKeys(ctx context.Context, store *db.Store, o config.Auth) (int, error) {
	_, closed, err := openKeys(ctx, store.Unscoped(), o.KeySecret)
	return closed, err
}

// connection is a transaction, or the pool: signing keys belong to no tenant.
type connection interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// newKey makes a signing key. From its commit on it signs, and every process knows it.
func newKey(ctx context.Context, on connection, secret string) (signingKey, error) {
	var random [8]byte
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(random[:]) //nolint:errcheck // never fails since Go 1.24
	rand.Read(seed)      //nolint:errcheck // as above
	k := signingKey{Key: Key{ID: hex.EncodeToString(random[:])}, private: ed25519.NewKeyFromSeed(seed)}
	sealed, err := Seal(secret, k.ID, seed)
	if err != nil {
		return signingKey{}, err
	}
	err = on.QueryRow(ctx, `
		with made as (
			insert into signing_keys (kid, sealed_seed, created_at) values ($1, $2, clock_timestamp()) returning created_at
		)
		select created_at from made, pg_notify($3, 'keys')`, k.ID, sealed, db.AccessChannel).Scan(&k.CreatedAt)
	if err != nil {
		return signingKey{}, fmt.Errorf("store signing key: %w", db.Translate(err))
	}
	return k, nil
}

// RotateKeys makes a new key and retires all earlier ones: they sign nothing more and
// verify until their last token has expired. Nobody is signed out.
func RotateKeys(ctx context.Context, store *db.Store, o config.Auth) (Key, error) {
	k, err := newKey(ctx, store.Unscoped(), o.KeySecret)
	if err != nil {
		return Key{}, err
	}
	_, err = store.Unscoped().Exec(ctx,
		"update signing_keys set retired_at = clock_timestamp() where kid <> $1 and retired_at is null", k.ID)
	if err != nil {
		return Key{}, fmt.Errorf("retire signing keys: %w", err)
	}
	_, err = store.Unscoped().Exec(ctx, "select pg_notify($1, 'keys')", db.AccessChannel)
	return k.Key, err
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

// sweepKeys deletes retired keys whose last token has expired, a link's token too.
func sweepKeys(ctx context.Context, store *db.Store, lifetime time.Duration) error {
	_, err := store.Unscoped().Exec(ctx,
		"delete from signing_keys where retired_at < clock_timestamp() - make_interval(secs => $1)", 2*lifetime.Seconds())
	return err
}
