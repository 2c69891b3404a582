package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// PlacedTenant is a tenant of a cluster, with the node where its rows lie.
type PlacedTenant struct {
	people.Tenant
	Node       string `json:"node"`
	Alone      bool   `json:"alone"`
	ShardGroup int64  `json:"shardGroup"`

	home cluster.Home
}

var placedColumns = columns[PlacedTenant]("Slug, Name, Node, Alone, ShardGroup, CreatedAt, ID*")

// printTenants says of the tenants of a cluster where they lie, too.
func (s *Shell) printTenants(ctx context.Context, store *db.Store) error {
	tenants, err := people.ListTenants(ctx, store)
	if err != nil {
		return err
	}
	placed, err := placedTenants(ctx, store.Unscoped(), tenants)
	switch {
	case err != nil:
		return err
	case len(placed) > 0:
		return Print(s, placed, placedColumns...)
	}
	return Print(s, tenants, tenantColumns...)
}

func placedTenants(ctx context.Context, q cluster.Querier, tenants []people.Tenant) ([]PlacedTenant, error) {
	var all []ids.ID
	for _, t := range tenants {
		all = append(all, t.ID)
	}
	homes, err := cluster.Homes(ctx, q, all)
	if err != nil || len(homes) == 0 {
		return nil, err
	}
	var placed []PlacedTenant
	for _, t := range tenants {
		placed = append(placed, PlacedTenant{Tenant: t}.at(homes[t.ID]))
	}
	return placed, nil
}

func (p PlacedTenant) at(h cluster.Home) PlacedTenant {
	p.home, p.Node, p.Alone, p.ShardGroup = h, h.Node.String(), h.Alone, h.Group
	return p
}

const placeLong = `Give a tenant of a cluster shards that no other tenant shares, on the node where it lies; assessctl tenant move takes
it to another one. It runs as a superuser of the coordinator (database.admin_url). While it runs, the tenant and those that
share its shards can read and not write. A tenant that lies alone already stays as it is.`

func newTenantPlace(s *Shell) *cobra.Command {
	var alone bool
	cmd := &cobra.Command{
		Use:   "place TENANT --alone",
		Short: "Give a tenant of a cluster shards of its own",
		Long:  placeLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !alone {
				return Usage("say how: --alone")
			}
			return s.onCluster(cmd.Context(), args[0], s.isolate)
		},
	}
	cmd.Flags().BoolVar(&alone, "alone", false, "in shards that no other tenant shares")
	return s.placing(cmd)
}

const moveLong = `Move a tenant of a cluster to another worker, with all tenants that share its shards: assessctl tenant list tells which.
It runs as a superuser of the coordinator (database.admin_url). While it runs, these tenants can read and not write; writers
wait, and lose nothing. A tenant that lies there already stays.`

func newTenantMove(s *Shell) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "move TENANT --node HOST:PORT",
		Short: "Move a tenant of a cluster to another node",
		Long:  moveLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			node, err := parseNode(to)
			if err != nil {
				return err
			}
			return s.onCluster(cmd.Context(), args[0], func(ctx context.Context, c *clusterCall) error { return s.move(ctx, c, node) })
		},
	}
	cmd.Flags().StringVar(&to, "node", "", "worker to move to, as the coordinator reaches it")
	required(cmd, "node")
	return s.placing(cmd)
}

func (s *Shell) placing(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "print which tenants it concerns, and change nothing")
	return cmd
}

// clusterCall is a call about a tenant of a cluster.
type clusterCall struct {
	store *db.Store
	conn  *pgx.Conn
	// group are the tenants of the shard group; the call names one of them.
	tenant ids.ID
	group  []PlacedTenant
}

// onCluster finds the tenant and the tenants placed with it, does something to them, and prints their new places.
func (s *Shell) onCluster(ctx context.Context, word string, do func(context.Context, *clusterCall) error) error {
	conn, err := s.admin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the statements have committed
	store, err := s.Store(ctx)
	if err != nil {
		return err
	}
	c := &clusterCall{store: store, conn: conn}
	c.tenant, err = people.FindTenant(ctx, store, word)
	if err != nil {
		return unknown("tenant", word, err)
	}
	c.group, err = s.groupOf(ctx, c)
	if err == nil {
		err = do(ctx, c)
	}
	if err != nil {
		return err
	}
	if s.dryRun {
		s.Note("Dry run: nothing was changed.")
	}
	return Print(s, c.group, placedColumns...)
}

func (s *Shell) groupOf(ctx context.Context, c *clusterCall) ([]PlacedTenant, error) {
	tenants, err := people.ListTenants(ctx, c.store)
	if err != nil {
		return nil, err
	}
	placed, err := placedTenants(ctx, c.conn, tenants)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(placed, func(t PlacedTenant) bool { return t.ID == c.tenant })
	if i < 0 {
		return nil, errors.New("the database is that of one machine: assessctl distribute makes it one of a cluster")
	}
	group := placed[i].home.Group
	return slices.DeleteFunc(placed, func(t PlacedTenant) bool { return t.home.Group != group }), nil
}

func (c *clusterCall) slugs() string {
	return words(c.group, func(t PlacedTenant) string { return t.Slug })
}

// isolate leaves only the tenant in the result: the others have not moved.
func (s *Shell) isolate(ctx context.Context, c *clusterCall) error {
	others := c.slugs()
	c.group = slices.DeleteFunc(c.group, func(t PlacedTenant) bool { return t.ID != c.tenant })
	tenant := &c.group[0]
	if tenant.Alone {
		s.Note("%s lies alone already.", tenant.Slug)
		return nil
	}
	if s.dryRun {
		return nil
	}
	err := s.Confirm(ctx, fmt.Sprintf("Give %s shards of its own? Meanwhile nobody can write in %s.", tenant.Slug, others))
	if err == nil {
		err = cluster.Isolate(ctx, c.conn, tenant.ID)
	}
	if err != nil {
		return err
	}
	homes, err := cluster.Homes(ctx, c.conn, []ids.ID{tenant.ID})
	if err != nil {
		return err
	}
	*tenant = tenant.at(homes[tenant.ID])
	return s.record(ctx, c, tenant.ID, func(tx *db.Tx) error { return people.RecordIsolation(ctx, tx, tenant.Node) })
}

func (s *Shell) move(ctx context.Context, c *clusterCall, to cluster.Node) error {
	_, workers, err := cluster.Nodes(ctx, c.conn)
	if err != nil {
		return err
	}
	if !slices.Contains(workers, to) {
		return Usage("%s is no worker of the cluster; these are: %s", to, words(workers, cluster.Node.String))
	}
	from := c.group[0].home
	if from.Node == to {
		s.Note("%s lies there already.", strings.ReplaceAll(c.slugs(), ", ", " and "))
		return nil
	}
	if s.dryRun {
		return nil
	}
	err = s.Confirm(ctx, fmt.Sprintf("Move %s to %s? Meanwhile nobody can write there.", c.slugs(), to))
	if err == nil {
		err = cluster.Move(ctx, c.conn, from, to)
	}
	for i := range c.group {
		if err == nil {
			h := from
			h.Node = to
			c.group[i] = c.group[i].at(h)
			err = s.record(ctx, c, c.group[i].ID, func(tx *db.Tx) error { return people.RecordMove(ctx, tx, from.Node.String(), to.String()) })
		}
	}
	return err
}

// record writes an event into the ledger of a tenant whose rows lie elsewhere by now.
func (s *Shell) record(ctx context.Context, c *clusterCall, tenant ids.ID, do func(*db.Tx) error) error {
	actor, err := s.actorIn(ctx, c.store, tenant)
	if err == nil {
		err = c.store.Write(ctx, db.Scope{Tenant: tenant, All: true, Actor: actor}, do)
	}
	if err != nil {
		return fmt.Errorf("it is done, and its ledger does not say so: %w", err)
	}
	return nil
}
