package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"assess/config"
	"assess/migrations"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/access"
)

// embed starts a private PostgreSQL when the settings say so, migrates it, and points
// the settings at it.
func embed(ctx context.Context, c config.Config, log *slog.Logger) (config.Config, func(), error) {
	if !c.Database.Embedded {
		if c.Database.URL == "" {
			return c, nil, errors.New("no database: set database.url (or ASSESS_DATABASE_URL), or start with --embedded")
		}
		return c, func() {}, nil
	}
	options := pgdev.Options{Dir: c.Database.EmbeddedDir, Durable: true}
	pg, err := pgdev.Start(ctx, options)
	if err != nil {
		return c, nil, err
	}
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	stop := func() {
		stopWatching()
		stopWithin(30*time.Second, pg.Shutdown)
	}
	err = pg.EnsureDatabase(ctx, pgdev.Database)
	if err != nil {
		stop()
		return c, nil, err
	}
	applied, err := migrations.Up(ctx, pg.OwnerURL(pgdev.Database))
	if err != nil {
		stop()
		return c, nil, err
	}
	go watchOver(watching, pg, options, log)
	log.InfoContext(ctx, "embedded PostgreSQL is up", "folder", pg.Home(), "migrations", len(applied))
	c.Auth, err = access.WithKeySecret(c)
	if err != nil {
		stop()
		return c, nil, err
	}
	c.Database.URL = pg.AppURL(pgdev.Database)
	c.Database.OwnerURL = pg.OwnerURL(pgdev.Database)
	return c, stop, nil
}

// watchOver starts the private PostgreSQL again when it died, as it does when its disk is
// full.
func watchOver(ctx context.Context, pg *pgdev.Server, options pgdev.Options, log *slog.Logger) {
	for {
		err := pg.Exited(ctx)
		var again *pgdev.Server
		if err == nil {
			again, err = pgdev.Start(ctx, options)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.ErrorContext(ctx, "the embedded PostgreSQL is down and does not start", "error", err)
			pause(ctx, time.Second) // its disk may still be full
		case again.Started():
			log.WarnContext(ctx, "the embedded PostgreSQL had died and was started again")
		}
	}
}
