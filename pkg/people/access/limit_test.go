package access_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

func TestLimitHoldsAcrossProcesses(t *testing.T) {
	t.Parallel()
	here, there := sample.Store(t), sample.Store(t)
	limit := access.Limit{N: 5, Per: time.Hour} // so long that no turn comes free meanwhile
	key := ids.New().String()
	var allowed atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		store := here
		if i%2 == 0 {
			store = there
		}
		all.Go(func() {
			err := access.Allow(t.Context(), store, limit, key)
			switch {
			case err == nil:
				allowed.Add(1)
			case !errors.Is(err, errs.RateLimited):
				t.Error(err)
			case errs.Of(err).RetryAfter < time.Minute || errs.Of(err).RetryAfter > 13*time.Minute:
				t.Errorf("retry after %s, want about 12 minutes", errs.Of(err).RetryAfter)
			}
		})
	}
	all.Wait()
	if allowed.Load() != 5 {
		t.Errorf("allowed %d, want 5", allowed.Load())
	}
	if err := access.Allow(t.Context(), here, limit, key+"x"); err != nil {
		t.Errorf("another key: %v", err)
	}
}
