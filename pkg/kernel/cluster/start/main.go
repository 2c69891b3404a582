// Command start sets up a database on a coordinator and two workers in a folder, migrated and spread over them, and prints
// the addresses for the programs and for the owner of the schema, one a line. It ends the nodes when it is interrupted. It
// is for the demo with ASSESS_DEMO_CITUS=1; the first server programs in PATH need Citus installed with them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/pgdev"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: start FOLDER")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := start(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(ctx context.Context, folder string) error {
	nodes, err := pgdev.StartCluster(ctx, pgdev.Options{Dir: folder, Durable: true})
	if err != nil {
		return err
	}
	err = spread(ctx, nodes)
	if err == nil {
		fmt.Println(nodes.Coordinator().AppURL(pgdev.Database))
		fmt.Println(nodes.Coordinator().OwnerURL(pgdev.Database))
		<-ctx.Done()
	}
	return errors.Join(err, nodes.Shutdown(context.WithoutCancel(ctx)))
}

func spread(ctx context.Context, nodes *pgdev.Cluster) error {
	err := nodes.EnsureDatabase(ctx, pgdev.Database)
	if err != nil {
		return err
	}
	_, err = migrations.Up(ctx, nodes.Coordinator().OwnerURL(pgdev.Database))
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, nodes.Coordinator().SuperURL(pgdev.Database))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the statements have committed
	return cluster.Distribute(ctx, conn, func(cluster.Step) {})
}
