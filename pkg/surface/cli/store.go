package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"assess/config"
	"assess/migrations"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/access"
)

// Store opens the database on first use. It refuses one that is not fit to work on: a
// login that steps around row-level security, a missing migration.
func (s *Shell) Store(ctx context.Context) (*db.Store, error) {
	if s.store != nil {
		return s.store, nil
	}
	c, err := s.Config()
	if err != nil {
		return nil, err
	}
	store, err := s.open(ctx, c)
	if err != nil {
		return nil, err
	}
	s.store = store
	problems, err := store.Check(ctx, migrations.All())
	if err != nil {
		return nil, err
	}
	return store, unfit(problems)
}

func unfit(problems []db.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	e := errs.New(errs.DatabaseUnavailable, "The database is not fit to work on.")
	for _, p := range problems {
		e.Fields = append(e.Fields, errs.Field{Path: p.What, Code: "unfit", Message: p.Remedy})
	}
	return e
}

// open sets no time limit for statements: a person waits for them, and Ctrl-C ends them.
func (s *Shell) open(ctx context.Context, c config.Config) (*db.Store, error) {
	d := c.Database
	url := d.URL
	if d.Embedded {
		if !pgdev.Exists(d.EmbeddedDir) {
			return nil, errNoEmbedded(d.EmbeddedDir)
		}
		server, err := s.embedded(ctx, d.EmbeddedDir)
		if err != nil {
			return nil, err
		}
		url = server.AppURL(pgdev.Database)
	}
	if url == "" {
		return nil, errNoDatabase()
	}
	auth, err := access.WithKeySecret(c)
	if err != nil {
		return nil, err
	}
	return db.Open(ctx, db.Options{URL: url, ReportURL: d.ReportURL, KeySecret: auth.KeySecret, BaseURL: c.HTTP.BaseURL,
		MaxConns: d.MaxConns, ReportMaxConns: d.ReportMaxConns, LockTimeout: d.LockTimeout})
}

func errNoDatabase() error {
	return Usage("no database is named: give --database-url (or ASSESS_DATABASE_URL, or database.url in the settings), or --embedded for the private one of assessd --embedded")
}

// errNoEmbedded is for a call from another folder than assessd was started in: an empty
// database of its own would only mislead.
func errNoEmbedded(dir string) error {
	where, err := filepath.Abs(dir)
	if err != nil {
		where = dir
	}
	return Usage("there is no private database in %s: go to the folder where assessd --embedded was started, name its database.embedded_dir (or ASSESS_DATABASE_EMBEDDED_DIR), or make a new one with assessctl migrate --embedded", where)
}

// embedded finds the private server of a folder, or starts it.
func (s *Shell) embedded(ctx context.Context, dir string) (*pgdev.Server, error) {
	server, err := pgdev.Start(ctx, pgdev.Options{Dir: dir, Durable: true})
	if err != nil {
		return nil, fmt.Errorf("the private database in %s: %w", dir, err)
	}
	s.server = server
	return server, server.EnsureDatabase(ctx, pgdev.Database)
}

// close ends everything that the call opened; Ctrl-C may have ended its context.
func (s *Shell) close() {
	if s.store != nil {
		s.store.Close()
	}
	if s.server == nil || !s.server.Started() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if s.server.InUse(ctx) {
		return
	}
	err := s.server.Stop(ctx)
	if err != nil {
		s.Note("The private database goes on running: %v", err)
	}
}
