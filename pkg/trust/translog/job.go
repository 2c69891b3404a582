package translog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

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

// Work brings the logs of all tenants with work up to date, piece by piece in turns, so that a long
// backlog of one does not hold up the others, and neither does one that fails. When its time is over
// it leaves the rest to the next run, which is due then: runs do not pile up.
func (s *Sequencer) Work(ctx context.Context, _ *river.Job[Sequence]) error {
	until := time.Now().Add(s.Every)
	for {
		more, err := s.round(ctx, until)
		if err != nil || !more || time.Now().After(until) {
			return err
		}
	}
}

// piecesInTurn is how many transactions of each step a tenant gets in its turn: a few seconds.
const piecesInTurn = 4

// round gives each tenant with work a turn, in no order, and says whether there is more of it.
func (s *Service) round(ctx context.Context, until time.Time) (bool, error) {
	tenants, err := s.waiting(ctx)
	if err != nil {
		return false, err
	}
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	var failed []error
	more := false
	for i, tenant := range tenants {
		if i > 0 && time.Now().After(until) {
			return true, errors.Join(failed...)
		}
		done, err := s.sequence(ctx, tenant, piecesInTurn)
		if err != nil {
			failed = append(failed, fmt.Errorf("log of tenant %s: %w", tenant, err))
		}
		if ctx.Err() != nil || errs.Of(err).Code == errs.DatabaseUnavailable {
			break // the others would fail alike
		}
		more = more || done.more
	}
	return more, errors.Join(failed...)
}

func (s *Service) waiting(ctx context.Context) ([]ids.ID, error) {
	rows, err := s.Store.Unscoped().Query(ctx, "select tenants_to_sequence($1)", s.Outside != nil)
	if err != nil {
		return nil, fmt.Errorf("look for logs to bring up to date: %w", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("look for logs to bring up to date: %w", db.Translate(err))
	}
	return tenants, nil
}
