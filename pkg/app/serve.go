package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/migrations"
	"assess/pkg/access"
	"assess/pkg/db"
	"assess/pkg/delivery"
	"assess/pkg/errs"
	"assess/pkg/httpapi"
	"assess/pkg/job"
	"assess/pkg/mail"
	"assess/pkg/pgdev"
	"assess/pkg/projection"
)

// Serve runs assessd until the context ends, then lets requests in flight end, stops the
// jobs and the projector, and closes the database. Sessions of candidates live in the
// database and go on with the next process.
func Serve(ctx context.Context, c config.Config, logTo io.Writer) error {
	log := newLogger(c.Log, logTo)
	tuneCollector()
	c, stopDatabase, err := embed(ctx, c, log)
	if err != nil {
		return err
	}
	defer stopDatabase()

	store, err := openStore(ctx, c, log)
	if err != nil {
		return err
	}
	defer store.Close()

	sender, err := mail.New(c.Mail)
	if err != nil {
		return err
	}
	authority := access.NewAuthority(store, c.Auth)
	desk := delivery.NewDesk()
	server, err := httpapi.New(httpapi.Parts{Store: store, Authority: authority, Desk: desk, Config: c.HTTP,
		Metrics: c.Metrics.Enabled, Log: log, Version: apiVersion})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.HTTP.Listen)
	if err != nil {
		return fmt.Errorf("http.listen: %w", err)
	}

	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var workers sync.WaitGroup
	workers.Go(func() { authority.Follow(background, log) })
	if c.Projector.Enabled {
		for range max(c.Projector.Workers, 1) {
			workers.Go(func() { projection.NewProjector(store, log, c.Projector.Batch, c.Projector.Poll).Run(background) })
		}
	}
	if c.Jobs.Enabled {
		queue, err := newQueue(store, log, c, sender, desk)
		if err != nil {
			return err
		}
		// Stop ends it, and lets running jobs finish first.
		err = queue.Start(context.WithoutCancel(ctx))
		if err != nil {
			return fmt.Errorf("start jobs: %w", err)
		}
		defer stopWithin(c.HTTP.ShutdownTimeout, queue.Stop)
	}

	web := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 2 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	log.InfoContext(ctx, "assessd is ready", "address", "http://"+listener.Addr().String(), "docs", "http://"+listener.Addr().String()+"/docs")

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	log.Info("shutting down: requests in flight may end")
	server.Drain()
	time.Sleep(c.HTTP.DrainDelay)
	stopWithin(c.HTTP.ShutdownTimeout, web.Shutdown)
	stopBackground()
	workers.Wait()
	return nil
}

// tuneCollector lets garbage pile up to four times what lives: what lives is small, and a
// tenth of the processor time of a busy server went into collecting. GOGC has the last word.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// stopWithin gives something time to end; what has not ended by then is cut off, which
// every part of the service survives.
func stopWithin(limit time.Duration, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := stop(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		slog.Default().Warn("a part did not stop cleanly", "error", err)
	}
}

// embed starts a private PostgreSQL when the settings ask for it, migrates it, and points
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
	err = pg.EnsureDatabase(ctx, EmbeddedDatabase)
	if err != nil {
		stop()
		return c, nil, err
	}
	applied, err := migrations.Up(ctx, pg.OwnerURL(EmbeddedDatabase))
	if err != nil {
		stop()
		return c, nil, err
	}
	go watchOver(watching, options, log)
	log.InfoContext(ctx, "embedded PostgreSQL is up", "folder", pg.Home(), "migrations", len(applied))
	c.Database.URL = pg.AppURL(EmbeddedDatabase)
	c.Database.OwnerURL = pg.OwnerURL(EmbeddedDatabase)
	return c, stop, nil
}

// watchOver starts the private PostgreSQL again when it died, as it does when its disk is
// full.
func watchOver(ctx context.Context, options pgdev.Options, log *slog.Logger) {
	for pause(ctx, time.Second); ctx.Err() == nil; pause(ctx, time.Second) {
		_, err := pgdev.Attach(ctx, options)
		if !errors.Is(err, pgdev.ErrNotRunning) || ctx.Err() != nil {
			continue
		}
		_, err = pgdev.Start(ctx, options)
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "the embedded PostgreSQL is down and does not start", "error", err)
			continue
		}
		log.WarnContext(ctx, "the embedded PostgreSQL had died and was started again")
	}
}

// EmbeddedDatabase is the name of the database in the private PostgreSQL.
const EmbeddedDatabase = "assess"

// openStore opens the database and refuses to work with one that could break the promises
// about tenants. A database that is not up yet is waited for.
func openStore(ctx context.Context, c config.Config, log *slog.Logger) (*db.Store, error) {
	store, err := db.Open(ctx, db.Options{
		URL: c.Database.URL, ReportURL: c.Database.ReportURL,
		MaxConns: c.Database.MaxConns, ReportMaxConns: c.Database.ReportMaxConns,
		LockTimeout: c.Database.LockTimeout, StatementTimeout: c.Database.StatementTimeout,
	})
	if err != nil {
		return nil, err
	}
	for {
		problems, err := store.Check(ctx, migrations.Names())
		if errors.Is(err, errs.DatabaseUnavailable) && ctx.Err() == nil {
			log.WarnContext(ctx, "the database cannot be reached; trying again", "error", err)
			pause(ctx, 2*time.Second)
			continue
		}
		for _, p := range problems {
			err = errors.Join(err, fmt.Errorf("%s (remedy: %s)", p.What, p.Remedy))
		}
		if err != nil {
			store.Close()
			return nil, err
		}
		return store, nil
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func newQueue(store *db.Store, log *slog.Logger, c config.Config, sender mail.Sender, desk *delivery.Desk) (*job.Queue, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &access.LinkMailer{Store: store, Sender: sender, BaseURL: c.HTTP.BaseURL})
	river.AddWorker(workers, &access.Sweeper{Store: store, KeepIdempotency: c.Idempotency.Keep, TokenLifetime: c.Auth.TokenLifetime})
	river.AddWorker(workers, delivery.NewExpireWorker(store, desk))
	river.AddWorker(workers, &projection.PercentilesWorker{Store: store})
	return job.NewQueue(store, log, workers, c.Jobs.Workers, []job.Periodic{
		{Every: 10 * time.Minute, Args: access.Sweep{}},
		{Every: 5 * time.Second, Args: delivery.ExpireArgs{}},
		{Every: c.Projector.PercentilesEvery, Args: projection.PercentilesArgs{}},
	})
}

func newLogger(c config.Log, to io.Writer) *slog.Logger {
	var level slog.Level
	err := level.UnmarshalText([]byte(c.Level))
	if err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.Format == config.LogText {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}
