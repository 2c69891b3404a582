package submission_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func (s *shelf) hash(id ids.ID) submission.StateHash {
	s.t.Helper()
	var h submission.StateHash
	err := s.store.Write(s.t.Context(), s.reader(), func(tx *db.Tx) error {
		var err error
		h, err = submission.Hash(s.t.Context(), tx, id)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func TestStateHashFollowsTheState(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	id, other := s.submit(`{"optionIds":["A"]}`), s.submit(`{"optionIds":["A"]}`)
	first := s.hash(id)
	if again := s.hash(id); len(first.StateHash) != 64 || again.StateHash != first.StateHash {
		t.Errorf("the same state: got %s and %s", first.StateHash, again.StateHash)
	}
	if s.hash(other).StateHash == first.StateHash {
		t.Error("two submissions have the same hash")
	}
	seen := map[string]string{first.StateHash: "nothing"}
	for _, change := range []string{"score = score + 1", "acted_by = '{user:somebody}'", "acted_by = '{user:another}'", "submitted_by = 'user:somebody'"} {
		err := s.store.Write(t.Context(), s.operator, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update submissions set "+change+" where tenant_id = $1 and id = $2", tx.Tenant(), id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h := s.hash(id).StateHash
		if seen[h] != "" {
			t.Errorf("%s has the hash of %s", change, seen[h])
		}
		seen[h] = change
	}
	var n int
	err := s.store.Read(t.Context(), s.operator, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select count(*) from ledger_events where tenant_id = $1 and subject_id = $2
			and event_type = 'submission.state.hashed' and payload ->> 'stateHash' = $3`, tx.Tenant(), id, first.StateHash).Scan(&n)
	})
	if err != nil || n != 2 {
		t.Errorf("ledger events of the first state: got %d and error %v, want 2", n, err)
	}
}
