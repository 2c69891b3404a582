package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"assess/config"
	"assess/migrations"
	"assess/pkg/kernel/pgdev"
)

// Migrated says what a run of migrate did, or with --dry-run would do. SQL is the SQL that it would run.
type Migrated struct {
	Applied []string `json:"applied"`
	Pending []string `json:"pending"`
	SQL     string   `json:"sql,omitempty"`
}

const migrateLong = `Bring the schema of the database up to date. It runs as the owner of the database
(database.owner_url, or ASSESS_DATABASE_OWNER_URL), who is not the login of the programs;
with --embedded everything is prepared. Running it again changes nothing, and several
runs at once wait for each other.`

func newMigrate(s *Shell) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database up to date",
		Long:  migrateLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := s.migrate(cmd.Context(), dryRun)
			if err != nil {
				return err
			}
			return s.Show(done, func(screen *Screen) error { return s.drawMigrated(screen, done) })
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the SQL that would run, in order, and change nothing")
	return cmd
}

func (s *Shell) migrate(ctx context.Context, dryRun bool) (Migrated, error) {
	done := Migrated{Applied: []string{}, Pending: []string{}}
	c, err := s.Config()
	if err != nil {
		return done, err
	}
	url, err := s.ownerURL(ctx, c.Database)
	if err != nil {
		return done, err
	}
	err = prepared(ctx, url, c.Database)
	if err != nil {
		return done, err
	}
	if !dryRun {
		applied, err := migrations.Up(ctx, url)
		done.Applied = append(done.Applied, applied...)
		return done, err
	}
	steps, err := migrations.Plan(ctx, url)
	for _, step := range steps {
		done.Pending = append(done.Pending, step.Name)
		done.SQL += "-- " + step.Name + "\n" + strings.TrimSpace(step.SQL) + "\n\n"
	}
	return done, err
}

func (s *Shell) ownerURL(ctx context.Context, d config.Database) (string, error) {
	if d.Embedded {
		server, err := s.embedded(ctx, d.EmbeddedDir)
		if err != nil {
			return "", err
		}
		return server.OwnerURL(pgdev.Database), nil
	}
	if d.OwnerURL == "" {
		return "", Usage("migrations run as the owner of the database: set ASSESS_DATABASE_OWNER_URL or database.owner_url, or give --embedded")
	}
	return d.OwnerURL, nil
}

// prepared says whether an administrator has made the objects that only an administrator can make:
// the owner, the database, and the role that holds the rights of the programs.
func prepared(ctx context.Context, url string, d config.Database) error {
	there, err := migrations.Prepared(ctx, url)
	if err != nil {
		return notPrepared(err, url, d)
	}
	if !there {
		return needsAdministrator("the role assess_app does not exist", url, d)
	}
	return nil
}

func notPrepared(err error, url string, d config.Database) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return needsAdministrator("the server refuses the owner: "+refused.Message, url, d)
	}
	return fmt.Errorf("the owner of the database cannot connect: %w", err)
}

func needsAdministrator(what, ownerURL string, d config.Database) error {
	return fmt.Errorf("%s\nAn administrator of the server runs once, as far as it is missing:\n\n%s", what, setupSQL(ownerURL, d.URL))
}

// setupSQL names the roles and the database as the settings name them.
func setupSQL(ownerURL, appURL string) string {
	owner, database := loginOf(ownerURL, "assess_owner")
	login, _ := loginOf(appURL, "assess")
	return strings.Join([]string{
		"  create role assess_app nologin;",
		"  create role " + login + " login password '...' in role assess_app;",
		"  create role " + owner + " login password '...';",
		"  create database " + database + " owner " + owner + ";",
	}, "\n")
}

func loginOf(url, otherwise string) (string, string) {
	c, err := pgx.ParseConfig(url)
	if url == "" || err != nil {
		return otherwise, pgdev.Database
	}
	return pgx.Identifier{c.User}.Sanitize(), pgx.Identifier{c.Database}.Sanitize()
}

func (s *Shell) drawMigrated(screen *Screen, done Migrated) error {
	for _, name := range done.Applied {
		fmt.Fprintln(screen, screen.Paint(Good, "applied"), name)
	}
	fmt.Fprint(screen, done.SQL)
	if len(done.Applied)+len(done.Pending) == 0 {
		s.Note("The schema is up to date.")
	}
	return nil
}
