package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// nodesKey is where a connection keeps how long its statements wait for locks, if its database is spread over nodes.
const nodesKey = "assess nodes"

// lookForNodes asks once a connection whether Citus spreads the database over other nodes (package cluster).
func lookForNodes(ctx context.Context, conn *pgx.Conn) error {
	var wait *string
	err := conn.QueryRow(ctx, "select (select current_setting('lock_timeout') from pg_extension where extname = 'citus')").Scan(&wait)
	if wait != nil {
		conn.PgConn().CustomData()[nodesKey] = *wait
	}
	return err
}

func lockTimeoutOfNodes(conn *pgx.Conn) (string, bool) {
	wait, there := conn.PgConn().CustomData()[nodesKey].(string)
	return wait, there
}

func hasNodes(conn *pgx.Conn) bool {
	_, there := lockTimeoutOfNodes(conn)
	return there
}

// queueScopeOfNodes states the scope so that Citus passes it on to the nodes, where the policies need it: Citus passes on
// "set local" but no set_config. "set local" takes no parameters; the values are ids and words of ours. No policy needs
// the actor, so it stays here.
func (tx *Tx) queueScopeOfNodes(b *pgx.Batch) {
	wait, there := lockTimeoutOfNodes(tx.raw)
	if !there {
		return
	}
	b.Queue("set local citus.propagate_set_commands = 'local'")
	b.Queue("set local app.tenant_id = '" + tx.scope.Tenant.String() + "'")
	b.Queue("set local app.org_unit_id = '" + orgSetting(tx.scope) + "'")
	b.Queue(setReach(tx.scope.All))
	// It is a node that waits for a row, by its own settings.
	b.Queue("set local lock_timeout = '" + wait + "'")
}

func setReach(all bool) string { return "set local app.scope_all = '" + onOff(all) + "'" }
