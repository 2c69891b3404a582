package outgoing_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
)

// A receiver is served by one at a time, and so many receivers at once; who is done makes room.
func TestReceiversTakeTurns(t *testing.T) {
	t.Parallel()
	turns := outgoing.Turns{Most: 2}
	hold, served := make(chan struct{}), make(chan ids.ID, 10)
	serve := func(receiver ids.ID) {
		turns.Serve(receiver, func() {
			served <- receiver
			<-hold
		})
	}
	one, two, three := ids.New(), ids.New(), ids.New()
	for _, receiver := range []ids.ID{one, one, two, three} {
		serve(receiver)
	}
	close(hold)
	turns.Wait()
	serve(three)
	turns.Wait()
	close(served)
	times := map[ids.ID]int{}
	for receiver := range served {
		times[receiver]++
	}
	if len(times) != 3 || times[one] != 1 || times[two] != 1 || times[three] != 1 {
		t.Errorf("one, two and three were served %d, %d and %d times", times[one], times[two], times[three])
	}
}

func TestWhatIsKeptOfAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, want string }{
		"a text":                     {"no such student", "no such student"},
		"NUL and what is no UTF-8":   {"a\x00b\xff", "ab"},
		"a character across the end": {"a" + strings.Repeat("é", 1000), "a" + strings.Repeat("é", 511)},
	} {
		if got := outgoing.Kept([]byte(c.said)); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%s: got %d bytes, %q", name, len(got), got)
		}
	}
}

func TestHowLongAnAnswerAsksToWait(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"": 0, "soon": 0, "120": 2 * time.Minute, "99999999999": 0} {
		if got := outgoing.RetryAfter(header); got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
	if got := outgoing.RetryAfter(time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")); got < 59*time.Minute || got > time.Hour {
		t.Errorf("a date in an hour: got %s", got)
	}
}
