package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Options says how to reach the database.
type Options struct {
	URL string
	// ReportURL names a replica for reports; empty means URL.
	ReportURL        string
	MaxConns         int
	ReportMaxConns   int
	LockTimeout      time.Duration
	StatementTimeout time.Duration
	// KeySecret is auth.key_secret, with which operations seal what they must be able to open again.
	KeySecret string
	// BaseURL is http.base_url, which links that operations make begin with.
	BaseURL string
}

// Store opens transactions. Delivery and reports have pools of their own, so that a heavy
// report never keeps a candidate waiting.
type Store struct {
	main, reports pool
}

type pool struct {
	pgx                *pgxpool.Pool
	bun                *bun.DB
	keySecret, baseURL string
}

// Open makes a Store. It does not connect: a database that is away answers
// database_unavailable to each transaction until it is back.
func Open(ctx context.Context, o Options) (*Store, error) {
	main, err := openPool(ctx, o.URL, o.MaxConns, o)
	if err != nil {
		return nil, err
	}
	reportURL := o.ReportURL
	if reportURL == "" {
		reportURL = o.URL
	}
	reports, err := openPool(ctx, reportURL, o.ReportMaxConns, o)
	if err != nil {
		main.close()
		return nil, err
	}
	return &Store{main: main, reports: reports}, nil
}

func openPool(ctx context.Context, url string, conns int, o Options) (pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parser's message may quote the password.
		return pool{}, errors.New("the database URL cannot be parsed")
	}
	config.MaxConns = int32(max(conns, 2))
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		return cmp.Or(registerIDs(ctx, conn), lookForNodes(ctx, conn))
	}
	params := config.ConnConfig.RuntimeParams
	params["timezone"] = "UTC"
	params["application_name"] = "assess"
	if o.LockTimeout > 0 {
		params["lock_timeout"] = fmt.Sprint(o.LockTimeout.Milliseconds())
	}
	if o.StatementTimeout > 0 {
		params["statement_timeout"] = fmt.Sprint(o.StatementTimeout.Milliseconds())
	}
	p, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return pool{}, fmt.Errorf("open database pool: %w", err)
	}
	return pool{pgx: p, bun: bun.NewDB(stdlib.OpenDBFromPool(p), pgdialect.New()), keySecret: o.KeySecret, baseURL: o.BaseURL}, nil
}

func (p pool) close() {
	p.bun.Close() //nolint:errcheck // closes wrappers only; the pool below closes the connections
	p.pgx.Close()
}

// Close closes all connections after their transactions have ended.
func (s *Store) Close() {
	s.main.close()
	s.reports.close()
}

// Pool gives the main pool to the job queue, which keeps its own tables in its own schema.
func (s *Store) Pool() *pgxpool.Pool { return s.main.pgx }

// Pools gives the state of the pools by name: main, and reports.
func (s *Store) Pools() map[string]*pgxpool.Stat {
	return map[string]*pgxpool.Stat{"main": s.main.pgx.Stat(), "reports": s.reports.pgx.Stat()}
}

// Read runs fn in a read-only transaction at one snapshot: what its statements read belongs together.
func (s *Store) Read(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return s.main.run(ctx, scope, readOnly, fn)
}

// Report is Read on the reports' pool, which may be a replica's.
func (s *Store) Report(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return s.reports.run(ctx, scope, readOnly, fn)
}

// Write runs fn in a transaction that commits when fn returns nil. It needs an actor.
// A deadlock or serialisation failure runs fn again, so fn does nothing outside the
// database.
func (s *Store) Write(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return s.main.run(ctx, scope, readWrite, fn)
}

// DryRun runs fn for real, and what it left for the end, checks deferred constraints, and
// rolls everything back.
func (s *Store) DryRun(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	err := s.main.run(ctx, scope, readWrite, func(tx *Tx) error {
		err := fn(tx)
		if refusal := asKept(err); refusal != nil {
			return refusal
		}
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		tx.queueLast(b)
		b.Queue(checkNowSQL, tx.scope.Tenant)
		err = tx.raw.SendBatch(ctx, b).Close()
		if err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

var errRehearsed = errors.New("db: dry run ends here")

// Unscoped runs statements on tables that belong to no tenant and calls the lookup
// functions. It sets no scope, so that no tenant's row is visible to it.
func (s *Store) Unscoped() Unscoped { return Unscoped{s.main.pgx} }

// Unscoped is a connection without a scope.
type Unscoped struct{ pool *pgxpool.Pool }

// Exec runs a prepared statement, which commits by itself, and gives the number of rows that it
// touched. Errors: outcome_unknown when it was sent and no answer came.
func (u Unscoped) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	conn, err := u.pool.Acquire(ctx)
	if err != nil {
		return 0, Translate(err)
	}
	defer conn.Release()
	sent := ctx.Err() == nil && !conn.Conn().IsClosed()
	tag, err := conn.Exec(ctx, sql, prepared(args)...)
	if sent && unsettled(err) {
		err = unknown(err)
	}
	return tag.RowsAffected(), Translate(err)
}

// Query runs a prepared statement.
func (u Unscoped) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := u.pool.Query(ctx, sql, prepared(args)...)
	return rows, Translate(err)
}

// QueryRow runs a prepared statement that yields one row; pass the error of Scan through
// Translate.
func (u Unscoped) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return u.pool.QueryRow(ctx, sql, prepared(args)...)
}
