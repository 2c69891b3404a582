package pgdev

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// EnsureDatabase makes a database that assess_owner owns and in whose schema public nobody
// else may create anything. One that exists keeps its content.
func (s *Server) EnsureDatabase(ctx context.Context, name string) error {
	create := "create database " + pgx.Identifier{name}.Sanitize() + " owner assess_owner"
	if err := s.asSuperuser(ctx, "postgres", create); err != nil && !alreadyThere(err) {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	if err := s.asSuperuser(ctx, name, "revoke create on schema public from public"); err != nil {
		return fmt.Errorf("close schema public of database %s: %w", name, err)
	}
	return nil
}

// alreadyThere covers the race of two creators too, where the index of names objects.
func alreadyThere(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	const duplicateDatabase, uniqueViolation = "42P04", "23505"
	return pg.Code == duplicateDatabase || pg.Code == uniqueViolation
}

// Database is the database of the service on a private server, for both programs.
const Database = "assess"
