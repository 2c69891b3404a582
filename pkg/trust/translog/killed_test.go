package translog_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/blob"
	"assess/pkg/trust/translog"
)

// Killed after each of its steps, a run leaves a log that is whole, and the next one goes on.
func TestARunThatIsKilledIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for steps := range 4 {
		b := newLogbook(t, dbtest.Clone(t))
		e := newExam(b)
		e.submit()
		e.project()
		b.sequence()
		e.submit()
		e.project()
		b.say(300)
		_, err := b.service.Only(t.Context(), b.scope.Tenant, steps)
		if err != nil {
			t.Fatal(err)
		}
		wantFound(t, "in the middle", b.verify())
		e.submit()
		e.project()
		done := b.sequence()
		if done.Size != b.last() {
			t.Errorf("after %d steps: got %+v, want %d events", steps, done, b.last())
		}
		r := b.verify()
		wantFound(t, "at the end", r)
		if n := ask[int64](b, "select count(distinct submission_id) from ledger_states where tenant_id = $1", b.scope.Tenant); n != 3 || r.Submissions != 3 {
			t.Errorf("after %d steps: %d submissions in the log, %d verified, want 3", steps, n, r.Submissions)
		}
	}
}

// Checkpoints go outside once, including the checkpoints of a run that was killed before, and
// none is replaced.
func TestCheckpointsGoOutside(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	dir := t.TempDir()
	outside, err := blob.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close() //nolint:errcheck // the test ends
	b.service.Outside = outside
	b.say(1)
	_, err = b.service.Only(t.Context(), b.scope.Tenant, 3)
	if err != nil {
		t.Fatal(err)
	}
	b.say(1)
	b.sequence()
	b.sequence()
	kept, err := translog.ReadOlder(dir)
	if err != nil || len(kept) != 2 || kept[1].Text != b.checkpoint().Text {
		t.Fatalf("got %+v, %v", kept, err)
	}
	wantFound(t, "what was kept", b.verify(kept...))
	b.say(1)
	next := filepath.Join(filepath.Dir(kept[1].From), "000000000005.txt")
	if b.last() != 5 {
		t.Fatalf("the next checkpoint is one of %d events", b.last())
	}
	err = os.WriteFile(next, []byte("another history"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.service.Sequence(t.Context(), b.scope.Tenant)
	if !errors.Is(err, blob.ErrKept) {
		t.Errorf("another text under its name: got %v", err)
	}
	text, err := os.ReadFile(next)
	if err != nil || string(text) != "another history" {
		t.Errorf("it was replaced by %q, %v", text, err)
	}
}

// Checkpoints that were signed while there was no place for copies get theirs when there is one, however many
// they are, and until then they are no work for the job.
func TestEarlierCheckpointsGoOutsideLater(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Fresh(t))
	waits := func(copying bool) bool {
		return ask[bool](b, "select $1 in (select tenants_to_sequence($2))", b.scope.Tenant, copying)
	}
	for range 3 {
		b.say(1)
		b.sequence()
	}
	const long = 2500
	b.tamper(`insert into ledger_checkpoints (tenant_id, size, root, key_id, note, created_at)
		select c.tenant_id, c.size + n, c.root, c.key_id, c.note, c.created_at
		from (select * from ledger_checkpoints where tenant_id = $1 order by size desc limit 1) c, generate_series(1, $2) n`, long)
	b.tamper("update ledger_logs set size = size + $2, signed = signed + $2 where tenant_id = $1", long)
	if waits(false) || !waits(true) {
		t.Errorf("without a place for copies there is work: %v; with one: %v", waits(false), waits(true))
	}
	dir := t.TempDir()
	outside, err := blob.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close() //nolint:errcheck // the test ends
	b.service.Outside = outside
	b.sequence()
	kept, err := filepath.Glob(filepath.Join(dir, b.scope.Tenant.String(), "*.txt"))
	if err != nil || len(kept) != 3+long || waits(true) {
		t.Errorf("%d checkpoints have a copy, want %d; there is more to do: %v, %v", len(kept), 3+long, waits(true), err)
	}
}
