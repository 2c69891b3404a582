package cli

import (
	"context"
	"errors"
	"time"

	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
)

// nodePatience is how long doctor waits for the nodes of a cluster; Citus waits for one of them half as long.
const nodePatience = time.Minute

// examineNodes checks each node of a cluster. The database of one machine has none, and doctor does not mention them.
func examineNodes(ctx context.Context, store *db.Store, d *Diagnosis) {
	ctx, cancel := context.WithTimeout(ctx, nodePatience)
	defer cancel()
	nodes, err := cluster.Examine(ctx, store.Unscoped())
	if errors.Is(err, cluster.ErrNoCitus) {
		return
	}
	if err != nil {
		d.problem("nodes", err.Error(), "look into the log of PostgreSQL on the coordinator")
		return
	}
	for _, n := range nodes {
		d.node(n)
	}
	steps, err := cluster.Plan(ctx, store.Unscoped())
	switch {
	case err != nil:
		d.problem("places", err.Error(), "look into the log of PostgreSQL on the coordinator")
	case len(steps) > 0:
		d.problem("places", plural.Of(tablesOf(steps), "table")+" with rows of tenants lie on the coordinator alone", "run: assessctl distribute")
	default:
		d.ok("places", "every table has its place")
	}
}

func (d *Diagnosis) node(n cluster.Examined) {
	check := "worker " + n.String()
	if n.Coordinator {
		check = "coordinator " + n.String()
	}
	for _, p := range n.Problems {
		d.problem(check, p.What, p.Remedy)
	}
	if len(n.Problems) == 0 {
		d.ok(check, "PostgreSQL "+n.PostgreSQL+", Citus "+n.Citus)
	}
}
