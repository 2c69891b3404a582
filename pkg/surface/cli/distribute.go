package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/plural"
)

// Distributed says what a run of distribute did, or with --dry-run would do.
type Distributed struct {
	// Joined are the nodes that were, or would be, new to the cluster.
	Joined []cluster.Node `json:"joined"`
	// Steps are groups of tables that got, or would get, their places.
	Steps []cluster.Step `json:"steps"`
	// Problems keep it from being done.
	Problems []cluster.Problem `json:"problems"`
}

const distributeLong = `Spread the tables of tenants over the nodes of a Citus cluster, which needs an administrator's preparation
(docs/scale.md). The rows of a tenant come to lie on one node, what all tenants refer to on every node, and what
belongs to nobody stays on the coordinator.

It runs as a superuser of the coordinator (database.admin_url, or ASSESS_DATABASE_ADMIN_URL) on a migrated database with
which no program works meanwhile. Each group of tables is a transaction of its own, so a run that was ended goes on
with the next; running it again changes nothing. There is no way back but a restore.

--dry-run prints the steps and the nodes that would join, and what stands in the way; neither is asked then.`

func newDistribute(s *Shell) *cobra.Command {
	var nodes []string
	var self string
	cmd := &cobra.Command{
		Use:   "distribute [--node HOST:PORT]...",
		Short: "Spread the database over the nodes of a Citus cluster",
		Long:  distributeLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.distribute(cmd.Context(), self, nodes)
		},
	}
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "worker that joins, as the coordinator reaches it (may be given again)")
	cmd.Flags().StringVar(&self, "coordinator", "", "how workers reach the coordinator (default: host and port of database.admin_url)")
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "print what would be done, and change nothing")
	return cmd
}

func (s *Shell) distribute(ctx context.Context, self string, words []string) error {
	conn, err := s.admin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the statements have committed
	workers, err := parseNodes(words)
	if err != nil {
		return err
	}
	coordinator := cluster.Node{Host: conn.Config().Host, Port: int(conn.Config().Port)}
	if self != "" {
		coordinator, err = parseNode(self)
		if err != nil {
			return err
		}
	}
	plan, err := planDistribution(ctx, conn, workers)
	if err != nil {
		return noCitus(err)
	}
	switch {
	case s.dryRun:
		s.Note("Dry run: nothing was changed.")
	case len(plan.Problems) == 0 && len(plan.Joined)+len(plan.Steps) > 0:
		err = s.Confirm(ctx, fmt.Sprintf("Spread %s over the cluster, with %s? Nothing takes that back.",
			plural.Of(tablesOf(plan.Steps), "table"), plural.Of(len(plan.Joined), "new node")))
		if err == nil {
			err = s.carryOut(ctx, conn, coordinator, &plan)
		}
		if err != nil {
			return err
		}
	}
	err = s.Show(plan, func(screen *Screen) error { return s.drawDistributed(screen, plan) })
	if err == nil && len(plan.Problems) > 0 {
		return Unsound("problems found: %d; nothing was changed", len(plan.Problems))
	}
	return err
}

// planDistribution looks at everything that can be known before a node joins.
func planDistribution(ctx context.Context, conn *pgx.Conn, workers []cluster.Node) (Distributed, error) {
	plan := Distributed{Joined: []cluster.Node{}, Steps: []cluster.Step{}}
	_, known, err := cluster.Nodes(ctx, conn)
	if err != nil {
		return plan, err
	}
	for _, w := range workers {
		if !slices.Contains(known, w) && !slices.Contains(plan.Joined, w) {
			plan.Joined = append(plan.Joined, w)
		}
	}
	steps, err := cluster.Plan(ctx, conn)
	if err != nil {
		return plan, err
	}
	plan.Steps = append(plan.Steps, steps...)
	plan.Problems, err = nodeProblems(ctx, conn)
	if err == nil && len(known)+len(plan.Joined) == 0 {
		plan.Problems = append(plan.Problems, cluster.Problem{What: "the cluster has no workers", Remedy: "name them with --node"})
	}
	if err != nil || len(plan.Steps) == 0 {
		return plan, err
	}
	busy, err := cluster.AtWork(ctx, conn)
	if busy > 0 {
		plan.Problems = append(plan.Problems, cluster.Problem{What: plural.Of(busy, "connection") + " of programs work on the database",
			Remedy: "stop every assessd"})
	}
	return plan, err
}

// carryOut checks the nodes once more before tables move: nodes that have just joined now say what they lack.
func (s *Shell) carryOut(ctx context.Context, conn *pgx.Conn, self cluster.Node, plan *Distributed) error {
	err := cluster.Join(ctx, conn, self, plan.Joined, func(n cluster.Node) { s.Note("Joined %s.", n) })
	if err != nil {
		return err
	}
	problems, err := nodeProblems(ctx, conn)
	if err != nil {
		return err
	}
	for _, p := range problems {
		s.Note("%s: %s", p.What, p.Remedy)
	}
	if len(problems) > 0 {
		return Unsound("problems found: %d; no table was moved", len(problems))
	}
	bar, done := s.Progress("Distributing"), 0
	defer bar.Done()
	return cluster.Distribute(ctx, conn, func(cluster.Step) {
		done++
		bar.Report(int64(done), int64(len(plan.Steps)))
	})
}

func nodeProblems(ctx context.Context, q cluster.Querier) ([]cluster.Problem, error) {
	nodes, err := cluster.Examine(ctx, q)
	problems := []cluster.Problem{}
	for _, n := range nodes {
		for _, p := range n.Problems {
			problems = append(problems, cluster.Problem{What: n.String() + " " + p.What, Remedy: p.Remedy})
		}
	}
	return problems, err
}

// admin connects as the superuser, which work on the nodes needs.
func (s *Shell) admin(ctx context.Context) (*pgx.Conn, error) {
	c, err := s.Config()
	if err != nil {
		return nil, err
	}
	if c.Database.AdminURL == "" {
		return nil, Usage("this runs as a superuser of the coordinator: set ASSESS_DATABASE_ADMIN_URL or database.admin_url")
	}
	conn, err := pgx.Connect(ctx, c.Database.AdminURL)
	if err != nil {
		return nil, fmt.Errorf("the superuser of database.admin_url cannot connect: %w", err)
	}
	err = cluster.MustBeSuperuser(ctx, conn)
	if err != nil {
		conn.Close(ctx) //nolint:errcheck // nothing hangs on it
		return nil, err
	}
	return conn, nil
}

// noCitus says what an administrator has to do if there is no Citus.
func noCitus(err error) error {
	if !errors.Is(err, cluster.ErrNoCitus) {
		return err
	}
	return fmt.Errorf("%w\nAn administrator of each node puts citus into shared_preload_libraries, restarts it, and runs in the database:\n\n  create extension citus;", err)
}

func parseNode(word string) (cluster.Node, error) {
	node, err := cluster.ParseNode(word)
	if err != nil {
		return node, Usage("%w", err)
	}
	return node, nil
}

func parseNodes(words []string) ([]cluster.Node, error) {
	var nodes []cluster.Node
	for _, word := range words {
		node, err := parseNode(word)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

func tablesOf(steps []cluster.Step) int {
	n := 0
	for _, step := range steps {
		n += len(step.Tables)
	}
	return n
}

var stepColumns = columns[cluster.Step]("Place, Tables")

func (s *Shell) drawDistributed(screen *Screen, plan Distributed) error {
	for _, p := range plan.Problems {
		fmt.Fprintln(screen, screen.Paint(Bad, StateProblem), p.What)
		fmt.Fprintln(screen, "  Remedy:", p.Remedy)
	}
	for _, n := range plan.Joined {
		fmt.Fprintln(screen, "node", n)
	}
	if len(plan.Steps) == 0 {
		s.Note("Every table has its place.")
		return nil
	}
	return writeTable(screen, plan.Steps, stepColumns)
}
