package app_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/await"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/report/projection"
)

// kills is how often the test kills something; every third time it is the database.
const kills = 12

// TestNothingAcknowledgedIsLost kills assessd and its database with SIGKILL again and
// again while candidates save, send events, change devices and submit, proctors extend, close
// and void, the time of sessions runs out, and an assessor applies remediations and takes them
// back. Then it compares everything that was acknowledged with the database: nothing is lost,
// nothing happened twice, no session is stuck, and every remediation was done to its end, once.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := &crash{house: h, attempts: make([][]*attempt, 6)}
	d := h.start(t)
	var over atomic.Bool
	var people sync.WaitGroup
	for i := range c.attempts {
		people.Go(func() {
			for n := i; !over.Load(); n += len(c.attempts) {
				c.attempts[i] = append(c.attempts[i], c.attempt(t, n))
			}
		})
	}
	people.Go(func() {
		for n := 0; !over.Load(); n++ {
			c.remedies = append(c.remedies, c.remedy(t, n))
		}
	})
	people.Go(func() {
		for !over.Load() {
			c.expire(t)
			time.Sleep(200 * time.Millisecond)
		}
	})
	for n := range kills {
		time.Sleep(time.Duration(200+rand.IntN(400)) * time.Millisecond)
		if n%3 == 2 {
			h.killDatabase(t)
		} else {
			d = d.killAndRestart(t)
		}
	}
	over.Store(true)
	people.Wait()
	c.waitForExpiry(t)
	d.kill(t)
	c.verify(t)
}

// crash holds everything that was promised to anybody.
type crash struct {
	*house
	attempts [][]*attempt
	remedies []*remedy
	mu       sync.Mutex
	// submitted are the sessions whose submit was acknowledged so far.
	submitted []ids.ID
}

// attempt sits an exam and notes a submit that was acknowledged.
func (c *crash) attempt(t *testing.T, n int) *attempt {
	t.Helper()
	a := c.sit(t, n)
	if !a.closed && !a.overdue {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.submitted = append(c.submitted, a.session)
	}
	return a
}

// insistOn repeats a transaction until the database takes it.
func (h *house) insistOn(t *testing.T, scope db.Scope, do func(*db.Tx) error) {
	t.Helper()
	var err error
	await.Until(t, "a commit", func() bool {
		err = h.store.Write(t.Context(), scope, do)
		return err == nil
	})
}

// expire queues the job that ends sessions whose time is over; whichever server takes it may
// be killed in the middle.
func (c *crash) expire(t *testing.T) {
	t.Helper()
	c.insistOn(t, db.System(c.scope.Tenant, "test"), func(tx *db.Tx) error { return job.Insert(t.Context(), tx, session.ExpireArgs{}) })
}

// waitForExpiry waits until the last session has ended.
func (c *crash) waitForExpiry(t *testing.T) {
	t.Helper()
	await.Until(t, "no session is stuck", func() bool {
		if c.count(t, "select count(*) from sessions where tenant_id = $1 and state = 'open'") == 0 {
			return true
		}
		c.expire(t)
		return false
	})
}

func (c *crash) count(t *testing.T, sql string) int {
	t.Helper()
	var n int
	c.insistOn(t, c.scope, func(tx *db.Tx) error { return tx.QueryRow(t.Context(), sql, tx.Tenant()).Scan(&n) })
	return n
}

// verify holds all that was acknowledged against the database.
func (c *crash) verify(t *testing.T) {
	t.Helper()
	c.project(t)
	all := slices.Concat(c.attempts...)
	want := map[string]int{}
	for _, r := range c.remedies {
		c.verifyRemedy(t, r)
		want["remediation.created"]++
		want["remediation.applied"]++
		if r.reverted {
			want["remediation.reverted"]++
		}
	}
	submissions := 0
	for _, a := range all {
		c.verifyAttempt(t, a)
		for event, happened := range map[string]bool{"session.closed": a.closed, "session.extended": a.extended, "submission.voided": a.voided} {
			if happened {
				want[event]++
			}
		}
		if !a.closed {
			submissions++
		}
	}
	// Each version of scores that were corrected has its event.
	want["score_version.recorded"] = c.count(t, `select coalesce(sum(n), 0)::int from
		(select count(*) as n from score_versions where tenant_id = $1 group by submission_id having count(*) > 1) as corrected`)
	c.verifyLedger(t, want)
	sessions, got := c.count(t, "select count(*) from sessions where tenant_id = $1"), c.count(t, "select count(*) from submissions where tenant_id = $1")
	if sessions != len(all) || got != submissions {
		t.Errorf("%d sessions, %d submissions; want %d, %d", sessions, got, len(all), submissions)
	}
	report, err := projection.Verify(t.Context(), c.store, c.scope.Tenant)
	if err != nil || report.Differences != 0 {
		t.Errorf("the reports differ from a rebuild: %+v, %v", report, err)
	}
	t.Logf("%d attempts and %d remediations survived %d kills", len(all), len(c.remedies), kills)
}

// verifyLedger counts the events of each kind, and looks for gaps in their sequence.
func (c *crash) verifyLedger(t *testing.T, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	c.insistOn(t, c.scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), `select event_type, count(*) from ledger_events
			where tenant_id = $1 and subject_type in ('session', 'submission', 'remediation') group by 1`, tx.Tenant())
		if err != nil {
			return err
		}
		var kind string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
			got[kind] = n
			return nil
		})
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	gaps := c.count(t, `select (select last_seq from ledger_heads where tenant_id = $1) - count(*) from ledger_events where tenant_id = $1`)
	if gaps != 0 {
		t.Errorf("the sequence of the ledger has %d gaps", gaps)
	}
}

// project brings the reports up to date, including work that a projector had put off for later.
func (c *crash) project(t *testing.T) {
	t.Helper()
	await.Until(t, "the outbox is empty", func() bool {
		if c.count(t, "select count(*) from projection_outbox where tenant_id = $1") == 0 {
			return true
		}
		c.insistOn(t, db.System(c.scope.Tenant, "test"), func(tx *db.Tx) error {
			_, err := projection.ProjectBatch(t.Context(), tx, projection.BatchSize)
			return err
		})
		return false
	})
}
