package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// nodesKey is where a connection keeps whether its database is spread over nodes.
const nodesKey = "assess nodes"

// lookForNodes asks once a connection whether Citus spreads the database over other nodes (package cluster).
func lookForNodes(ctx context.Context, conn *pgx.Conn) error {
	var there bool
	err := conn.QueryRow(ctx, "select exists (select from pg_extension where extname = 'citus')").Scan(&there)
	conn.PgConn().CustomData()[nodesKey] = there
	return err
}

func hasNodes(conn *pgx.Conn) bool { return conn.PgConn().CustomData()[nodesKey] == true }

// queueScopeOfNodes states the scope so that Citus hands it on to the nodes, where the policies ask for it: it hands
// on "set local" and no set_config. That takes no parameters; the values are ids and words of ours. The actor is asked for
// by no policy, and stays here.
func (tx *Tx) queueScopeOfNodes(b *pgx.Batch) {
	if !hasNodes(tx.raw) {
		return
	}
	b.Queue("set local citus.propagate_set_commands = 'local'")
	b.Queue("set local app.tenant_id = '" + tx.scope.Tenant.String() + "'")
	b.Queue("set local app.org_unit_id = '" + orgSetting(tx.scope) + "'")
	b.Queue(setReach(tx.scope.All))
}

func setReach(all bool) string { return "set local app.scope_all = '" + onOff(all) + "'" }
