// Package migrations holds the schema as SQL files and applies them: 0001 to 0008 are the schema, a
// file a room, and later numbers are upgrades of it. They run as the owner of the database; the
// programs themselves log in as a plain member of assess_app (decisions, section 2).
//
// A file never changes once it is released: a change of the schema is a new file. The table
// applied_migrations has the files that were applied to a database, with the hash of each.
package migrations

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverSchema is the schema of the job queue's own tables.
const riverSchema = "river"

// advisoryLock serialises concurrent runs. It is held by a connection, so that a crash
// releases it.
const advisoryLock = 0x617373657373

// Step is one piece of SQL that Up runs: a transaction of its own.
type Step struct {
	Name, SQL string
}

// Up applies the missing files, under a lock, and grants the job queue's tables to the
// programs. Running it again changes nothing. It returns the names of the applied files.
// Errors: EditedError, before anything is changed.
func Up(ctx context.Context, ownerURL string) ([]string, error) { return up(ctx, ownerURL, All()) }

func up(ctx context.Context, ownerURL string, all []Migration) ([]string, error) {
	var applied []string
	err := connected(ctx, ownerURL, func(pool *pgxpool.Pool) error {
		lock, err := pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		defer lock.Release()
		_, err = lock.Exec(ctx, "select pg_advisory_lock($1)", int64(advisoryLock))
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		defer lock.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", int64(advisoryLock)) //nolint:errcheck // the connection's end unlocks too
		missing, err := missing(ctx, pool, all)
		if err != nil {
			return err
		}
		err = riverUp(ctx, pool)
		if err != nil {
			return err
		}
		_, err = pool.Exec(ctx, doorsSQL)
		if err != nil {
			return fmt.Errorf("does the role assess_app exist? %w", err)
		}
		for _, m := range missing {
			for _, statement := range statements(m.transaction()) {
				_, err = lock.Exec(ctx, statement)
				if err != nil {
					return fmt.Errorf("%s: %w", m.File(), err)
				}
			}
			applied = append(applied, m.Name)
		}
		return nil
	})
	return applied, err
}

// transaction is the file and its row of applied_migrations: both or neither. The values are a
// name without quotes and hexadecimal digits.
func (m Migration) transaction() string {
	return "begin;\n" + onNodes + m.SQL + "insert into applied_migrations (name, hash) values ('" + m.Name + "', '" + m.Hash + "');\ncommit;\n"
}

// onNodes is for a database that Citus spreads over several nodes, and has no effect on any other. A change on one shard is visible
// to the next command on another, and a table that refers to tenants does not become Citus' own before protect gives it its place.
const onNodes = `set local citus.multi_shard_modify_mode = 'sequential';
set local citus.enable_local_reference_table_foreign_keys = off;
`

// Plan gives what Up would run, in order, and changes nothing; none when the schema is up to date.
// Errors: EditedError.
func Plan(ctx context.Context, ownerURL string) ([]Step, error) {
	var steps []Step
	err := connected(ctx, ownerURL, func(pool *pgxpool.Pool) error {
		missing, err := missing(ctx, pool, All())
		if err != nil {
			return err
		}
		steps, err = riverSteps(ctx, pool)
		if err != nil || len(steps)+len(missing) == 0 {
			return err
		}
		steps = append(steps, Step{"doors", doorsSQL + ";\n"})
		for _, m := range missing {
			steps = append(steps, Step{m.Name, m.transaction()})
		}
		return nil
	})
	return steps, err
}

// AppliedSQL lists the files that were applied to a database that has the table applied_migrations.
const AppliedSQL = "select name, hash, applied_at from applied_migrations"

func missing(ctx context.Context, pool *pgxpool.Pool, all []Migration) ([]Migration, error) {
	var there bool
	err := pool.QueryRow(ctx, "select to_regclass('public.applied_migrations') is not null").Scan(&there)
	if err != nil || !there {
		return all, err
	}
	rows, err := pool.Query(ctx, AppliedSQL)
	if err != nil {
		return nil, err
	}
	applied, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Applied])
	if err != nil {
		return nil, err
	}
	return Missing(all, applied)
}

func connected(ctx context.Context, ownerURL string, do func(*pgxpool.Pool) error) error {
	pool, err := pgxpool.New(ctx, ownerURL)
	if err != nil {
		return errors.New("migrate: the owner's database URL cannot be parsed")
	}
	defer pool.Close()
	err = do(pool)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// doorsSQL makes the table of applied files, and sets what belongs to the database and not to its
// schema, and so is missing from a copy or a restored dump. It makes only the changes that are
// still needed: two changes of one catalogue row at once are an error. Anyone who may make
// temporary tables can put them in the place of others, so only the owner may.
const doorsSQL = `
do $$ begin
	if to_regclass('public.applied_migrations') is null then
		create table public.applied_migrations (
			name       text primary key,
			hash       text not null,
			applied_at timestamptz not null default clock_timestamp()
		);
	end if;
	if not has_table_privilege('assess_app', 'public.applied_migrations', 'select') then
		grant select on public.applied_migrations to assess_app;
	end if;
	if has_database_privilege('public', current_database(), 'temporary') then
		execute format('revoke temporary on database %I from public', current_database());
	end if;
end $$`

func river(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{
		Schema: riverSchema, Logger: slog.New(slog.DiscardHandler),
	})
}

const riverSchemaSQL = "create schema if not exists " + riverSchema

func riverUp(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := river(pool)
	if err == nil {
		_, err = pool.Exec(ctx, riverSchemaSQL)
	}
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err == nil {
		_, err = pool.Exec(ctx, grantJobsSQL)
	}
	if err != nil {
		return fmt.Errorf("job tables: %w", err)
	}
	return nil
}

// riverSteps are the missing migrations of the job queue; the library itself records which ones it applied.
func riverSteps(ctx context.Context, pool *pgxpool.Pool) ([]Step, error) {
	m, err := river(pool)
	if err != nil {
		return nil, fmt.Errorf("job tables: %w", err)
	}
	found, err := m.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{DryRun: true})
	if err != nil {
		return nil, fmt.Errorf("job tables: %w", err)
	}
	if len(found.Versions) == 0 {
		return nil, nil
	}
	steps := []Step{{riverSchema, riverSchemaSQL + ";\n"}}
	for _, v := range found.Versions {
		steps = append(steps, Step{fmt.Sprintf("%s_%03d", riverSchema, v.Version), "begin;\n" + strings.TrimSpace(v.SQL) + "\ncommit;\n"})
	}
	return append(steps, Step{riverSchema + "_grants", grantJobsSQL + ";\n"}), nil
}

// grantJobsSQL grants once: the tables are in use while another program starts.
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
