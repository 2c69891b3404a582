package outgoing

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"assess/config"
)

const (
	// MaxBody is how many bytes of an answer are read, after it is unpacked.
	MaxBody = 1 << 20
	// Patience is how long a call takes in all: looking up, dialling, waiting and reading.
	Patience = 15 * time.Second

	maxHeader = 64 << 10
	httpsPort = 443
)

var (
	// ErrAddress is returned for an address that the service does not call.
	ErrAddress = errors.New("the service does not call this address")
	// ErrRedirect is returned for an answer that sends the caller elsewhere.
	ErrRedirect = errors.New("the answer redirects, and the service follows no redirect")
)

// Rules say what a client may reach. The service uses the zero value if nothing is set.
type Rules struct {
	// AllowPrivate are networks that are reached although the Internet does not route them.
	AllowPrivate []netip.Prefix
	// Roots are the authorities whose certificates count; nil means the system's.
	Roots *x509.CertPool
	// Port takes the place of 443; tests set it, for their servers take any port that is free.
	Port uint16

	resolver *net.Resolver
	patience time.Duration
}

// RulesOf gives the rules of the settings.
func RulesOf(o config.Outgoing) (Rules, error) {
	var r Rules
	for _, network := range o.AllowPrivate {
		prefix, err := netip.ParsePrefix(network)
		if err != nil {
			return Rules{}, fmt.Errorf("outgoing.allow_private: %w", err)
		}
		r.AllowPrivate = append(r.AllowPrivate, prefix.Masked())
	}
	return r, nil
}

// New makes a client that keeps to the rules.
func New(rules Rules) *http.Client {
	if rules.Port == 0 {
		rules.Port = httpsPort
	}
	if rules.patience == 0 {
		rules.patience = Patience
	}
	dialer := net.Dialer{Resolver: rules.resolver, Control: rules.control()}
	return &http.Client{Timeout: rules.patience, Transport: &guard{port: rules.Port, next: &http.Transport{
		// No Proxy: it would dial for the client, and nobody would check the address. No HTTP/2, which costs more where each
		// connection has one call at a time.
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: rules.Roots},
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    5, // as many as webhooks call an endpoint with at once
		IdleConnTimeout:        time.Minute,
	}}}
}

// control checks the address that a connection is made to. The name is resolved by then, so that a second look-up
// cannot change it.
func (r Rules) control() func(string, string, syscall.RawConn) error {
	var v4, v6 []netip.Prefix
	for _, p := range r.AllowPrivate {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	safe := ssrf.New(ssrf.WithPorts(r.Port), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...)).Safe
	return func(network, address string, conn syscall.RawConn) error {
		if err := safe(network, address, conn); err != nil {
			return fmt.Errorf("%w: %w", ErrAddress, err)
		}
		return nil
	}
}

// guard checks a request before it is sent and an answer before anybody reads it.
type guard struct {
	port uint16
	next *http.Transport
}

func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := g.check(request.URL); err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, err
	}
	answer, err := g.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if redirects(answer.StatusCode) {
		answer.Body.Close()
		return nil, fmt.Errorf("%w (status %d)", ErrRedirect, answer.StatusCode)
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, MaxBody)
	return answer, nil
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (g *guard) CloseIdleConnections() { g.next.CloseIdleConnections() }

func (g *guard) check(u *url.URL) error {
	if u.Scheme != "https" {
		return fmt.Errorf("%w: it must begin with https://", ErrAddress)
	}
	if u.User != nil {
		return fmt.Errorf("%w: it must hold no user name or password", ErrAddress)
	}
	port := u.Port()
	if port == "" {
		port = strconv.Itoa(httpsPort)
	}
	if want := strconv.Itoa(int(g.port)); port != want {
		return fmt.Errorf("%w: its port must be %s", ErrAddress, want)
	}
	return nil
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// Reason is why a call failed, without the address that was called.
func Reason(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
