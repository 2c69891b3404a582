package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
)

// Limit allows N calls per Period, spread or at once (the generic cell rate algorithm).
type Limit struct {
	N   int
	Per time.Duration
}

// takeSQL takes a turn where there is one, by the clock of the database.
const takeSQL = `
with taken as (
	insert into rate_limits as r (key, next_free)
	values ($1, clock_timestamp() + make_interval(secs => $2))
	on conflict (key) do update
	set next_free = greatest(r.next_free, clock_timestamp()) + make_interval(secs => $2)
	where r.next_free <= clock_timestamp() + make_interval(secs => $3)
	returning 1
)
select exists (select from taken)`

// aheadSQL says by how many seconds the next free turn is ahead. It is a statement of its own since the one that was
// refused does not see what others took while it waited for them.
const aheadSQL = `
select coalesce(max(extract(epoch from next_free - clock_timestamp())), 0)::float8 from rate_limits where key = $1`

// Allow counts one call against a limit that holds across all processes; rate_limited
// with the time to wait when there were too many. The key is stored as a hash, since it
// may hold an e-mail address.
func Allow(ctx context.Context, store *db.Store, l Limit, key string) error {
	hash := sha256.Sum256([]byte(key))
	interval := l.Per / time.Duration(l.N)
	var taken bool
	err := store.Unscoped().QueryRow(ctx, takeSQL, hash[:], interval.Seconds(), l.slack().Seconds()).Scan(&taken)
	if err != nil {
		return fmt.Errorf("count against limit: %w", db.Translate(err))
	}
	if taken {
		return nil
	}
	var ahead float64
	err = store.Unscoped().QueryRow(ctx, aheadSQL, hash[:]).Scan(&ahead)
	if err != nil {
		return fmt.Errorf("read how long a limit is used up: %w", db.Translate(err))
	}
	return l.refusal(ahead)
}

// slack is how far ahead the next free call may lie.
func (l Limit) slack() time.Duration { return l.Per - l.Per/time.Duration(l.N) }

// refusal is rate_limited, with the time until a call is free again.
func (l Limit) refusal(ahead float64) error {
	after := max(time.Duration(ahead*float64(time.Second))-l.slack(), time.Second)
	return errs.New(errs.RateLimited, "Too many requests; try again in %s.", plural.Of(int(after.Seconds()+0.999), "second")).After(after)
}
