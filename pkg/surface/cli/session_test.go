package cli

import (
	"strings"
	"testing"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	open := strings.Fields(d.must("session list --evaluation geo-1 --state open -o csv" + north))
	if len(open) != 4 {
		t.Fatalf("%d open sessions, want 3: %v", len(open)-1, open)
	}
	id := func(i int) string { return open[i+1][:36] }
	d.say(
		"session list --evaluation geo-1 --state open"+north,
		"session list --evaluation geo-1 --state submitted --limit 1 --user p0@example.org -o json"+north,
		"session list --evaluation geo-1 --run-label winter"+north,
		"session list --evaluation geo-1 --state lost"+north,
		"session list"+north,
		"session show "+id(0)+north,
		"session show "+unseen.String()+north,
		"session extend "+id(0)+" --by 10m --reason alarm"+north,
		"session extend "+id(0)+" --reason alarm"+north,
		"session expire "+id(0)+north,
		"session close "+id(0)+" --reason 'Left the room.'"+north,
		"session close "+id(0)+" --reason 'Left the room.' --dry-run"+north,
		"session close "+id(0)+" --reason 'Left the room.' --yes --idempotency-key once"+north,
		"session close "+id(0)+" --reason 'Left the room.' --yes --idempotency-key once"+north,
		"session close "+id(0)+" --reason again --yes"+north,
		"session show "+id(0)+" "+north,
		"session submit "+id(1)+" --yes -o json"+north,
		"session submit "+id(1)+" --yes"+north,
		"session submit nonsense --yes"+north,
	)
	d.check("session.txt")
	if n := d.count("select count(*) from submissions where completion_method = 'proctor_submitted' and submitted_by = 'operator:tester'"); n != 61 {
		t.Errorf("%d submissions by the operator, want 61", n)
	}
}
