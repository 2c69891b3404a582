package projection

import (
	"errors"
	"testing"
	"time"
)

// After a full batch the next follows at once; after less, rows may gather; while nothing succeeds, the
// pauses grow.
func TestRowsGatherWhereFewAreWaiting(t *testing.T) {
	t.Parallel()
	p := NewProjector(nil, nil, 100, 50*time.Millisecond)
	failed := errors.New("away")
	for _, c := range []struct {
		before time.Duration
		n      int
		err    error
		want   time.Duration
	}{
		{0, 100, nil, 0},
		{0, 250, nil, 0},
		{0, 99, nil, p.poll},
		{p.poll, 1, nil, p.poll},
		{p.poll, 0, nil, p.poll},
		{maxPause, 0, nil, p.poll},
		{p.poll, 0, failed, 2 * p.poll},
		{0, 0, failed, 2 * p.poll},
		{2 * p.poll, 0, failed, 4 * p.poll},
		{maxPause, 0, failed, maxPause},
		{maxPause, 100, failed, p.poll},
	} {
		if got := p.pause(c.before, c.n, c.err); got != c.want {
			t.Errorf("after %v, %d rows and %v: %v, want %v", c.before, c.n, c.err, got, c.want)
		}
	}
}
