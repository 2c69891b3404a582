package outgoing

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"assess/pkg/kernel/ids"
)

// Turns serves receivers at the same time: so many at once, and each by one goroutine.
type Turns struct {
	Most int

	mu      sync.Mutex
	serving map[ids.ID]bool
	all     sync.WaitGroup
}

// Serve begins to serve a receiver, unless it is served already or there is no place; a later look finds it again then.
func (t *Turns) Serve(receiver ids.ID, serve func()) {
	t.mu.Lock()
	free := !t.serving[receiver] && len(t.serving) < t.Most
	if free {
		if t.serving == nil {
			t.serving = map[ids.ID]bool{}
		}
		t.serving[receiver] = true
	}
	t.mu.Unlock()
	if !free {
		return
	}
	t.all.Go(func() {
		defer func() {
			t.mu.Lock()
			delete(t.serving, receiver)
			t.mu.Unlock()
		}()
		serve()
	})
}

// Wait waits until nobody is served any more.
func (t *Turns) Wait() { t.all.Wait() }

// Pause waits, but no longer than the context lives.
func Pause(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// MostKept is how much of an answer is kept, in bytes.
const MostKept = 1024

// Kept makes of the beginning of an answer a text that PostgreSQL takes: UTF-8 without NUL, at most 1 KiB, of whole characters.
func Kept(said []byte) string {
	text := strings.ToValidUTF8(strings.ReplaceAll(string(said[:min(len(said), 2*MostKept)]), "\x00", ""), "")
	return strings.ToValidUTF8(text[:min(len(text), MostKept)], "")
}

// RetryAfter is how long an answer asks to wait (RFC 9110, section 10.2.3); 0 where it does not say.
func RetryAfter(header string) time.Duration {
	seconds, err := strconv.ParseInt(header, 10, 32)
	if err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return time.Until(at)
}
