package db_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// commitName is the driver's name for the prepared commit on the wire.
var commitName = fmt.Sprintf("stmt_%.24x", sha256.Sum256([]byte("commit")))

// A caller that loses the connection at the commit cannot know whether it took place, and must
// not be told that nothing was changed. After the same call again the change is made once.
func TestLostCommitIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire *dbtest.Wire
		code errs.Code
		made int
	}{
		"the answer to the commit is lost": {&dbtest.Wire{Answered: "COMMIT\x00"}, errs.OutcomeUnknown, 1},
		"the commit is lost":               {&dbtest.Wire{Sent: commitName}, errs.OutcomeUnknown, 0},
		"a statement is lost":              {&dbtest.Wire{Sent: "insert into facets"}, errs.DatabaseUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := dbtest.Clone(t).App
			scope := newTenant(t, open(t, direct))
			far := open(t, c.wire.Through(t, direct))
			key := db.Key{Key: ids.New().String(), Method: http.MethodPost, Path: "/facets"}
			try := func(cut bool) (*db.Answer, error) {
				return far.WriteOnce(t.Context(), scope, key, func(tx *db.Tx) (*db.Answer, error) {
					c.wire.Armed.Store(cut)
					return &db.Answer{Status: http.StatusCreated, Body: []byte("{}")}, addFacet(t.Context(), tx, "hue")
				})
			}
			_, err := try(true)
			if got := errs.Of(err); got.Code != c.code || got.RetryAfter == 0 {
				t.Fatalf("got %v, retry after %v; want %s", err, got.RetryAfter, c.code)
			}
			if n := countFacets(t, open(t, direct), scope); n != c.made {
				t.Errorf("%d changes were made, want %d", n, c.made)
			}
			c.wire.Armed.Store(false)
			again, err := try(false)
			if err != nil || again.Status != http.StatusCreated || again.Replayed != (c.made == 1) {
				t.Errorf("again: got %+v and error %v", again, err)
			}
			if n := countFacets(t, open(t, direct), scope); n != 1 {
				t.Errorf("in the end there are %d changes, want 1", n)
			}
		})
	}
}

// A read has nothing to lose.
func TestLostEndOfReadIsNotUnknown(t *testing.T) {
	t.Parallel()
	w := &dbtest.Wire{Sent: commitName}
	direct := dbtest.Clone(t).App
	scope := newTenant(t, open(t, direct))
	err := open(t, w.Through(t, direct)).Read(t.Context(), scope, func(*db.Tx) error {
		w.Armed.Store(true)
		return nil
	})
	if errs.Of(err).Code != errs.DatabaseUnavailable {
		t.Errorf("got %v, want database_unavailable", err)
	}
}

// A statement without a scope commits by itself, so a lost answer to it tells nothing either.
func TestLostAnswerToAnUnscopedStatementIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	direct := dbtest.Clone(t).App
	near := open(t, direct)
	_, err := near.Unscoped().Exec(t.Context(), "insert into rate_limits (key, next_free) values ('\\x01', now())")
	if err != nil {
		t.Fatal(err)
	}
	w := &dbtest.Wire{Answered: "DELETE 1\x00"}
	far := open(t, w.Through(t, direct))
	w.Armed.Store(true)
	_, err = far.Unscoped().Exec(t.Context(), "delete from rate_limits where key = '\\x01'")
	if got := errs.Of(err); got.Code != errs.OutcomeUnknown || got.RetryAfter == 0 {
		t.Errorf("got %v, want outcome_unknown", err)
	}
	n, err := near.Unscoped().Exec(t.Context(), "delete from rate_limits where key = '\\x01'")
	if n != 0 || err != nil {
		t.Errorf("%d rows were left, %v", n, err)
	}
	far.Close()
	_, err = far.Unscoped().Exec(t.Context(), "delete from rate_limits where key = '\\x01'")
	if errs.Of(err).Code != errs.DatabaseUnavailable {
		t.Errorf("nothing was sent: got %v, want database_unavailable", err)
	}
}
