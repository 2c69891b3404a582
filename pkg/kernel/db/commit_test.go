package db_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// commitName is what the driver calls the prepared commit on the wire.
var commitName = fmt.Sprintf("stmt_%.24x", sha256.Sum256([]byte("commit")))

// wire is a way to the database that is cut where the test says: once it is armed, at the
// first bytes that contain sent (on their way there) or answered (on their way back). Those
// bytes do not arrive.
type wire struct {
	sent, answered string
	armed          atomic.Bool
	// syncs counts the ends of what was sent in one.
	syncs atomic.Int64
}

// syncMessage is the message that ends what the driver sends in one.
var syncMessage = []byte("S\x00\x00\x00\x04")

// through gives a URL that leads to the database by the wire.
func (w *wire) through(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	socket := q.Get("host") + "/.s.PGSQL." + q.Get("port")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			w.lay(client, socket)
		}
	}()
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	q.Set("host", host)
	q.Set("port", port)
	u.RawQuery = q.Encode()
	return u.String()
}

func (w *wire) lay(client net.Conn, socket string) {
	server, err := net.Dial("unix", socket)
	if err != nil {
		client.Close()
		return
	}
	go w.carry(server, client, w.sent)
	go w.carry(client, server, w.answered)
}

func (w *wire) carry(to, from net.Conn, until string) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 64<<10); ; {
		n, err := from.Read(buffer)
		if until != "" && w.armed.Load() && bytes.Contains(buffer[:n], []byte(until)) {
			return
		}
		w.syncs.Add(int64(bytes.Count(buffer[:n], syncMessage)))
		_, writeErr := to.Write(buffer[:n])
		if err != nil || writeErr != nil {
			return
		}
	}
}

// Who loses the connection at the commit cannot know whether it took place, and must not be
// told that nothing was changed. The same call again leaves the change made once.
func TestLostCommitIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire *wire
		code errs.Code
		made int
	}{
		"the answer to the commit is lost": {&wire{answered: "COMMIT\x00"}, errs.OutcomeUnknown, 1},
		"the commit is lost":               {&wire{sent: commitName}, errs.OutcomeUnknown, 0},
		"a statement is lost":              {&wire{sent: "insert into facets"}, errs.DatabaseUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := dbtest.Clone(t).App
			scope := newTenant(t, open(t, direct))
			far := open(t, c.wire.through(t, direct))
			key := db.Key{Key: ids.New().String(), Method: http.MethodPost, Path: "/facets"}
			try := func(cut bool) (*db.Answer, error) {
				return far.WriteOnce(t.Context(), scope, key, func(tx *db.Tx) (*db.Answer, error) {
					c.wire.armed.Store(cut)
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
			c.wire.armed.Store(false)
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
	w := &wire{sent: commitName}
	direct := dbtest.Clone(t).App
	scope := newTenant(t, open(t, direct))
	err := open(t, w.through(t, direct)).Read(t.Context(), scope, func(*db.Tx) error {
		w.armed.Store(true)
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
	w := &wire{answered: "DELETE 1\x00"}
	far := open(t, w.through(t, direct))
	w.armed.Store(true)
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
