package outgoing_test

import (
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assess/config"
	"assess/pkg/kernel/outgoing"
)

var (
	inner = netip.MustParseAddr("127.0.0.1")
	outer = netip.MustParseAddr("127.0.0.2")
)

// host is a name that the certificate of httptest's servers holds.
const host = "example.com"

// peer is a server with TLS that listens on the inner and the outer address at one port.
type peer struct {
	port         uint16
	roots        *x509.CertPool
	inner, outer atomic.Int32
}

func serve(t *testing.T, handler http.HandlerFunc) *peer {
	t.Helper()
	p := &peer{}
	first := httptest.NewUnstartedServer(counted(&p.inner, handler))
	p.port = netip.MustParseAddrPort(first.Listener.Addr().String()).Port()
	listener, err := net.Listen("tcp", netip.AddrPortFrom(outer, p.port).String())
	if err != nil {
		t.Fatal(err)
	}
	second := httptest.NewUnstartedServer(counted(&p.outer, handler))
	second.Listener.Close()
	second.Listener = listener
	for _, s := range []*httptest.Server{first, second} {
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(s.Close)
	}
	p.roots = x509.NewCertPool()
	p.roots.AddCert(first.Certificate())
	return p
}

func counted(n *atomic.Int32, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		next.ServeHTTP(w, r)
	})
}

// rules reach the outer address and nothing else on this machine.
func (p *peer) rules() outgoing.Rules {
	return outgoing.Rules{AllowPrivate: []netip.Prefix{netip.PrefixFrom(outer, 32)}, Roots: p.roots, Port: p.port}
}

func (p *peer) address(host string) string {
	return fmt.Sprintf("https://%s:%d/path?secret=x", host, p.port)
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

func TestAnAddressThatIsAllowedIsReached(t *testing.T) {
	t.Parallel()
	p := serve(t, hello)
	client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})))
	if got, err := get(t, client, p.address(host)); err != nil || got != "hello" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestAddressesThatOnlyTheServiceReachesAreRefused(t *testing.T) {
	t.Parallel()
	p := serve(t, hello)
	client := outgoing.New(outgoing.Rules{Roots: p.roots, Port: p.port})
	for _, h := range []string{
		"127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]",
	} {
		if _, err := get(t, client, p.address(h)); !errors.Is(err, outgoing.ErrAddress) {
			t.Errorf("%s: got %v, want ErrAddress", h, err)
		}
	}
	if n := p.inner.Load() + p.outer.Load(); n != 0 {
		t.Errorf("%d calls arrived", n)
	}
}

func TestTheSettingsOpenNetworks(t *testing.T) {
	t.Parallel()
	p := serve(t, hello)
	rules, err := outgoing.RulesOf(config.Outgoing{AllowPrivate: []string{"fd00::/8", "127.0.0.2/31"}})
	if err != nil {
		t.Fatal(err)
	}
	rules.Roots, rules.Port = p.roots, p.port
	client := outgoing.New(rules)
	if _, err := get(t, client, p.address("127.0.0.1")); !errors.Is(err, outgoing.ErrAddress) {
		t.Errorf("an address outside of the network: got %v, want ErrAddress", err)
	}
	client = outgoing.New(rules.WithResolver(resolverOf(t, []netip.Addr{outer})))
	if _, err := get(t, client, p.address(host)); err != nil {
		t.Errorf("an address inside of the network: %v", err)
	}
	if _, err := outgoing.RulesOf(config.Outgoing{AllowPrivate: []string{"10.0.0.1"}}); err == nil {
		t.Error("an address without a prefix was taken")
	}
}

func TestOnlyHTTPSOnItsPortIsCalled(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Rules{})
	for _, address := range []string{
		"http://example.com/", "ftp://example.com/", "https://example.com:8443/", "https://example.com:22/", "https://u:p@example.com/",
	} {
		if _, err := get(t, client, address); !errors.Is(err, outgoing.ErrAddress) {
			t.Errorf("%s: got %v, want ErrAddress", address, err)
		}
	}
}

// The first look-up gives an address that may be called, the second gives the machine's own.
func TestANameThatIsReboundReachesNothing(t *testing.T) {
	t.Parallel()
	p := serve(t, hello)
	client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer}, []netip.Addr{inner})))
	if _, err := get(t, client, p.address(host)); err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	if _, err := get(t, client, p.address(host)); !errors.Is(err, outgoing.ErrAddress) {
		t.Errorf("got %v, want ErrAddress", err)
	}
	if p.inner.Load() != 0 || p.outer.Load() != 1 {
		t.Errorf("the inner server got %d calls, want 0; the outer one %d, want 1", p.inner.Load(), p.outer.Load())
	}
}

func TestOfSeveralAddressesOnlyTheAllowedOneIsReached(t *testing.T) {
	t.Parallel()
	p := serve(t, hello)
	client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{inner, outer})))
	if _, err := get(t, client, p.address(host)); err != nil {
		t.Fatal(err)
	}
	if p.inner.Load() != 0 || p.outer.Load() != 1 {
		t.Errorf("the inner server got %d calls, want 0; the outer one %d, want 1", p.inner.Load(), p.outer.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		p := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", status) })
		client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})))
		// A library that takes the client may set a rule of its own.
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
		if _, err := get(t, client, p.address(host)); !errors.Is(err, outgoing.ErrRedirect) {
			t.Errorf("%d: got %v, want ErrRedirect", status, err)
		}
		if n := p.outer.Load(); n != 1 {
			t.Errorf("%d: %d calls arrived, want 1", status, n)
		}
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	p := serve(t, hello)
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})))
	if _, err := get(t, client, p.address(host)); err != nil {
		t.Fatal(err)
	}
}

func TestAHugeAnswerEnds(t *testing.T) {
	t.Parallel()
	chunk := []byte(strings.Repeat("a", 64<<10))
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		fits    bool
	}{
		"at the limit": {func(w http.ResponseWriter, _ *http.Request) {
			for range outgoing.MaxBody / len(chunk) {
				_, _ = w.Write(chunk)
			}
		}, true},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, false},
		"small until it is unpacked": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			for range 2 * outgoing.MaxBody / len(chunk) {
				_, _ = packed.Write(chunk)
			}
			packed.Close()
		}, false},
	} {
		p := serve(t, test.handler)
		client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})))
		got, err := get(t, client, p.address(host))
		if test.fits && (err != nil || len(got) != outgoing.MaxBody) {
			t.Errorf("%s: %d bytes and %v", name, len(got), err)
		}
		if _, tooLong := errors.AsType[*http.MaxBytesError](err); !test.fits && !tooLong {
			t.Errorf("%s: got %v, want *http.MaxBytesError", name, err)
		}
	}
}

func TestAHugeHeaderIsRefused(t *testing.T) {
	t.Parallel()
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("a", 1<<20)) })
	client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})))
	if _, err := get(t, client, p.address(host)); err == nil {
		t.Error("the answer was taken")
	}
}

func TestASlowAnswerEnds(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"no header": func(http.ResponseWriter) {},
		"a header and half a body": func(w http.ResponseWriter) {
			fmt.Fprint(w, "half")
			_ = http.NewResponseController(w).Flush()
		},
	} {
		p := serve(t, func(w http.ResponseWriter, r *http.Request) {
			begin(w)
			<-r.Context().Done()
		})
		client := outgoing.New(p.rules().WithResolver(resolverOf(t, []netip.Addr{outer})).WithPatience(time.Second))
		if _, err := get(t, client, p.address(host)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want context.DeadlineExceeded", name, err)
		}
	}
	if got := outgoing.New(outgoing.Rules{}).Timeout; got != 15*time.Second {
		t.Errorf("the client waits %v, want 15s", got)
	}
}

func TestAReasonQuotesNoAddress(t *testing.T) {
	t.Parallel()
	client := outgoing.New(outgoing.Rules{})
	_, err := get(t, client, "http://example.com/?code=secret")
	if err == nil || !strings.Contains(err.Error(), "secret") {
		t.Fatalf("got %v, want an error that quotes the address", err)
	}
	reason := outgoing.Reason(fmt.Errorf("reading the keys: %w", err))
	if strings.Contains(reason.Error(), "secret") || !errors.Is(reason, outgoing.ErrAddress) {
		t.Errorf("got %v, want ErrAddress without the address", reason)
	}
}
