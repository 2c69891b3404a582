package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	random "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/trust/webhook"
)

const (
	// receivers listen on port 443 of addresses of their own on this machine, 127.0.0.2 and so on, which needs root.
	receivers = 5
	// serverKills is how often assessd is killed while it sends.
	serverKills = 3
	// toldGoal bounds the p95 of a save while webhooks are sent, as a multiple of the quiet one.
	toldGoal = 1.2
)

// ear is a receiver that is killed again and again: its connections break, and it is back a moment later.
type ear struct {
	address     string
	certificate tls.Certificate

	mu          sync.Mutex
	server      *http.Server
	got         map[int64]bool
	calls       int
	killed      int
	untilKilled int
}

func (e *ear) listen() error {
	listener, err := net.Listen("tcp", e.address)
	if err != nil {
		return fmt.Errorf("a receiver of webhooks needs port 443: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.untilKilled = 500 + random.IntN(2000)
	e.server = &http.Server{Handler: e, TLSConfig: &tls.Config{Certificates: []tls.Certificate{e.certificate}, MinVersion: tls.VersionTLS12},
		ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	go e.server.ServeTLS(listener, "", "") //nolint:errcheck // it ends when it is killed
	return nil
}

// ServeHTTP dies before it has stored the event, or before it has answered.
func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m webhook.Message
	if err != nil || json.Unmarshal(body, &m) != nil {
		return
	}
	e.mu.Lock()
	e.untilKilled--
	dies := e.untilKilled == 0
	if !dies || random.IntN(2) == 0 {
		e.got[m.Data.Seq] = true
		e.calls++
	}
	if dies {
		e.killed++
		e.server.Close() //nolint:errcheck // killed
		e.untilKilled = -1
	}
	e.mu.Unlock()
	if dies {
		panic(http.ErrAbortHandler)
	}
}

func (e *ear) revive() error {
	e.mu.Lock()
	away := e.untilKilled < 0
	e.mu.Unlock()
	if away {
		return e.listen()
	}
	return nil
}

func (e *ear) state() (got, calls, killed int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.got), e.calls, e.killed
}

// telling is a server whose webhooks go to receivers that are killed.
type telling struct {
	h      *house
	store  *db.Store
	server *server
	ears   []*ear
	told   int
	// failed is the reason why receivers no longer come back; stop ends that.
	failed atomic.Pointer[error]
	stop   context.CancelFunc
	tends  sync.WaitGroup
}

// measureWebhooks saves answers at half of what the server can do, while no events are sent and while thousands of events
// go to five receivers that are killed at random; and it kills the server. Receivers that were away are called again as
// soon as they are back, as if the time had passed.
func measureWebhooks(ctx context.Context, h *house) ([]result, error) {
	t := &telling{h: h}
	defer t.close()
	err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	r := &hall{h: h}
	r.sessions, err = h.openSessions(ctx, 500)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	_, err = t.save(r, h.size.saves, 0)
	if err != nil {
		return nil, err
	}
	pace := float64(h.size.saves) / time.Since(begin).Seconds() / 2
	part := h.size.toldEvents / (h.size.rounds + 1)
	long := 3 * h.size.saves // some seconds: webhooks are sent meanwhile
	var quiet, busy []float64
	sending := 0.0
	for range h.size.rounds {
		err = h.calm(ctx, "sessions", "session_answers", "webhook_deliveries")
		if err != nil {
			return nil, err
		}
		saves, err := t.save(r, long, pace)
		if err != nil {
			return nil, err
		}
		quiet = append(quiet, quantile(saves, 0.95))
		err = errors.Join(t.say(ctx, part), h.calm(ctx, "sessions", "session_answers"))
		if err != nil {
			return nil, err
		}
		before := t.calls()
		start := time.Now()
		saves, err = t.save(r, long, pace)
		if err != nil {
			return nil, err
		}
		busy, sending = append(busy, quantile(saves, 0.95)), sending+float64(t.calls()-before)/time.Since(start).Seconds()
		err = t.arrive(ctx, t.told)
		if err != nil {
			return nil, err
		}
	}
	err = t.kill(ctx, h.size.toldEvents-t.told)
	if err != nil {
		return nil, err
	}
	arrived, killed := 0, 0
	for _, e := range t.ears {
		got, _, n := e.state()
		arrived, killed = arrived+got, killed+n
	}
	return []result{
		{Name: "save of one answer at half of the maximum while webhooks are sent, p95", Unit: "ms", Value: median(busy), Beside: median(quiet), Ratio: ratio(busy, quiet), AtMost: toldGoal,
			Note: fmt.Sprintf("%.0f saves/s and %.0f webhooks/s at a time", pace, sending/float64(h.size.rounds))},
		{Name: fmt.Sprintf("events that reached %d receivers", receivers), Unit: "events", Value: float64(arrived), AtLeast: float64(receivers * t.told),
			Note: fmt.Sprintf("%d calls; the receivers were killed %d times, assessd %d times", t.calls(), killed, serverKills)},
	}, nil
}

// open starts the receivers, the server, and makes the endpoints.
func (t *telling) open(ctx context.Context) error {
	certificate, err := t.certify()
	if err != nil {
		return err
	}
	t.store, err = db.Open(ctx, db.Options{URL: t.h.postgres.AppURL(database), MaxConns: 4, KeySecret: auth().KeySecret})
	if err != nil {
		return err
	}
	for i := range receivers {
		e := &ear{address: fmt.Sprintf("127.0.0.%d:443", i+2), certificate: certificate, got: map[int64]bool{}}
		err = e.listen()
		if err != nil {
			return err
		}
		t.ears = append(t.ears, e)
		err = t.store.Write(ctx, t.h.operator, func(tx *db.Tx) error {
			made, err := webhook.Create(ctx, tx, webhook.Input{URL: "https://example.org/", Events: []string{webhook.AssignmentCreated}})
			if err != nil {
				return err
			}
			// Nobody may enter an address of this machine.
			_, err = tx.Exec(ctx, "update webhook_endpoints set url = $3 where tenant_id = $1 and id = $2", tx.Tenant(), made.ID, "https://"+e.address[:len(e.address)-len(":443")]+"/")
			return err
		})
		if err != nil {
			return err
		}
	}
	t.server, err = t.h.startServer(ctx, true)
	if err != nil {
		return err
	}
	ctx, t.stop = context.WithCancel(ctx)
	t.tends.Go(func() {
		for ctx.Err() == nil {
			err := t.tend(ctx)
			if err != nil && ctx.Err() == nil {
				t.failed.Store(&err)
			}
			time.Sleep(time.Second)
		}
	})
	return nil
}

// tend brings back receivers that were killed, and has time pass for receivers that were away.
func (t *telling) tend(ctx context.Context) error {
	for _, e := range t.ears {
		err := e.revive()
		if err != nil {
			return err
		}
	}
	_, err := t.h.super.Exec(ctx, "update webhook_deliveries set next_at = clock_timestamp() where state = 'due' and next_at > clock_timestamp()")
	return err
}

func (t *telling) close() {
	if t.stop != nil {
		t.stop()
		t.tends.Wait()
	}
	if t.server != nil {
		t.server.stop()
	}
	for _, e := range t.ears {
		e.server.Close() //nolint:errcheck // it is thrown away
	}
	if t.store != nil {
		t.store.Close()
	}
}

// certify makes the certificate of the receivers, which the server accepts as the certificate of an authority.
func (t *telling) certify() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receivers"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	for i := range receivers {
		template.IPAddresses = append(template.IPAddresses, net.IPv4(127, 0, 0, byte(i+2)))
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	file, err := filepath.Abs(filepath.Join(folder, "receivers.pem"))
	if err == nil {
		err = os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	}
	if err == nil {
		err = os.Setenv("SSL_CERT_FILE", file) // what the server starts with
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// save saves n answers, at a given rate or as fast as possible, and gives how long each took, in ms.
func (t *telling) save(r *hall, n int, pace float64) ([]float64, error) {
	took := make([]float64, n)
	start := time.Now()
	return took, together(clients, n, func(client, i int) error {
		if pace > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(float64(i) / pace * float64(time.Second)))))
		}
		open, c, item, sequence := r.turn()
		begin := time.Now()
		err := t.server.wires[client].save(&t.h.exam, c, open, item, sequence)
		took[i] = float64(time.Since(begin).Microseconds()) / 1000
		return err
	})
}

// say writes events that are sent to all receivers.
func (t *telling) say(ctx context.Context, n int) error {
	for n > 0 {
		some := make([]ledger.Event, min(n, 500))
		for i := range some {
			some[i] = ledger.Event{Type: webhook.AssignmentCreated, SubjectType: "assignment", SubjectID: ids.New()}
		}
		err := t.store.Write(ctx, t.h.operator, func(tx *db.Tx) error { return ledger.Append(ctx, tx, some...) })
		if err != nil {
			return err
		}
		n -= len(some)
		t.told += len(some)
	}
	return nil
}

func (t *telling) calls() int {
	all := 0
	for _, e := range t.ears {
		_, calls, _ := e.state()
		all += calls
	}
	return all
}

// arrive waits until every receiver has so many events.
func (t *telling) arrive(ctx context.Context, events int) error {
	for ctx.Err() == nil {
		if err := t.failed.Load(); err != nil {
			return *err
		}
		complete := true
		for _, e := range t.ears {
			got, _, _ := e.state()
			complete = complete && got >= events
		}
		if complete {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}

// kill sends the rest while the server is killed at random; its lease of the endpoints runs out, as if the time had passed.
func (t *telling) kill(ctx context.Context, events int) error {
	for n := range serverKills {
		part := events / serverKills
		if n == serverKills-1 {
			part = events - part*n
		}
		err := t.say(ctx, part)
		if err != nil {
			return err
		}
		for until := t.calls() + part + random.IntN(part); t.calls() < until && ctx.Err() == nil; {
			time.Sleep(20 * time.Millisecond)
		}
		t.server.process.Process.Kill() //nolint:errcheck // one that is gone is fine
		t.server.stop()
		t.server, err = t.h.startServer(ctx, true)
		if err != nil {
			return err
		}
		_, err = t.h.super.Exec(ctx, "update webhook_endpoints set claimed_until = clock_timestamp()")
		if err != nil {
			return err
		}
	}
	return t.arrive(ctx, t.told)
}
