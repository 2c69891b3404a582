package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type principal struct{ tenant, user ids.ID }

// grants is what a user may do now. roleSets has what each role can do, once for everybody who holds it.
type grants struct {
	active bool
	// generation is the generation of the tokens that still hold.
	generation int
	// orgUnits come in the order of their creation, roles in the order of their ids.
	orgUnits, roles []ids.ID
	// ended are tokens that the user ended by signing out.
	ended []string
}

func (g grants) belongs(orgUnit ids.ID) bool { return slices.Contains(g.orgUnits, orgUnit) }

// admits says whether a token that was signed for the user still holds.
func (g grants) admits(c Claims) bool {
	return g.active && g.generation == c.Generation && g.belongs(c.OrgUnitID) && !slices.Contains(g.ended, c.ID)
}

// held gives the token's roles that the user still has.
func (g grants) held(token []ids.ID) []ids.ID {
	var held []ids.ID
	for _, role := range g.roles {
		if slices.Contains(token, role) {
			held = append(held, role)
		}
	}
	return held
}

const grantsSQL = `
select u.status = 'active', u.token_generation,
	array(select o.id from user_org_units m join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
		where m.tenant_id = $1 and m.user_id = $2 order by o.created_at, o.id),
	array(select role_id from user_roles where tenant_id = $1 and user_id = $2 order by role_id),
	array(select token_id::text from ended_tokens where tenant_id = $1 and user_id = $2)
from users u where u.tenant_id = $1 and u.id = $2`

// columns are where a row of grantsSQL goes.
func (g *grants) columns() []any {
	return []any{&g.active, &g.generation, &g.orgUnits, &g.roles, &g.ended}
}

// loadGrants gives the grants of a user who exists, and none for anybody else.
func loadGrants(ctx context.Context, tx *db.Tx, user ids.ID) (grants, error) {
	var g grants
	err := tx.QueryRow(ctx, grantsSQL, tx.Tenant(), user).Scan(g.columns()...)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return grants{}, fmt.Errorf("read user's grants: %w", err)
	}
	return g, nil
}

// grantsMemory bounds the memory for people, in bytes: some 200,000 of them in one org unit and one role.
const grantsMemory = 64 << 20

// weight is the size of an entry of the cache, in bytes: some 250 for itself, 16 for each id, and 52 for one as a text.
func weight(_ principal, g grants) uint32 {
	return uint32(250 + 16*(cap(g.orgUnits)+cap(g.roles)) + 52*cap(g.ended))
}

// maxRoleSets bounds the sets of roles that are kept with what they are able to, a few KB each.
const maxRoleSets = 2000

// grantCache keeps grants in memory while the database can tell us of changes. The
// generation makes sure that nothing read before a change is kept after it.
type grantCache struct {
	store   *db.Store
	entries *otter.Cache[principal, grants]
	// roleSets holds the capabilities of roles that somebody holds together, by tenant and roles. They are
	// shared and never changed.
	roleSets   *otter.Cache[string, capability.Set]
	mu         sync.Mutex
	generation uint64
	listening  atomic.Bool
}

func newGrantCache(store *db.Store) *grantCache {
	return &grantCache{store: store,
		entries: otter.Must(&otter.Options[principal, grants]{MaximumWeight: grantsMemory, Weigher: weight,
			ExpiryCalculator: otter.ExpiryWriting[principal, grants](10 * time.Minute)}),
		roleSets: otter.Must(&otter.Options[string, capability.Set]{MaximumSize: maxRoleSets}),
	}
}

// get gives the grants of a user; where they are not known, that takes one round trip.
func (c *grantCache) get(ctx context.Context, p principal) (grants, error) {
	return cached(ctx, c, c.entries, p, p.tenant, func(tx *db.Tx) (grants, error) {
		var g grants
		err := tx.LastRow(ctx, grantsSQL, []any{p.tenant, p.user}, g.columns()...)
		if errors.Is(err, pgx.ErrNoRows) {
			return grants{}, nil
		}
		return g, err
	})
}

// capabilities joins the capabilities of roles, which are in the order of their ids.
func (c *grantCache) capabilities(ctx context.Context, tenant ids.ID, roles []ids.ID) (capability.Set, error) {
	key := make([]byte, 0, 16*(len(roles)+1))
	key = append(key, tenant[:]...)
	for _, role := range roles {
		key = append(key, role[:]...)
	}
	return cached(ctx, c, c.roleSets, string(key), tenant, func(tx *db.Tx) (capability.Set, error) {
		var all []capability.Capability
		err := tx.LastRow(ctx, "select array(select distinct capability from role_capabilities where tenant_id = $1 and role_id = any($2))",
			[]any{tenant, roles}, &all)
		return capability.NewSet(all...), err
	})
}

// cached gives the value that a cache of c holds for the key, or reads it.
func cached[K comparable, V any](ctx context.Context, c *grantCache, cache *otter.Cache[K, V], key K, tenant ids.ID, read func(*db.Tx) (V, error)) (V, error) {
	if c.listening.Load() {
		if known, ok := cache.GetIfPresent(key); ok {
			return known, nil
		}
	}
	c.mu.Lock()
	before := c.generation
	c.mu.Unlock()
	var found V
	err := c.store.ReadShort(ctx, db.System(tenant, "access"), func(tx *db.Tx) (err error) {
		found, err = read(tx)
		return err
	})
	if err != nil {
		return found, fmt.Errorf("read grants: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == before && c.listening.Load() {
		cache.Set(key, found)
	}
	return found, nil
}

func (c *grantCache) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.entries.InvalidateAll()
	c.roleSets.InvalidateAll()
}

// Follow listens for changes until the context ends. While it cannot listen, nothing is
// cached: slower, but never stale.
func (a *Authority) Follow(ctx context.Context, log *slog.Logger) {
	for ctx.Err() == nil {
		err := a.listen(ctx)
		a.grants.listening.Store(false)
		if ctx.Err() == nil {
			log.WarnContext(ctx, "role changes cannot be followed; asking the database each time", "error", db.Translate(err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// probe bounds how long a connection that died silently goes unnoticed.
const probe = 600 * time.Millisecond

func (a *Authority) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, a.store.Pool().Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing hangs on it any more
	_, err = conn.Exec(ctx, "listen "+db.AccessChannel)
	if err != nil {
		return err
	}
	a.forget()
	a.grants.listening.Store(true)
	for {
		wait, cancel := context.WithTimeout(ctx, probe)
		_, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			a.forget()
		case quiet && !conn.IsClosed():
			err := ping(ctx, conn)
			if err != nil {
				return err
			}
		default:
			return err
		}
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return conn.Ping(ctx)
}

func (a *Authority) forget() {
	a.keys.forget()
	a.grants.flush()
}
