package pgdev

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
)

// SuperURL connects to a database as the superuser: for creating databases, not for work.
func (s *Server) SuperURL(database string) string { return s.url("postgres", database) }

// OwnerURL connects as assess_owner: for migrations.
func (s *Server) OwnerURL(database string) string { return s.url("assess_owner", database) }

// AppURL connects as assess: for assessd and assessctl.
func (s *Server) AppURL(database string) string { return s.url("assess", database) }

// url states host and port, so that no PG... variable of the environment has a say.
func (s *Server) url(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	u.RawQuery = url.Values{"host": {s.folders.socket}, "port": {"5432"}, "sslmode": {"disable"}}.Encode()
	return u.String()
}

// creating is an arbitrary number; an advisory lock of this number in the database postgres lets
// one program after the other look for a database and make it.
const creating = 0x61736462

// EnsureDatabase makes a database that assess_owner owns; nobody else may create anything in its
// schema public, as PostgreSQL has it since version 15, or temporary tables. One that exists is left as it is: any
// number of programs may start at once, and two changes of one catalogue row are an error.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.SuperURL("postgres"))
	if err != nil {
		return err
	}
	err = ensureDatabase(ctx, conn, name)
	if err != nil {
		err = fmt.Errorf("create database %s: %w", name, err)
	}
	return errors.Join(err, conn.Close(ctx)) // which unlocks
}

func ensureDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	_, err := conn.Exec(ctx, "select pg_advisory_lock($1)", creating)
	if err != nil {
		return err
	}
	var there bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&there)
	if err != nil || there {
		return err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	_, err = conn.Exec(ctx, "create database "+quoted+" owner assess_owner")
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "revoke temporary on database "+quoted+" from public")
	return err
}

// Database is the database of the service on a private server, for both programs.
const Database = "assess"

// InUse says whether others than this process came to depend on the server. The connections of
// this process that were just closed take a moment to end. It says yes in doubt: a server too
// many does no harm.
func (s *Server) InUse(ctx context.Context) bool {
	conn, err := pgx.Connect(ctx, s.SuperURL("postgres"))
	if err != nil {
		return true
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing hangs on it
	for range 20 {
		var others int
		err = conn.QueryRow(ctx, `
			select count(*) from pg_stat_activity, pg_sleep(0.02)
			where backend_type = 'client backend' and pid <> pg_backend_pid()`).Scan(&others)
		if err != nil || others == 0 {
			return err != nil
		}
	}
	return true
}
