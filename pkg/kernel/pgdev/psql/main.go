// Command psql opens a PostgreSQL shell on a private server, which it starts when nothing
// runs in the folder: make db.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"assess/pkg/kernel/pgdev"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: psql FOLDER DATABASE")
		os.Exit(2)
	}
	err := open(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(ctx context.Context, folder, database string) error {
	server, err := pgdev.Start(ctx, pgdev.Options{Dir: folder, Durable: true})
	if err != nil {
		return err
	}
	defer server.Stop(ctx) //nolint:errcheck // leaves a server alone that others started
	err = server.EnsureDatabase(ctx, database)
	if err != nil {
		return err
	}
	shell := exec.CommandContext(ctx, "psql", server.SuperURL(database))
	shell.Stdin, shell.Stdout, shell.Stderr = os.Stdin, os.Stdout, os.Stderr
	return shell.Run()
}
