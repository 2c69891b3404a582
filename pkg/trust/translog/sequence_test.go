package translog_test

import (
	"context"
	"sync"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/translog"
)

// Events come in pieces of every size around a tile, and the log stays the log of all of them.
func TestTheLogGrowsWithTheLedger(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	var kept []translog.Older
	for _, n := range []int{1, 1, 2, 250, 1, 1, 1, 255, 256, 257, 700} {
		b.say(n)
		done := b.sequence()
		if !done.Signed || done.Size != b.last() {
			t.Errorf("got %+v, want a checkpoint of %d events", done, b.last())
		}
		kept = append(kept, b.checkpoint())
	}
	if done := b.sequence(); done.Signed || done.Events != 0 || done.Submissions != 0 {
		t.Errorf("nothing to do: got %+v", done)
	}
	wantFound(t, "database", b.verify(kept...))
	lines := b.export()
	r := b.offline(lines, b.keys(), kept...)
	wantFound(t, "export", r)
	if r.Events != b.last() || r.Size != b.last() || r.Checkpoints != len(kept)+1 {
		t.Errorf("got %+v", r)
	}
}

// Several processes at once, and writers all the time: each event is in the log once.
func TestSequencersLeaveOneAnotherAlone(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				b.write(3)
			}
		})
		all.Go(func() {
			for range 10 {
				_, err := b.service.Sequence(context.WithoutCancel(t.Context()), b.scope.Tenant)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	done := b.sequence()
	if done.Busy || done.Size != b.last() {
		t.Errorf("got %+v, want %d events", done, b.last())
	}
	wantFound(t, "database", b.verify())
}

// While one holds the log, another one leaves at once and writers do not wait.
func TestABusyLogKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(1)
	b.sequence()
	b.say(1)
	holder, err := b.super.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = holder.Exec(t.Context(), "select from ledger_logs where tenant_id = $1 for update", b.scope.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	if done := b.sequence(); !done.Busy || done.Events != 0 {
		t.Errorf("got %+v, want busy", done)
	}
	b.say(1)
	err = holder.Rollback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if done := b.sequence(); done.Busy || done.Size != b.last() {
		t.Errorf("got %+v", done)
	}
}

// A transaction that began first and commits last has the greater number, and is not missed.
func TestALateCommitIsNotMissed(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	e := newExam(b)
	early := e.submit()
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		err := ledger.Append(t.Context(), tx, ledger.Event{Type: "late.said", SubjectType: "test", SubjectID: ids.New()})
		if err != nil {
			return err
		}
		// The outbox row of this transaction has a smaller number than the rows that commit before it.
		_, err = tx.Exec(t.Context(), "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, $3)",
			tx.Tenant(), early, tx.Now())
		if err != nil {
			return err
		}
		b.say(2)
		e.submit()
		e.project()
		b.sequence()
		wantFound(t, "meanwhile", b.verify())
		return nil
	})
	size := b.last()
	e.project()
	if done := b.sequence(); done.Size != size {
		t.Errorf("got %+v, want the late event and nothing else", done)
	}
	wantFound(t, "afterwards", b.verify())
}

// A gap is one that somebody made: the log ends before it, and says so.
func TestTheLogStopsAtAGap(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	first := b.say(2)
	b.sequence()
	b.say(3)
	b.tamper("delete from ledger_events where tenant_id = $1 and seq = $2", first+2)
	_, err := b.service.Sequence(t.Context(), b.scope.Tenant)
	if err == nil {
		t.Fatal("the gap was passed over")
	}
	wantFound(t, "a gap", b.verify(), "event_removed "+string(mustJSON(first+2)))
}

// Nobody gets a rewritten past signed.
func TestARewrittenTreeIsNotSigned(t *testing.T) {
	t.Parallel()
	b := newLogbook(t, dbtest.Clone(t))
	b.say(5)
	b.sequence()
	b.tamper("update ledger_tiles set hashes = overlay(hashes placing sha256('x') from 33) where tenant_id = $1")
	b.say(1)
	_, err := b.service.Sequence(t.Context(), b.scope.Tenant)
	if err == nil {
		t.Fatal("it was signed")
	}
}
