package cluster_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assess/migrations"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// seat is a candidate in an open session.
type seat struct {
	desk             *session.Desk
	as               db.Scope
	evaluation, open ids.ID
	item             ids.ID

	// What the candidate was told last, and how long the longest save took.
	sequence atomic.Int64
	revision int64
	longest  time.Duration
	failed   int
}

// Two of four tenants move to the other worker and back while candidates of all four save. A candidate who is told that an answer
// is saved finds it there afterwards, however long the save took.
func TestNothingIsLostWhileTenantsMove(t *testing.T) {
	t.Parallel()
	urls := dbtest.Spread(t)
	_, err := migrations.Up(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})
	var seats []*seat
	for range 4 {
		seats = append(seats, sit(t, store))
	}
	super := connect(t, urls.Super)
	err = cluster.Distribute(t.Context(), super, func(cluster.Step) {})
	if err != nil {
		t.Fatal(err)
	}

	var over atomic.Bool
	var wg sync.WaitGroup
	for _, s := range seats {
		wg.Go(func() { s.saveUntil(t, store, &over) })
	}
	for _, s := range seats[:2] {
		for range 2 {
			moveOver(t, urls.Super, s.as.Tenant)
		}
	}
	over.Store(true)
	wg.Wait()
	for _, s := range seats {
		s.check(t, store)
		t.Logf("%d saves, the longest took %s; %d were sent again", s.sequence.Load(), s.longest.Round(time.Millisecond), s.failed)
	}
}

// sit makes a tenant with a published evaluation, and a candidate with an open session.
func sit(t *testing.T, store *db.Store) *seat {
	t.Helper()
	s := &seat{desk: session.NewDesk()}
	operator := sample.Tenant(t, store)
	sample.Write(t, store, operator, func(tx *db.Tx) error {
		snapshot := sample.Published(t, tx, authoring.Settings{}, scoring.Key{QType: scoring.Essay})
		s.evaluation, s.item = snapshot.EvaluationID, snapshot.Sections[0].Items[0].ItemID
		s.as = sample.As(operator, sample.User(t, tx).ID, capability.SessionsTake)
		return nil
	})
	sample.Write(t, store, s.as, func(tx *db.Tx) error {
		s.open = sample.Session(t, tx, s.desk, s.evaluation).ID
		return nil
	})
	return s
}

// saveUntil saves one answer after the other. One that was not acknowledged is sent again, as a client does.
func (s *seat) saveUntil(t *testing.T, store *db.Store, over *atomic.Bool) {
	for t.Context().Err() == nil && !over.Load() {
		begin := time.Now()
		next := s.sequence.Load() + 1
		var receipt session.Receipt
		err := store.WriteShort(t.Context(), s.as, func(tx *db.Tx) error {
			var err error
			receipt, err = s.desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: s.evaluation, SessionID: s.open,
				Answers: []session.Answer{{ItemID: s.item, Sequence: next, Response: words(next)}}})
			return err
		})
		s.longest = max(s.longest, time.Since(begin))
		if err != nil {
			s.failed++
			if s.failed < 4 {
				t.Logf("not acknowledged: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if receipt.Revision <= s.revision {
			t.Errorf("revision %d was acknowledged after %d", receipt.Revision, s.revision)
		}
		s.revision = receipt.Revision
		s.sequence.Store(next)
	}
}

func words(n int64) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"text": "answer %d"}`, n)) }

func (s *seat) check(t *testing.T, store *db.Store) {
	t.Helper()
	if s.sequence.Load() == 0 {
		t.Errorf("nothing was saved")
	}
	sequence, revision := s.saved(t, store)
	if sequence < s.sequence.Load() || revision < s.revision {
		t.Errorf("acknowledged are answer %d and revision %d; there are %d and %d", s.sequence.Load(), s.revision, sequence, revision)
	}
}

// saved gives the answer and the revision that are there.
func (s *seat) saved(t *testing.T, store *db.Store) (sequence, revision int64) {
	t.Helper()
	err := store.Read(t.Context(), s.as, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select a.sequence, s.revision from sessions s
			join session_answers a on a.tenant_id = s.tenant_id and a.session_id = s.id
			where s.tenant_id = $1 and s.id = $2`, tx.Tenant(), s.open).Scan(&sequence, &revision)
	})
	if err != nil {
		t.Errorf("what was saved cannot be read: %v", err)
	}
	return sequence, revision
}

// moveOver moves a tenant to the worker where it does not lie.
func moveOver(t *testing.T, super string, tenant ids.ID) {
	t.Helper()
	conn := connect(t, super)
	homes, err := cluster.Homes(t.Context(), conn, []ids.ID{tenant})
	if err != nil {
		t.Fatal(err)
	}
	_, workers, err := cluster.Nodes(t.Context(), conn)
	if err != nil || len(workers) != 2 {
		t.Fatalf("workers are %v: %v", workers, err)
	}
	from, to := homes[tenant], workers[0]
	if from.Node == to {
		to = workers[1]
	}
	begin := time.Now()
	err = cluster.Move(t.Context(), conn, from, to)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a move took %s", time.Since(begin).Round(time.Millisecond))
	homes, err = cluster.Homes(t.Context(), conn, []ids.ID{tenant})
	if err != nil || homes[tenant].Node != to {
		t.Errorf("after the move to %s: %+v (%v)", to, homes[tenant], err)
	}
}
