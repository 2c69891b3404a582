package pgdev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Cluster is a coordinator and two workers with Citus on this machine. The nodes find each other by the folders
// of their sockets, which Citus takes for names of machines, so that none listens on a network address.
type Cluster struct {
	// Nodes has the coordinator first.
	Nodes []*Server
}

// clusterSettings are for the nodes of a cluster: the triggers of the schema fire on the shards, and some of them
// look into other tables of the same tenant, whose shards lie on the same node.
var clusterSettings = map[string]string{
	"shared_preload_libraries":                 "citus",
	"citus.enable_unsafe_triggers":             "on",
	"citus.allow_nested_distributed_execution": "on",
	"max_prepared_transactions":                "200",
	"shared_buffers":                           "64MB",
	"max_worker_processes":                     "32",
	"citus.shard_count":                        "4",
}

// StartCluster starts the nodes in folders below Options.Dir, as Start does. The server programs need Citus installed with them.
func StartCluster(ctx context.Context, opts Options) (*Cluster, error) {
	return nodes(ctx, opts, Start)
}

// AttachCluster gives a cluster that runs, and starts none: ErrNotRunning.
func AttachCluster(ctx context.Context, opts Options) (*Cluster, error) {
	return nodes(ctx, opts, Attach)
}

func nodes(ctx context.Context, opts Options, open func(context.Context, Options) (*Server, error)) (*Cluster, error) {
	settings := maps.Clone(clusterSettings)
	maps.Copy(settings, opts.Settings)
	c := &Cluster{}
	for _, name := range []string{"coordinator", "worker1", "worker2"} {
		node, err := open(ctx, Options{Dir: filepath.Join(opts.Dir, name), Durable: opts.Durable, Settings: settings})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, errors.Join(err, c.stop(ctx)))
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c, nil
}

// stop ends what this process started.
func (c *Cluster) stop(ctx context.Context) error {
	var err error
	for _, node := range c.Nodes {
		err = errors.Join(err, node.Stop(ctx))
	}
	return err
}

// Shutdown ends all nodes, no matter who started them.
func (c *Cluster) Shutdown(ctx context.Context) error {
	var err error
	for _, node := range c.Nodes {
		err = errors.Join(err, node.Shutdown(ctx))
	}
	return err
}

// Coordinator is the node that the programs talk to.
func (c *Cluster) Coordinator() *Server { return c.Nodes[0] }

// EnsureDatabase makes a database on every node, as Server.EnsureDatabase does, and tells the coordinator of the workers.
func (c *Cluster) EnsureDatabase(ctx context.Context, name string) error {
	for _, node := range c.Nodes {
		err := node.EnsureDatabase(ctx, name)
		if err == nil {
			err = node.asSuperuser(ctx, name, "create extension if not exists citus")
		}
		if err != nil {
			return err
		}
	}
	conn, err := pgx.Connect(ctx, c.Coordinator().SuperURL(name))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // each statement has committed
	_, err = conn.Exec(ctx, "select citus_set_coordinator_host($1, 5432)", c.Coordinator().folders.socket)
	for _, worker := range c.Nodes[1:] {
		if err == nil {
			_, err = conn.Exec(ctx, "select citus_add_node($1, 5432)", worker.folders.socket)
		}
	}
	if err != nil {
		return fmt.Errorf("join the nodes: %w", err)
	}
	return nil
}
