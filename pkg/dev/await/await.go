// Package await waits in tests for events elsewhere: in a job, in another process, on a standby. It is only
// for tests.
package await

import (
	"testing"
	"time"
)

// patience ends a test that would wait for ever. It is no condition of any: a busy machine may take long.
const patience = 5 * time.Minute

// Until returns when it is so. Ask again and again costs little; what says what did not happen.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after %s: %s", patience, what)
		}
	}
}
