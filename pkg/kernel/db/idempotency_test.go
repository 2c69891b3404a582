package db_test

import (
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func key(name, body string) db.Key {
	return db.Key{Key: name, Method: "POST", Path: "/x", BodyHash: sha256.Sum256([]byte(body))}
}

func TestWriteOnceReplays(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	var runs atomic.Int32
	once := func(scope db.Scope, k db.Key) (*db.Answer, error) {
		return store.WriteOnce(t.Context(), scope, k, func(tx *db.Tx) (*db.Answer, error) {
			runs.Add(1)
			return &db.Answer{Status: 201, Location: "/x/1", Body: []byte("made")}, addFacet(t.Context(), tx, ids.New().String())
		})
	}
	first, err := once(scope, key("k", "b"))
	if err != nil || first.Replayed {
		t.Fatalf("first: %+v, %v", first, err)
	}
	second, err := once(scope, key("k", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if !second.Replayed || second.Status != 201 || string(second.Body) != "made" || second.Location != "/x/1" {
		t.Errorf("replay: got %+v", second)
	}
	_, err = once(scope, key("k", "another body"))
	if !errors.Is(err, errs.IdempotencyKeyReused) {
		t.Errorf("another body: got %v, want idempotency_key_reused", err)
	}
	someoneElse := scope
	someoneElse.Actor.Name = "else"
	third, err := once(someoneElse, key("k", "b"))
	if err != nil || third.Replayed {
		t.Errorf("another actor's key is another key: got %+v, %v", third, err)
	}
	if got := runs.Load(); got != 2 {
		t.Errorf("ran %d times, want 2", got)
	}
}

func TestParallelReplaysRunOnce(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	var runs, replayed atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a, err := store.WriteOnce(t.Context(), scope, key("p", "b"), func(tx *db.Tx) (*db.Answer, error) {
				runs.Add(1)
				return &db.Answer{Status: 200, Body: []byte("x")}, addFacet(t.Context(), tx, "only-one")
			})
			if err != nil {
				t.Error(err)
				return
			}
			if a.Replayed {
				replayed.Add(1)
			}
		})
	}
	all.Wait()
	if runs.Load() != 1 || replayed.Load() != 19 {
		t.Errorf("ran %d times and replayed %d, want 1 and 19", runs.Load(), replayed.Load())
	}
}

func TestErrorsAreNotStored(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	_, err := store.WriteOnce(t.Context(), scope, key("e", "b"), func(*db.Tx) (*db.Answer, error) {
		return nil, errs.New(errs.Conflict, "not now")
	})
	if !errors.Is(err, errs.Conflict) {
		t.Fatal(err)
	}
	a, err := store.WriteOnce(t.Context(), scope, key("e", "b"), func(*db.Tx) (*db.Answer, error) {
		return &db.Answer{Status: 200, Body: []byte{}}, nil
	})
	if err != nil || a.Replayed {
		t.Errorf("after an error the key is free: got %+v, %v", a, err)
	}
}

func TestSecondCallGivesUpWhileTheFirstRuns(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	inside, done := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, err := store.WriteOnce(t.Context(), scope, key("s", "b"), func(*db.Tx) (*db.Answer, error) {
			close(inside)
			<-done
			return &db.Answer{Status: 200, Body: []byte{}}, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	_, err := store.WriteOnce(t.Context(), scope, key("s", "b"), func(*db.Tx) (*db.Answer, error) {
		t.Error("ran beside the first")
		return nil, nil
	})
	close(done)
	first.Wait()
	if !errors.Is(err, errs.IdempotencyInProgress) {
		t.Errorf("got %v, want idempotency_in_progress", err)
	}
}
