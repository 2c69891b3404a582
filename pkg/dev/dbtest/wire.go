package dbtest

import (
	"bytes"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
)

// Wire is a connection to the database that is cut where the test says: once it is Armed, at the
// first bytes that contain Sent (on their way there) or Answered (on their way back). Those bytes do not arrive.
type Wire struct {
	Sent, Answered string
	Armed          atomic.Bool
	// Apart is text that marks messages not to count, because somebody else decides when they are sent.
	Apart string
	// Syncs counts the ends of what was sent in one: round trips.
	Syncs atomic.Int64
}

// syncMessage is the message that ends what the driver sends in one.
var syncMessage = []byte("S\x00\x00\x00\x04")

// Through gives a URL that leads to the database by the wire.
func (w *Wire) Through(t testing.TB, address string) string {
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

func (w *Wire) lay(client net.Conn, socket string) {
	server, err := net.Dial("unix", socket)
	if err != nil {
		client.Close()
		return
	}
	go w.carry(server, client, w.Sent)
	go w.carry(client, server, w.Answered)
}

func (w *Wire) carry(to, from net.Conn, until string) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 64<<10); ; {
		n, err := from.Read(buffer)
		if until != "" && w.Armed.Load() && bytes.Contains(buffer[:n], []byte(until)) {
			return
		}
		if w.Apart == "" || !bytes.Contains(buffer[:n], []byte(w.Apart)) {
			w.Syncs.Add(int64(bytes.Count(buffer[:n], syncMessage)))
		}
		_, writeErr := to.Write(buffer[:n])
		if err != nil || writeErr != nil {
			return
		}
	}
}
