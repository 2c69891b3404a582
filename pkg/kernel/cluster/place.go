package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
)

// Home is where the rows of a tenant lie: a shard group, which is one shard of each table, on a node.
type Home struct {
	Node Node
	// Group is the shard of the table that all others lie with.
	Group int64
	// Alone says that no other tenant can come to lie in the group.
	Alone bool
}

const homesSQL = `
select t.id::text, n.nodename, n.nodeport, s.shardid, s.shardminvalue = s.shardmaxvalue
from unnest($1::text[]::uuid[]) t(id)
join pg_dist_shard s on s.shardid = get_shard_id_for_distribution_column('public.org_units', t.id)
join pg_dist_placement p on p.shardid = s.shardid
join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`

// Homes gives the homes of tenants; none where the database is not distributed.
func Homes(ctx context.Context, q Querier, tenants []ids.ID) (map[ids.ID]Home, error) {
	homes := map[ids.ID]Home{}
	spread, err := isSpread(ctx, q)
	if err != nil || !spread {
		return homes, err
	}
	words := make([]string, len(tenants))
	for i, t := range tenants {
		words[i] = t.String()
	}
	rows, err := q.Query(ctx, homesSQL, words)
	if err != nil {
		return nil, fmt.Errorf("ask Citus where tenants lie: %w", err)
	}
	var word string
	var h Home
	_, err = pgx.ForEachRow(rows, []any{&word, &h.Node.Host, &h.Node.Port, &h.Group, &h.Alone}, func() error {
		id, err := ids.Parse("tenant", word)
		homes[id] = h
		return err
	})
	return homes, err
}

// isSpread says whether tenants have homes.
func isSpread(ctx context.Context, q Querier) (bool, error) {
	err := there(ctx, q)
	if errors.Is(err, ErrNoCitus) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	done, err := settled(ctx, q)
	return slices.Contains(done, colocated), err
}

// Isolate gives a tenant a shard group of its own, on the node where it lies. Writers in the old group wait meanwhile. The
// connection is a superuser's.
func Isolate(ctx context.Context, conn *pgx.Conn, tenant ids.ID) error {
	return unbound(ctx, conn, func() error { return isolate(ctx, conn, tenant) })
}

func isolate(ctx context.Context, conn *pgx.Conn, tenant ids.ID) error {
	_, err := conn.Exec(ctx, `select isolate_tenant_to_new_shard('public.org_units', $1::text::uuid, 'CASCADE', shard_transfer_mode => 'block_writes')`,
		tenant.String())
	if err != nil {
		return fmt.Errorf("give the tenant a shard group of its own: %w", err)
	}
	return cleanUp(ctx, conn)
}

// Move takes the shard group of a home, with all tenants in it, to another node. Writers in it wait meanwhile. Shards do not
// move by logical replication, with which writers would not wait: it takes no unlogged table, and its subscriber no table
// whose row-level security binds the owner. The connection is a superuser's.
func Move(ctx context.Context, conn *pgx.Conn, from Home, to Node) error {
	return unbound(ctx, conn, func() error { return move(ctx, conn, from, to) })
}

func move(ctx context.Context, conn *pgx.Conn, from Home, to Node) error {
	_, err := conn.Exec(ctx, "select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')",
		from.Group, from.Node.Host, from.Node.Port, to.Host, to.Port)
	if err != nil {
		return fmt.Errorf("move the shard group: %w", err)
	}
	return cleanUp(ctx, conn)
}

// unbound lets the owner of the tables see all rows while shards are made anew. Citus gives the copies their foreign keys as the
// owner, and PostgreSQL checks the keys with a query that row-level security restricts too: the owner sees sessions, to find the
// overdue ones, and they would seem to refer to evaluations that are not there. Functions with the owner's rights still find
// what their arguments name. If the program dies before the end, the next call binds the owner again, and doctor reports it.
func unbound(ctx context.Context, conn *pgx.Conn, do func() error) error {
	rows, err := conn.Query(ctx, "select tableowner::text from pg_tables where schemaname = 'public' and tablename = $1", colocated)
	if err != nil {
		return err
	}
	owner, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "select pg_advisory_lock($1)", moving)
	if err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", moving) //nolint:errcheck // the connection's end unlocks too
	_, err = conn.Exec(ctx, "alter role "+quote(owner)+" bypassrls")
	if err != nil {
		return err
	}
	err = do()
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), bindWithin)
	defer cancel()
	_, bound := conn.Exec(after, "alter role "+quote(owner)+" nobypassrls")
	if bound != nil {
		bound = fmt.Errorf("bind the owner of the tables by row-level security again (alter role %s nobypassrls): %w", quote(owner), bound)
	}
	return errors.Join(err, bound)
}

// moving is the lock for moving shards of the database: one process does so at a time.
const moving int64 = 0x61737365737332

// bindWithin is how long nodes may take that are about to come back.
const bindWithin = 10 * time.Second

// cleanUp removes the shards that a move left behind: what was in use at its end stays until the next look.
func cleanUp(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "call citus_cleanup_orphaned_resources()")
	if err != nil {
		return fmt.Errorf("remove the shards that were moved: %w", err)
	}
	return nil
}
