package translog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// batchSize is how many events a transaction appends: enough for set-based statements to pay off,
// few enough to be done in about a second.
const batchSize = 8192

// Service is what appending to logs needs besides the database.
type Service struct {
	Store *db.Store
	// Secret is auth.key_secret.
	Secret string
	// Origin begins the names of logs that are begun from now on: Origin/<tenant>.
	Origin string
	// Every is how often Sequence jobs run.
	Every time.Duration
	// Outside takes a copy of each checkpoint; nil for none.
	Outside *blob.Store
}

// Open gives the service that the settings describe, and what closes it.
func Open(ctx context.Context, store *db.Store, c config.Config) (*Service, func(), error) {
	s := &Service{Store: store, Secret: c.Auth.KeySecret, Origin: c.Ledger.Origin, Every: c.Ledger.CheckpointEvery}
	if s.Origin == "" {
		u, err := url.Parse(c.HTTP.BaseURL)
		if err != nil {
			return nil, nil, fmt.Errorf("http.base_url: %w", err)
		}
		s.Origin = u.Host
	}
	if c.Ledger.CheckpointURL == "" {
		return s, func() {}, nil
	}
	outside, err := blob.Open(ctx, c.Ledger.CheckpointURL)
	if err != nil {
		return nil, nil, fmt.Errorf("ledger.checkpoint_url: %w", err)
	}
	s.Outside = outside
	return s, func() { outside.Close() }, nil //nolint:errcheck // nothing is left to be written
}

// Done says what a run over a tenant did.
type Done struct {
	Submissions int   `json:"submissions" doc:"States of submissions that were taken up"`
	Events      int   `json:"events" doc:"Events that were appended"`
	Size        int64 `json:"size" doc:"Events in the log"`
	Signed      bool  `json:"signed" doc:"Whether there is a new checkpoint"`
	// Busy says that another process appends to this log just now.
	Busy bool `json:"busy"`
	// more says that there is more to do.
	more bool
}

// Sequence brings the log of a tenant up to date: it takes up the states of submissions, appends
// new events and signs a checkpoint. Each piece of it is a transaction of its own, which leaves
// the log whole; the next run goes on where it ended.
//
// It may run any number of times at once: the second to come finds the log busy and leaves.
func (s *Service) Sequence(ctx context.Context, tenant ids.ID) (Done, error) {
	return s.sequence(ctx, tenant, math.MaxInt)
}

// sequence does no more than some pieces of each step.
func (s *Service) sequence(ctx context.Context, tenant ids.ID, most int) (Done, error) {
	done, err := s.run(ctx, tenant, most, s.takeUpStates, s.appendEvents, s.sign)
	if err != nil || done.Busy {
		return done, err
	}
	more, err := s.publish(ctx, tenant, most)
	done.more = done.more || more
	return done, err
}

// step does a piece of work on a log whose head it holds, and says whether there is more of it.
type step func(context.Context, *db.Tx, *head, *Done) (bool, error)

func (s *Service) run(ctx context.Context, tenant ids.ID, most int, steps ...step) (Done, error) {
	var done Done
	for _, do := range steps {
		more := true
		for n := 0; more && n < most; n++ {
			var next Done
			err := s.Store.Write(ctx, db.System(tenant, "ledger"), func(tx *db.Tx) error {
				next = done
				h, free, err := s.lock(ctx, tx)
				more, next.Busy = false, !free
				if err != nil || !free {
					return err
				}
				more, err = do(ctx, tx, &h, &next)
				if err != nil {
					return err
				}
				next.Size = h.size
				return h.store(ctx, tx)
			})
			if err != nil || next.Busy {
				return next, err
			}
			done = next
		}
		done.more = done.more || more
	}
	return done, nil
}

// head is the row of ledger_logs.
type head struct {
	origin                string
	size, signed, batches int64
}

// lock gives the head of the log and holds it to the end of the transaction; it begins the log
// where there is none. It gives false while somebody else holds it.
func (s *Service) lock(ctx context.Context, tx *db.Tx) (head, bool, error) {
	var h head
	_, err := tx.Exec(ctx, "insert into ledger_logs (tenant_id, origin) values ($1, $2) on conflict do nothing", tx.Tenant(),
		s.Origin+"/"+tx.Tenant().String())
	if err != nil {
		return h, false, fmt.Errorf("begin the log: %w", err)
	}
	err = tx.QueryRow(ctx, "select origin, size, signed, batches from ledger_logs where tenant_id = $1 for update skip locked",
		tx.Tenant()).Scan(&h.origin, &h.size, &h.signed, &h.batches)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, fmt.Errorf("lock the log: %w", err)
	}
	return h, true, nil
}

func (h head) store(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "update ledger_logs set size = $2, signed = $3, batches = $4 where tenant_id = $1",
		tx.Tenant(), h.size, h.signed, h.batches)
	if err != nil {
		return fmt.Errorf("store the head of the log: %w", err)
	}
	return nil
}

// appendEvents appends the next events. The ledger numbers them without gaps and in the order of
// their commits, so that none can come later with a smaller number. A gap is one that somebody made.
func (s *Service) appendEvents(ctx context.Context, tx *db.Tx, h *head, done *Done) (bool, error) {
	var leaves [][]byte
	err := eachEvent(ctx, tx, h.size+1, h.size+batchSize, func(e *event) error {
		if e.Seq != h.size+int64(len(leaves))+1 {
			return fmt.Errorf("event %d is not in the ledger, but event %d is: the log ends before it", h.size+int64(len(leaves))+1, e.Seq)
		}
		leaf, err := e.leaf(tx.Tenant())
		leaves = append(leaves, hashLeaf(leaf))
		return err
	})
	if err != nil || len(leaves) == 0 {
		return false, err
	}
	err = appendLeaves(ctx, tx, h.size, leaves)
	if err != nil {
		return false, err
	}
	h.size += int64(len(leaves))
	done.Events += len(leaves)
	return len(leaves) == batchSize, nil
}
