package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"assess/pkg/kernel/ids"
)

// wire is one HTTP connection that stays open. It writes requests as bytes, so that the load takes
// little processor time from the programs under test.
type wire struct {
	address string
	conn    net.Conn
	used    time.Time
	reader  *bufio.Reader
	buffer  []byte
	body    []byte
}

// idle is how long a connection may wait: the server closes one on which nothing comes.
const idle = 5 * time.Second

// open connects unless there is a connection that is sure to be open still.
func (w *wire) open() error {
	if w.conn != nil && time.Since(w.used) < idle {
		return nil
	}
	w.close()
	conn, err := net.DialTimeout("tcp", w.address, time.Second)
	if err != nil {
		return err
	}
	w.conn, w.reader = conn, bufio.NewReaderSize(conn, 4<<10)
	return nil
}

func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// call sends a request and gives the body of a 2xx answer, which is valid until the next call. key
// is empty for routes that need none.
func (w *wire) call(method, path, token, key string, body []byte) ([]byte, error) {
	b := fmt.Appendf(w.buffer[:0], "%s /api/v1%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n", method, path, token)
	if key != "" {
		b = fmt.Appendf(b, "Idempotency-Key: %s\r\n", key)
	}
	b = fmt.Appendf(b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	w.buffer = append(b, body...)
	err := w.open()
	if err != nil {
		return nil, err
	}
	w.used = time.Now()
	_, err = w.conn.Write(w.buffer)
	var status int
	if err == nil {
		status, err = w.read()
	}
	if err != nil {
		w.close() // a server that was killed is back on a new connection
		return nil, err
	}
	if status >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %d: %s", method, path, status, w.body)
	}
	return w.body, nil
}

var lengthHeader = []byte("Content-Length: ")

// read reads an answer of known length from the connection.
func (w *wire) read() (int, error) {
	line, err := w.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	var status, length int
	status, err = strconv.Atoi(string(line[len("HTTP/1.1 "):][:3]))
	if err != nil {
		return 0, err
	}
	for len(line) > len("\r\n") {
		line, err = w.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if value, is := bytes.CutPrefix(line, lengthHeader); is {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
			if err != nil {
				return 0, err
			}
		}
	}
	w.body = slices.Grow(w.body[:0], length)[:length]
	_, err = io.ReadFull(w.reader, w.body)
	return status, err
}

func (w *wire) start(e *exam, c candidate) (ids.ID, error) {
	body, err := w.call(http.MethodPost, "/evaluations/"+e.evaluation.String()+"/sessions", c.token, ids.New().String(), []byte("{}"))
	if err != nil {
		return ids.None, err
	}
	// A client of the bench takes the id, which comes first, and leaves twenty questions unparsed: it runs on
	// the server's processors.
	_, rest, _ := bytes.Cut(body, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return ids.Parse("session", string(id))
}

func (w *wire) save(e *exam, c candidate, session, item ids.ID, sequence int64) error {
	return w.saveAs(e, c, session, item, sequence, savedResponse)
}

func (w *wire) saveAs(e *exam, c candidate, session, item ids.ID, sequence int64, response string) error {
	_, err := w.call(http.MethodPost, sessionPath(e, session)+"/answers", c.token, "",
		fmt.Appendf(nil, `{"answers":[{"itemId":"%s","sequence":%d,"response":%s,"timeSpentMs":1500}]}`, item, sequence, response))
	return err
}

func (w *wire) submit(e *exam, c candidate, session ids.ID) error {
	_, err := w.call(http.MethodPost, sessionPath(e, session)+"/submit", c.token, ids.New().String(), []byte("{}"))
	return err
}

func sessionPath(e *exam, session ids.ID) string {
	return "/evaluations/" + e.evaluation.String() + "/sessions/" + session.String()
}
