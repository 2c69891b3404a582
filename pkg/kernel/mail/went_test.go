package mail

import (
	"errors"
	"fmt"
	"testing"
)

// A mail that may have arrived is never sent again; one that was refused is, until the last attempt.
func TestHowAMailWent(t *testing.T) {
	t.Parallel()
	refused := errors.New("no such mailbox")
	for name, c := range map[string]struct {
		err            error
		last           bool
		state, problem string
		again          error
	}{
		"it went":               {nil, false, Sent, "", nil},
		"it went at last":       {nil, true, Sent, "", nil},
		"nobody knows":          {fmt.Errorf("send: %w", ErrUncertain), false, Failed, "uncertain", nil},
		"refused":               {refused, false, Queued, "", refused},
		"refused for good":      {refused, true, Failed, "refused", refused},
		"nobody knows, at last": {ErrUncertain, true, Failed, "uncertain", nil},
	} {
		state, problem, again := Went(c.err, c.last)
		if state != c.state || problem != c.problem || again != c.again { //nolint:errorlint // the very error
			t.Errorf("%s: got %s, %q, %v", name, state, problem, again)
		}
	}
}
