package access

import (
	"context"
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

// channel is where the database announces changes of roles and keys (migration 0002).
const channel = "assess_access"

type principal struct{ tenant, user ids.ID }

// grants is what a user may do now.
type grants struct {
	active bool
	// generation is that of the tokens that still hold.
	generation int
	orgUnits   []ids.ID
	roles      map[ids.ID][]capability.Capability
}

func (g grants) belongs(orgUnit ids.ID) bool { return slices.Contains(g.orgUnits, orgUnit) }

// admits says whether a token that was signed for the user still holds.
func (g grants) admits(c Claims) bool {
	return g.active && g.generation == c.Generation && g.belongs(c.OrgUnitID)
}

func (g grants) roleIDs() []ids.ID {
	out := make([]ids.ID, 0, len(g.roles))
	for id := range g.roles {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return out
}

// capabilities joins those of the given roles that the user still has.
func (g grants) capabilities(roles []ids.ID) capability.Set {
	set := capability.Set{}
	for _, id := range roles {
		for _, c := range g.roles[id] {
			set[c] = struct{}{}
		}
	}
	return set
}

// loadGrants reads them in the order in which the user joined: org units by creation.
func loadGrants(ctx context.Context, tx *db.Tx, user ids.ID) (grants, error) {
	g := grants{roles: map[ids.ID][]capability.Capability{}}
	err := tx.QueryRow(ctx, `
		select coalesce((select status = 'active' from users where tenant_id = $1 and id = $2), false),
			coalesce((select token_generation from users where tenant_id = $1 and id = $2), 0),
			array(select o.id from user_org_units m join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
				where m.tenant_id = $1 and m.user_id = $2 order by o.created_at, o.id)`,
		tx.Tenant(), user).Scan(&g.active, &g.generation, &g.orgUnits)
	if err != nil {
		return grants{}, fmt.Errorf("read user's status: %w", err)
	}
	rows, err := tx.Query(ctx, `
		select u.role_id, c.capability from user_roles u
		left join role_capabilities c on c.tenant_id = u.tenant_id and c.role_id = u.role_id
		where u.tenant_id = $1 and u.user_id = $2`, tx.Tenant(), user)
	if err != nil {
		return grants{}, fmt.Errorf("read user's roles: %w", err)
	}
	var role ids.ID
	var c *capability.Capability // nil for a role that gives nothing
	_, err = pgx.ForEachRow(rows, []any{&role, &c}, func() error {
		if c == nil {
			g.roles[role] = nil
			return nil
		}
		g.roles[role] = append(g.roles[role], *c)
		return nil
	})
	if err != nil {
		return grants{}, fmt.Errorf("read user's roles: %w", err)
	}
	return g, nil
}

// grantCache keeps grants in memory while the database can tell us of changes. The
// generation makes sure that nothing read before a change is kept after it.
type grantCache struct {
	store      *db.Store
	entries    *otter.Cache[principal, grants]
	mu         sync.Mutex
	generation uint64
	listening  atomic.Bool
}

func newGrantCache(store *db.Store) *grantCache {
	return &grantCache{store: store, entries: otter.Must(&otter.Options[principal, grants]{
		MaximumSize: 200_000, ExpiryCalculator: otter.ExpiryWriting[principal, grants](10 * time.Minute),
	})}
}

func (c *grantCache) get(ctx context.Context, p principal) (grants, error) {
	if c.listening.Load() {
		if g, ok := c.entries.GetIfPresent(p); ok {
			return g, nil
		}
	}
	c.mu.Lock()
	before := c.generation
	c.mu.Unlock()
	var g grants
	err := c.store.Read(ctx, db.System(p.tenant, "access"), func(tx *db.Tx) error {
		var err error
		g, err = loadGrants(ctx, tx, p.user)
		return err
	})
	if err != nil {
		return grants{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == before && c.listening.Load() {
		c.entries.Set(p, g)
	}
	return g, nil
}

func (c *grantCache) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	c.entries.InvalidateAll()
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
	_, err = conn.Exec(ctx, "listen "+channel)
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
