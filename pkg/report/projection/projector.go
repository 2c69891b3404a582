package projection

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/metric"
)

// Projector empties the outboxes of all tenants until it is stopped. Any number of them
// may run at once, in any number of processes.
type Projector struct {
	store *db.Store
	log   *slog.Logger
	poll  time.Duration
	batch int
}

// defaultPoll is how long the projector waits when little or nothing was left to do.
const defaultPoll = 200 * time.Millisecond

// NewProjector prepares a projector; Run starts it. batch is how many outbox rows a
// transaction takes, poll how long it waits after a round that took less, or nothing; 0 means
// the default.
func NewProjector(store *db.Store, log *slog.Logger, batch int, poll time.Duration) *Projector {
	if batch <= 0 {
		batch = BatchSize
	}
	if poll <= 0 {
		poll = defaultPoll
	}
	return &Projector{store: store, log: log, batch: batch, poll: poll}
}

// maxPause bounds the wait while nothing can be projected.
const maxPause = 10 * time.Second

// tenantsAtOnce bounds how many tenants are looked up for one round.
const tenantsAtOnce = 1000

// Run works until the context ends. Failures are logged and tried again, with growing
// pauses while nothing succeeds.
func (p *Projector) Run(ctx context.Context) {
	pause := p.poll
	for ctx.Err() == nil {
		n, err := p.round(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.log.ErrorContext(ctx, "projection failed", slog.Any("error", err))
		}
		pause = p.pause(pause, n, err)
		wait(ctx, pause)
	}
}

// pause says how long to wait after a round that took n rows, and after the pause before it. If less than a batch
// was waiting, more may gather: the rollups of a busy exam are then derived once for many attempts, and reports
// are behind by no more than this wait and a batch.
func (p *Projector) pause(before time.Duration, n int, err error) time.Duration {
	switch {
	case err != nil && n == 0:
		return min(max(before, p.poll)*2, maxPause)
	case err == nil && n >= p.batch:
		return 0
	}
	return p.poll
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// round gives each waiting tenant one batch, so that a busy one does not starve the rest, and
// neither does one that fails.
func (p *Projector) round(ctx context.Context) (int, error) {
	rows, err := p.store.Unscoped().Query(ctx, "select tenants_to_project($1)", tenantsAtOnce)
	if err != nil {
		return 0, fmt.Errorf("look for work: %w", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return 0, fmt.Errorf("look for work: %w", db.Translate(err))
	}
	done := 0
	var failed []error
	for _, tenant := range tenants {
		n, err := p.project(ctx, tenant)
		done += n
		if err != nil {
			failed = append(failed, fmt.Errorf("project tenant %s: %w", tenant, err))
		}
		if ctx.Err() != nil || errs.Of(err).Code == errs.DatabaseUnavailable {
			break // the others would fail in the same way
		}
	}
	return done, errors.Join(failed...)
}

// project runs one batch of a tenant. When it fails for a reason of its own, the subjects
// are tried one by one, so that one that cannot be projected does not hold up the others.
func (p *Projector) project(ctx context.Context, tenant ids.ID) (int, error) {
	n, start := 0, time.Now()
	err := p.store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		var err error
		n, err = ProjectBatch(ctx, tx, p.batch)
		return err
	})
	if err == nil {
		observe(n, start)
		return n, nil
	}
	if ctx.Err() != nil || passing(err) {
		return 0, err
	}
	p.log.WarnContext(ctx, "projection batch failed, trying its subjects one by one",
		slog.String("tenant", tenant.String()), slog.Any("error", err))
	return p.oneByOne(ctx, tenant)
}

// passing errors say nothing about the subjects.
func passing(err error) bool {
	switch errs.Of(err).Code {
	case errs.DatabaseUnavailable, errs.DatabaseFull, errs.RequestTimeout, errs.OutcomeUnknown:
		return true
	}
	return false
}

func (p *Projector) oneByOne(ctx context.Context, tenant ids.ID) (int, error) {
	done := 0
	for range p.batch {
		start := time.Now()
		row, err := p.projectNext(ctx, tenant)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err == nil && row.ID == 0:
			return done, nil
		case err == nil:
			done++
			observe(1, start)
			continue
		case passing(err) || row.ID == 0:
			return done, err
		}
		p.log.ErrorContext(ctx, "subject cannot be projected; it gets a later turn", slog.String("tenant", tenant.String()),
			slog.String("kind", row.Kind), slog.String("subject", row.Subject.String()), slog.Any("error", err))
		err = p.store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error { return putOff(ctx, tx, row.ID) })
		if err != nil {
			return done, err
		}
		metric.PutOff.Inc()
	}
	return done, nil
}

// observe counts a committed batch. A batch finds nothing if everything that waits has been put off.
func observe(n int, start time.Time) {
	if n == 0 {
		return
	}
	metric.ProjectedRows.Add(float64(n))
	metric.BatchRows.Observe(float64(n))
	metric.BatchSeconds.Observe(time.Since(start).Seconds())
}

// projectNext projects only the next outbox row and says which one that was; the zero row when none waits.
func (p *Projector) projectNext(ctx context.Context, tenant ids.ID) (outboxRow, error) {
	var row outboxRow
	err := p.store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		row = outboxRow{}
		taken, err := takeFromOutbox(ctx, tx, 1)
		if err != nil || len(taken) == 0 {
			return err
		}
		row = taken[0]
		return projectRows(ctx, tx, taken)
	})
	return row, err
}
