package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"assess/config"
	"assess/migrations"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/access"
)

// folder holds the database and the logs while the bench runs.
const folder = ".pg/bench"

const database = "bench"

// house is where the measurements run: a database, the library on it, and ways around the library
// for the hand-written statements.
type house struct {
	size    size
	profile string

	// nodes are the server, or the coordinator and the workers of a cluster; postgres is the one that the programs connect
	// to.
	nodes    []*pgdev.Server
	postgres *pgdev.Server
	// super bypasses policies; plain logs in as the programs do.
	super, plain *pgxpool.Pool
	store        *db.Store
	authority    *access.Authority
	desk         *session.Desk

	exam
}

func openHouse(ctx context.Context, size size, profile string) (*house, error) {
	postgres, err := pgdev.Start(ctx, pgdev.Options{Dir: folder, Durable: true})
	if err != nil {
		return nil, err
	}
	if !postgres.Started() {
		return nil, errors.New("another bench runs in " + folder + "; if one was killed, end its postgres")
	}
	return furnish(ctx, &house{size: size, profile: profile, nodes: []*pgdev.Server{postgres}})
}

// openSpread is a house on a coordinator and two workers.
func openSpread(ctx context.Context, size size, profile string) (*house, error) {
	nodes, err := pgdev.StartCluster(ctx, pgdev.Options{Dir: folder + "-cluster", Durable: true})
	if err != nil {
		return nil, fmt.Errorf("a cluster needs the programs of Citus first in PATH, as scripts/citus makes them ready: %w", err)
	}
	return furnish(ctx, &house{size: size, profile: profile, nodes: nodes.Nodes})
}

func furnish(ctx context.Context, h *house) (*house, error) {
	h.postgres, h.desk = h.nodes[0], session.NewDesk()
	err := h.open(ctx)
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *house) open(ctx context.Context) error {
	for _, node := range h.nodes {
		err := dropLeftover(ctx, node)
		if err != nil {
			return err
		}
	}
	err := h.found(ctx)
	if err != nil {
		return err
	}
	c := config.Default()
	h.super, err = openPool(ctx, h.postgres.SuperURL(database), c.Database.MaxConns)
	if err != nil {
		return err
	}
	h.plain, err = openPool(ctx, h.postgres.AppURL(database), c.Database.MaxConns)
	if err != nil {
		return err
	}
	h.store, err = db.Open(ctx, db.Options{URL: h.postgres.AppURL(database), MaxConns: c.Database.MaxConns,
		ReportMaxConns: c.Database.ReportMaxConns})
	if err != nil {
		return err
	}
	h.authority = access.NewAuthority(h.store, auth())
	h.exam, err = writeExam(ctx, h.store, h.authority, "exam", 1)
	return err
}

// found makes the database.
func (h *house) found(ctx context.Context) error {
	spread := len(h.nodes) > 1
	var err error
	if spread {
		err = (&pgdev.Cluster{Nodes: h.nodes}).EnsureDatabase(ctx, database)
	} else {
		err = h.postgres.EnsureDatabase(ctx, database)
	}
	if err != nil {
		return err
	}
	_, err = migrations.Up(ctx, h.postgres.OwnerURL(database))
	if err != nil || !spread {
		return err
	}
	conn, err := pgx.Connect(ctx, h.postgres.SuperURL(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statements have committed
	return cluster.Distribute(ctx, conn, func(cluster.Step) {})
}

// dropLeftover drops the database of a bench that was killed.
func dropLeftover(ctx context.Context, node *pgdev.Server) error {
	conn, err := pgx.Connect(ctx, node.SuperURL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing hangs on it any more
	_, err = conn.Exec(ctx, "drop database if exists "+database+" with (force)")
	return err
}

// openPool opens a pool that prepares each statement once a connection.
func openPool(ctx context.Context, url string, conns int) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	c.MaxConns = int32(conns)
	return pgxpool.NewWithConfig(ctx, c)
}

// close stops the database and deletes it: the next run needs nothing of this one.
func (h *house) close() {
	for _, pool := range []*pgxpool.Pool{h.super, h.plain} {
		if pool != nil {
			pool.Close()
		}
	}
	if h.store != nil {
		h.store.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, node := range h.nodes {
		err := node.Shutdown(ctx)
		if err == nil {
			err = os.RemoveAll(filepath.Join(node.Home(), "data"))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: clear away the database:", err)
		}
	}
}

// calm writes dirty pages and refreshes the statistics, so that neither falls into the next measurement.
func (h *house) calm(ctx context.Context, tables ...string) error {
	for _, sql := range []string{"vacuum analyze " + strings.Join(tables, ", "), "checkpoint"} {
		_, err := h.super.Exec(ctx, sql)
		if err != nil {
			return err
		}
	}
	return nil
}

// postmaster gives the process id of the database.
func (h *house) postmaster() (int, error) { return postmasterOf(h.postgres) }

func postmasterOf(node *pgdev.Server) (int, error) {
	text, err := os.ReadFile(filepath.Join(node.Home(), "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}
