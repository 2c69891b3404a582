package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"assess/config"
	"assess/migrations"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// openStore opens the database and refuses to work with one that could break the promises
// about tenants. A database that is not up yet is waited for.
func openStore(ctx context.Context, c config.Config, log *slog.Logger) (*db.Store, error) {
	store, err := db.Open(ctx, db.Options{
		URL: c.Database.URL, ReportURL: c.Database.ReportURL,
		MaxConns: c.Database.MaxConns, ReportMaxConns: c.Database.ReportMaxConns,
		LockTimeout: c.Database.LockTimeout, StatementTimeout: c.Database.StatementTimeout, KeySecret: c.Auth.KeySecret, BaseURL: c.HTTP.BaseURL,
	})
	if err != nil {
		return nil, err
	}
	for {
		problems, err := store.Check(ctx, migrations.All())
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
