package dbtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
)

// templateLock is an arbitrary number; an advisory lock of this number in the database
// postgres keeps out the other test binaries while one sweeps and makes the template.
const templateLock = 0x64627465

func (s *session) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	control := s.controls[0]
	if _, err := control.Exec(ctx, "select pg_advisory_lock($1)", templateLock); err != nil {
		return fmt.Errorf("lock the test template: %w", err)
	}
	err := sweepEach(ctx, s.controls)
	if err == nil {
		err = s.ensureTemplate(ctx)
	}
	_, unlockErr := control.Exec(ctx, "select pg_advisory_unlock($1)", templateLock)
	return errors.Join(err, unlockErr)
}

// abandonedSQL finds the databases that no living test binary names. A clone is named by
// its run, a template by its whole name.
const abandonedSQL = `
select d.datname
from pg_database d
where (starts_with(d.datname, $1) or starts_with(d.datname, $2))
	and not exists (
		select from pg_stat_activity a
		where starts_with(a.application_name, 'assess_test ')
			and case when starts_with(d.datname, $1) then split_part(d.datname, '_', 3) else d.datname end
				= any(string_to_array(a.application_name, ' ')))`

func sweepEach(ctx context.Context, controls []*pgx.Conn) error {
	for _, control := range controls {
		err := sweep(ctx, control)
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep drops the databases of dead test binaries.
func sweep(ctx context.Context, control *pgx.Conn) error {
	rows, err := control.Query(ctx, abandonedSQL, clonePrefix, templatePrefix)
	if err != nil {
		return fmt.Errorf("find abandoned test databases: %w", err)
	}
	abandoned, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find abandoned test databases: %w", err)
	}
	for _, name := range abandoned {
		if _, err := control.Exec(ctx, dropStatement(name)); err != nil {
			return fmt.Errorf("drop an abandoned test database: %w", err)
		}
	}
	return nil
}

// ensureTemplate makes the template unless a complete one is there.
func (s *session) ensureTemplate(ctx context.Context) error {
	var complete bool
	err := s.controls[0].QueryRow(ctx, "select not datallowconn from pg_database where datname = $1", s.template).Scan(&complete)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look for the test template: %w", err)
	}
	if complete {
		return nil
	}
	if err := onEach(ctx, s.controls, dropStatement(s.template)); err != nil {
		return fmt.Errorf("drop an unfinished test template: %w", err)
	}
	return s.makeTemplate(ctx)
}

func (s *session) makeTemplate(ctx context.Context) error {
	var err error
	if len(s.nodes) > 1 {
		err = s.makeDistributed(ctx)
	} else {
		err = s.makePlain(ctx)
	}
	if err == nil {
		err = s.close(ctx, s.template)
	}
	return err
}

// close lets nobody into a database on any node, and ends all connections to it: it can be copied only while there are
// none, and Citus keeps a process connected. The coordinator's comes last, since ensureTemplate asks there whether the
// template is complete.
func (s *session) close(ctx context.Context, name string) error {
	for _, control := range slices.Backward(s.controls) {
		_, err := control.Exec(ctx, "alter database "+quote(name)+" with allow_connections false")
		if err == nil {
			_, err = control.Exec(ctx, "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1", name)
		}
		if err != nil {
			return fmt.Errorf("close %s: %w", name, err)
		}
	}
	return nil
}

func (s *session) makePlain(ctx context.Context) error {
	if err := s.server.EnsureDatabase(ctx, s.template); err != nil {
		return err
	}
	_, err := migrations.Up(ctx, s.server.OwnerURL(s.template))
	return err
}
