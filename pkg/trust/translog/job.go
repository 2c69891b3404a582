package translog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Sequence brings the logs of all tenants up to date.
type Sequence struct{}

// Kind names the job.
func (Sequence) Kind() string { return "ledger_sequence" }

// InsertOpts: a run that fails is not repeated, since the next one does the same work.
func (Sequence) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// Sequencer works on Sequence jobs.
type Sequencer struct {
	river.WorkerDefaults[Sequence]
	*Service
}

// Work looks for tenants with work and brings their logs up to date, one after the other. One that
// fails does not hold up the others.
func (s *Sequencer) Work(ctx context.Context, _ *river.Job[Sequence]) error {
	tenants, err := s.waiting(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		_, err := s.Sequence(ctx, tenant)
		if err != nil {
			failed = append(failed, fmt.Errorf("log of tenant %s: %w", tenant, err))
		}
		if ctx.Err() != nil || errs.Of(err).Code == errs.DatabaseUnavailable {
			break // the others would fail alike
		}
	}
	return errors.Join(failed...)
}

func (s *Service) waiting(ctx context.Context) ([]ids.ID, error) {
	rows, err := s.Store.Unscoped().Query(ctx, "select tenants_to_sequence()")
	if err != nil {
		return nil, fmt.Errorf("look for logs to bring up to date: %w", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("look for logs to bring up to date: %w", db.Translate(err))
	}
	return tenants, nil
}
