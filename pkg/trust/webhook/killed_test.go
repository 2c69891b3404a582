package webhook_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	random "math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/trust/webhook"
)

// The settings of a deliverer in a process of its own.
const (
	killedDatabase = "ASSESS_KILLED_DATABASE"
	killedRoots    = "ASSESS_KILLED_ROOTS"
	killedPort     = "ASSESS_KILLED_PORT"
	// killedEvents is how many events are told; 400 unless it is set.
	killedEvents = "ASSESS_WEBHOOK_EVENTS"
)

// TestADelivererInAProcessOfItsOwn is no test: the one below starts it, and kills it.
func TestADelivererInAProcessOfItsOwn(t *testing.T) {
	url := os.Getenv(killedDatabase)
	if url == "" {
		return
	}
	store, err := db.Open(t.Context(), db.Options{URL: url, MaxConns: 8, KeySecret: sample.KeySecret})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(os.Getenv(killedRoots)))
	port, err := strconv.ParseUint(os.Getenv(killedPort), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	webhook.NewDeliverer(store, calling(roots, uint16(port)), "https://assess.example.org", slog.New(slog.DiscardHandler)).Hurried().Run(t.Context())
}

func calling(roots *x509.CertPool, port uint16) *http.Client {
	return outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Roots: roots, Port: port})
}

// receiver is one of five, each at an address of its own, that is killed again and again: everything that it is at breaks off, it is away for
// a moment, and comes back.
type receiver struct {
	address     string
	certificate tls.Certificate

	mu     sync.Mutex
	server *http.Server
	// got are the events by their numbers, each with what it is about and how often it came; untilKilled counts down.
	got         map[int64]string
	times       map[string]int
	untilKilled int
	killed      int
}

func (r *receiver) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", r.address)
	if err != nil {
		t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.server = &http.Server{Handler: r, TLSConfig: &tls.Config{Certificates: []tls.Certificate{r.certificate}, MinVersion: tls.VersionTLS12}, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), ReadHeaderTimeout: time.Minute}
	go r.server.ServeTLS(listener, "", "") //nolint:errcheck // it ends when it is killed
}

// ServeHTTP keeps what comes. It may die before, and then nothing has come; or behind, and then nobody is told that it has.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var m webhook.Message
	if err != nil || json.Unmarshal(body, &m) != nil {
		return
	}
	r.mu.Lock()
	r.untilKilled--
	dies, before := r.untilKilled == 0, random.IntN(2) == 0
	if !dies || !before {
		r.got[m.Data.Seq] = m.Data.AssignmentID.String()
		r.times[request.Header.Get(webhook.HeaderID)]++
	}
	if dies {
		r.killed++
		r.server.Close() //nolint:errcheck // killed
		r.untilKilled = -1
	}
	r.mu.Unlock()
	if dies {
		panic(http.ErrAbortHandler)
	}
}

// tend brings a receiver back that was killed, and says when it is killed next.
func (r *receiver) tend(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	away := r.untilKilled < 0
	r.mu.Unlock()
	if !away {
		return
	}
	r.start(t)
	r.mu.Lock()
	r.untilKilled = 20 + random.IntN(60)
	r.mu.Unlock()
}

func (r *receiver) seen() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got)
}

// Five receivers that are killed at random, and a process that sends, too: each event reaches each of them, at least once, and its number says
// what came first. Time does not pass by itself here: who was away is called again once they are back.
func TestEveryEventArrivesWhoeverIsKilled(t *testing.T) {
	t.Parallel()
	events := 400
	if said := os.Getenv(killedEvents); said != "" {
		events, _ = strconv.Atoi(said)
	}
	h := newHouse(t)
	certificate, roots := certify(t)
	port := freePort(t)
	var all []*receiver
	for i := range 5 {
		r := &receiver{address: fmt.Sprintf("127.0.0.%d:%d", i+2, port), certificate: certificate, got: map[int64]string{}, times: map[string]int{}, untilKilled: 20 + random.IntN(60)}
		r.start(t)
		made := h.endpoint(h.scope, "/", webhook.Input{Events: []string{webhook.AssignmentCreated}})
		h.exec("update webhook_endpoints set url = $2 where id = $1", made.ID, "https://"+r.address+"/")
		all = append(all, r)
	}
	before := one[int64](h, "select last_seq from ledger_heads where tenant_id = $1", h.scope.Tenant)
	var want []string
	for len(want) < events {
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			var some []ledger.Event
			for range min(100, events-len(want)) {
				id := ids.New()
				some, want = append(some, ledger.Event{Type: "assignment.created", SubjectType: "assignment", SubjectID: id}), append(want, id.String())
			}
			return ledger.Append(t.Context(), tx, some...)
		})
	}
	process, kills := h.deliverElsewhere(roots, port), 0
	defer func() { process.end() }()
	next := events / 4 // calls until the process is killed
	await.Until(t, "all five have everything", func() bool {
		for _, r := range all {
			r.tend(t)
		}
		h.exec("update webhook_deliveries set next_at = clock_timestamp() where state = 'due' and next_at > clock_timestamp()")
		calls, complete := 0, true
		for _, r := range all {
			calls, complete = calls+r.seen(), complete && r.seen() == events
		}
		if calls >= next && !complete {
			process.end()
			process, kills, next = h.deliverElsewhere(roots, port), kills+1, calls+events/2+random.IntN(events/2)
		}
		return complete
	})
	twice, killed := 0, 0
	for i, r := range all {
		r.mu.Lock()
		killed += r.killed
		if r.killed == 0 {
			t.Errorf("receiver %d was never killed", i)
		}
		for n, subject := range want {
			if got := r.got[before+1+int64(n)]; got != subject {
				t.Errorf("receiver %d: event %d is about %q, want %s", i, n, got, subject)
				break
			}
		}
		for _, times := range r.times {
			twice += times - 1
		}
		if len(r.times) != events {
			t.Errorf("receiver %d has %d ids of %d events", i, len(r.times), events)
		}
		r.mu.Unlock()
	}
	t.Logf("%d events at 5 receivers that were killed %d times, by a process that was killed %d times: %d calls came again", events, killed, kills, twice)
	if kills < 2 || twice == 0 {
		t.Errorf("the process was killed %d times, and %d calls came again", kills, twice)
	}
	if n := one[int](h, "select count(*)::int from webhook_deliveries where state = 'failed'"); n > 0 {
		t.Errorf("%d deliveries were given up", n)
	}
}

// elsewhere is a process.
type elsewhere struct {
	cmd  *exec.Cmd
	said *bytes.Buffer
}

// deliverElsewhere starts a process that sends.
func (h *house) deliverElsewhere(roots string, port int) elsewhere {
	h.t.Helper()
	p := elsewhere{cmd: exec.Command(os.Args[0], "-test.run=^TestADelivererInAProcessOfItsOwn$"), said: &bytes.Buffer{}} //nolint:gosec // it is this program
	p.cmd.Env = append(slices.Clone(os.Environ()), killedDatabase+"="+h.urls.App, killedRoots+"="+roots, killedPort+"="+strconv.Itoa(port))
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	err := p.cmd.Start()
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// end kills it, without a word before.
func (p elsewhere) end() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// certify makes a certificate for this machine's own addresses, and gives it as an authority as well.
func certify(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receivers"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	for i := range 5 {
		template.IPAddresses = append(template.IPAddresses, net.IPv4(127, 0, 0, byte(i+2)))
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
