// Package migrations holds the schema as numbered SQL files and applies them. They run
// as the owner of the database; the programs themselves log in as a plain member of
// assess_app (decisions, section 2).
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"
)

//go:embed *.sql
var files embed.FS

// riverSchema is where the job queue keeps its own tables.
const riverSchema = "river"

// advisoryLock serialises concurrent runs. It is held by a connection, so that a crash
// releases it.
const advisoryLock = 0x617373657373

// Up applies what is missing, under a lock, and grants the job queue's tables to the
// programs. Running it again changes nothing. It returns the names of the applied files.
func Up(ctx context.Context, ownerURL string) ([]string, error) {
	var applied []string
	err := withMigrator(ctx, ownerURL, func(pool *pgxpool.Pool, m *migrate.Migrator) error {
		err := riverUp(ctx, pool)
		if err != nil {
			return err
		}
		group, err := m.Migrate(ctx)
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		for _, one := range group.Migrations {
			applied = append(applied, one.Name+"_"+one.Comment)
		}
		return nil
	})
	return applied, err
}

// Names lists the migrations that the program carries, in order.
func Names() []string {
	found, err := load()
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range found.Sorted() {
		names = append(names, m.Name)
	}
	return names
}

// Hash names the schema: a change in any file gives another hash.
func Hash() string {
	h := sha256.New()
	names, _ := fs.Glob(files, "*.sql")
	for _, name := range names {
		text, _ := files.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func load() (*migrate.Migrations, error) {
	found := migrate.NewMigrations()
	return found, found.Discover(files)
}

func withMigrator(ctx context.Context, ownerURL string, run func(*pgxpool.Pool, *migrate.Migrator) error) error {
	pool, err := pgxpool.New(ctx, ownerURL)
	if err != nil {
		return errors.New("migrate: the owner's database URL cannot be parsed")
	}
	defer pool.Close()
	lock, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: connect: %w", err)
	}
	defer lock.Release()
	_, err = lock.Exec(ctx, "select pg_advisory_lock($1)", int64(advisoryLock))
	if err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	defer lock.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", int64(advisoryLock)) //nolint:errcheck // the connection's end unlocks too
	found, err := load()
	if err != nil {
		return fmt.Errorf("migrate: read files: %w", err)
	}
	db := bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New())
	defer db.Close()
	m := migrate.NewMigrator(db, found, migrate.WithMarkAppliedOnSuccess(true))
	err = m.Init(ctx)
	if err != nil {
		return fmt.Errorf("migrate: prepare: %w", err)
	}
	_, err = pool.Exec(ctx, doorsSQL)
	if err != nil {
		return fmt.Errorf("migrate: does the role assess_app exist? %w", err)
	}
	return run(pool, m)
}

// doorsSQL sets what belongs to the database and not to its schema, and so is missing from a copy
// or a restored dump. It changes what is not so already and nothing else: two changes of one
// catalogue row at once are an error. Who may make temporary tables can put them in the place of
// others, so nobody but the owner may.
const doorsSQL = `
do $$ begin
	if not has_table_privilege('assess_app', 'public.bun_migrations', 'select') then
		grant select on public.bun_migrations to assess_app;
	end if;
	if has_database_privilege('public', current_database(), 'temporary') then
		execute format('revoke temporary on database %I from public', current_database());
	end if;
end $$`

func riverUp(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "create schema if not exists "+riverSchema)
	if err != nil {
		return fmt.Errorf("migrate: job schema: %w", err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: riverSchema, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return fmt.Errorf("migrate: job tables: %w", err)
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return fmt.Errorf("migrate: job tables: %w", err)
	}
	_, err = pool.Exec(ctx, grantJobsSQL)
	if err != nil {
		return fmt.Errorf("migrate: grant job tables: %w", err)
	}
	return nil
}

// grantJobsSQL grants once: the tables are at work while another program starts.
const grantJobsSQL = `
do $$ begin
	if exists (select from pg_class where relnamespace = '` + riverSchema + `'::regnamespace and relkind in ('r', 'p')
			and not has_table_privilege('assess_app', oid, 'insert')) then
		grant usage on schema ` + riverSchema + ` to assess_app;
		grant select, insert, update, delete on all tables in schema ` + riverSchema + ` to assess_app;
		grant usage, select on all sequences in schema ` + riverSchema + ` to assess_app;
		grant execute on all functions in schema ` + riverSchema + ` to assess_app;
	end if;
end $$`
