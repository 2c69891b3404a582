package translog

import (
	"context"
	"math"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Only does no more than the first steps of a run, as a process that is killed after them.
func (s *Service) Only(ctx context.Context, tenant ids.ID, steps int) (Done, error) {
	return s.run(ctx, tenant, math.MaxInt, []step{s.takeUpStates, s.appendEvents, s.sign}[:steps]...)
}

// Within does what a run does to a log, all of it in the transaction of the caller.
func (s *Service) Within(ctx context.Context, tx *db.Tx) error {
	h, _, err := s.lock(ctx, tx)
	var done Done
	for _, do := range []step{s.takeUpStates, s.appendEvents, s.sign} {
		if err == nil {
			_, err = do(ctx, tx, &h, &done)
		}
	}
	return err
}
