package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
)

// tripCounter sits between assessd and PostgreSQL and counts the answers of PostgreSQL that end a round
// trip: ReadyForQuery comes once for everything that was sent together. It costs a hop for each message, so
// nothing else is measured through it.
type tripCounter struct {
	listener net.Listener
	socket   string
	trips    atomic.Int64
}

// readyForQuery is the first byte of the message (PostgreSQL's documentation, "Message Formats").
const readyForQuery = 'Z'

// countTrips listens in a folder of its own next to the database's socket.
func countTrips(databaseURL string) (*tripCounter, string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "trips")
	if err != nil {
		return nil, "", err
	}
	query := u.Query()
	name := ".s.PGSQL." + query.Get("port")
	t := &tripCounter{socket: filepath.Join(query.Get("host"), name)}
	t.listener, err = net.Listen("unix", filepath.Join(dir, name))
	if err != nil {
		return nil, "", err
	}
	go t.serve()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	return t, u.String(), nil
}

func (t *tripCounter) close() {
	dir := filepath.Dir(t.listener.Addr().String())
	t.listener.Close()
	os.RemoveAll(dir) //nolint:errcheck // a socket in the folder for what is temporary
}

func (t *tripCounter) serve() {
	for {
		from, err := t.listener.Accept()
		if err != nil {
			return
		}
		go t.pass(from)
	}
}

func (t *tripCounter) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", t.socket)
	if err != nil {
		return
	}
	go func() {
		io.Copy(server, client) //nolint:errcheck // ends with the connection
		server.Close()
	}()
	t.count(client, server) //nolint:errcheck // as above
}

// count passes the messages of the server on: a byte for the kind, four for the length, which
// counts itself, and the rest.
func (t *tripCounter) count(to io.Writer, from io.Reader) error {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	var head [5]byte
	for {
		_, err := io.ReadFull(in, head[:])
		if err != nil {
			return err
		}
		_, err = out.Write(head[:])
		if err != nil {
			return err
		}
		_, err = io.CopyN(out, in, int64(binary.BigEndian.Uint32(head[1:]))-4)
		if err != nil {
			return err
		}
		if head[0] == readyForQuery {
			t.trips.Add(1)
		}
		if in.Buffered() == 0 {
			err = out.Flush()
			if err != nil {
				return err
			}
		}
	}
}
