package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/mail"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/kernel/trace"
	"assess/pkg/people/access"
	"assess/pkg/report/projection"
	"assess/pkg/surface/httpapi"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/glassbox"
	"assess/pkg/trust/translog"
	"assess/pkg/trust/webhook"
)

// Serve runs assessd until the context ends, then lets requests in flight end, stops the
// jobs and the projector, and closes the database. Sessions of candidates live in the
// database and go on with the next process.
func Serve(ctx context.Context, c config.Config, logTo io.Writer) error {
	log := newLogger(c.Log, logTo)
	tuneCollector()
	// Before the database, which takes a minute to make and to migrate: a taken address is reported at once, and leaves nothing behind.
	listener, err := net.Listen("tcp", c.HTTP.Listen)
	if err != nil {
		return fmt.Errorf("http.listen: %w", err)
	}
	defer listener.Close() //nolint:errcheck // the web server has closed it, where it came so far
	c, stopDatabase, err := embed(ctx, c, log)
	if err != nil {
		return err
	}
	defer stopDatabase()
	if c.Auth.KeySecret == "" {
		return access.ErrNoKeySecret
	}

	stopTracing, err := trace.Open(ctx, c.Tracing, log)
	if err != nil {
		return err
	}
	defer stopWithin(c.HTTP.ShutdownTimeout, stopTracing)
	store, err := openStore(ctx, c, log)
	if err != nil {
		return err
	}
	defer store.Close()

	sender, err := mail.New(c.Mail)
	if err != nil {
		return err
	}
	blobs, err := blob.Open(ctx, c.Blob.URL)
	if err != nil {
		return fmt.Errorf("blob.url: %w", err)
	}
	defer blobs.Close() //nolint:errcheck // nothing is left to be written
	files, proofs := media.NewFiles(store, blobs), evidence.NewFiles(store, blobs, c.Blob)
	office := centre.New(store, blobs, c)
	authority := access.NewAuthority(store, c.Auth)
	reach, err := outgoing.RulesOf(c.Outgoing)
	if err != nil {
		return err
	}
	caller := outgoing.New(reach)
	desk := session.NewDesk()
	var queue *job.Queue
	kinds := httpapi.JobKinds{Mailing: mailing}
	if c.Jobs.Enabled {
		logs, closeLogs, err := translog.Open(ctx, store, c)
		if err != nil {
			return err
		}
		defer closeLogs()
		queue, err = newQueue(store, log, c, sender, desk, lti.NewDesk(store, authority, caller, c.HTTP.BaseURL), logs, office, files.Shelf, proofs.Shelf, office.Files.Shelf)
		if err != nil {
			return err
		}
		kinds.All = queue.Kinds
	}
	server, err := httpapi.New(httpapi.Parts{Store: store, Authority: authority, Desk: desk, Files: files, Evidence: proofs, Compliance: office,
		Glass: glassbox.NewDesk(authority, c), Config: c.HTTP, Outgoing: caller, Mails: c.ShownMail(),
		Metrics: c.Metrics.Enabled, Jobs: kinds, Log: log})
	if err != nil {
		return err
	}

	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	var workers sync.WaitGroup
	startWorkers(background, &workers, c, store, authority, caller, log)
	if c.Jobs.Enabled {
		// Stop ends it, and lets running jobs finish first.
		err = queue.Start(context.WithoutCancel(ctx))
		if err != nil {
			return fmt.Errorf("start jobs: %w", err)
		}
		defer stopWithin(c.HTTP.ShutdownTimeout, queue.Stop)
	}

	err = serveWeb(ctx, c.HTTP, server, listener, log)
	if err != nil {
		return err
	}
	stopBackground()
	workers.Wait()
	return nil
}

// startWorkers starts everything that runs next to the requests, until the context ends.
func startWorkers(ctx context.Context, workers *sync.WaitGroup, c config.Config, store *db.Store, authority *access.Authority, caller *http.Client, log *slog.Logger) {
	workers.Go(func() { authority.Follow(ctx, log) })
	if c.Projector.Enabled {
		for range max(c.Projector.Workers, 1) {
			workers.Go(func() { projection.NewProjector(store, log, c.Projector.Batch, c.Projector.Poll).Run(ctx) })
		}
	}
	if c.Jobs.Enabled {
		workers.Go(func() { lti.NewSender(lti.NewDesk(store, authority, caller, c.HTTP.BaseURL), log).Run(ctx) })
		workers.Go(func() { webhook.NewDeliverer(store, caller, c.HTTP.BaseURL, log).Run(ctx) })
	}
}

// serveWeb answers requests until the context ends, and then lets the requests in flight finish.
func serveWeb(ctx context.Context, c config.HTTP, server *httpapi.Server, listener net.Listener, log *slog.Logger) error {
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
	time.Sleep(c.DrainDelay)
	stopWithin(c.ShutdownTimeout, web.Shutdown)
	return nil
}

// stopWithin gives something time to end; anything that has not ended by then is cut off, which
// every part of the service survives.
func stopWithin(limit time.Duration, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := stop(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		slog.Default().Warn("a part did not stop cleanly", "error", err)
	}
}
