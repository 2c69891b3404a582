package peer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"assess/pkg/kernel/outgoing"
)

// Strong is the acr of somebody who signed in with a second factor.
const Strong = "urn:example:two-factors"

//go:embed provider.mjs
var program []byte

// Peer is a provider that runs.
type Peer struct {
	Issuer string
	// Key is the SHA-256 of the provider's public key, in base64, by which a browser trusts it (browser.Look).
	Key     string
	roots   *x509.CertPool
	process *exec.Cmd
	input   io.Closer
}

// Start runs a provider until the test ends.
func Start(t testing.TB) *Peer {
	t.Helper()
	folder := installed(t)
	// The certificate comes from httptest's servers.
	lender := httptest.NewUnstartedServer(nil)
	lender.StartTLS()
	defer lender.Close()
	p := &Peer{roots: x509.NewCertPool()}
	p.roots.AddCert(lender.Certificate())
	hash := sha256.Sum256(lender.Certificate().RawSubjectPublicKeyInfo)
	p.Key = base64.StdEncoding.EncodeToString(hash[:])
	key, err := x509.MarshalPKCS8PrivateKey(lender.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(map[string]string{"strong": Strong,
		"cert": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw})),
		"key":  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))})
	if err != nil {
		t.Fatal(err)
	}
	p.process = exec.Command("node", "--input-type=module", "--eval", string(program))
	// Packages are found from the folder that it runs in.
	p.process.Dir, p.process.Env = folder, append(os.Environ(), "PEER="+string(settings), "NODE_NO_WARNINGS=1")
	var said bytes.Buffer
	p.process.Stderr = &said
	output, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.input, err = p.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = p.process.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("the provider said: %s", &said)
		}
	})
	lines := bufio.NewScanner(output)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "https://") {
	}
	p.Issuer = lines.Text()
	if p.Issuer == "" {
		t.Fatalf("the provider did not start: %s", &said)
	}
	return p
}

// Stop ends the provider, as if it were away.
func (p *Peer) Stop() {
	_ = p.input.Close()  // it ends with its input
	_ = p.process.Wait() // its exit code says nothing
}

// installed is the folder of the provider's packages.
func installed(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			break
		}
	}
	folder = filepath.Join(folder, ".npm", "oidc")
	_, err = os.Stat(filepath.Join(folder, "installed.json"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the OpenID provider is not here: scripts/oidc installs it (%v)", err)
	}
	if err != nil {
		t.Fatalf("the OpenID provider is not here: scripts/oidc installs it (%v)", err)
	}
	return folder
}

// Client reaches the provider and nothing else on this machine.
func (p *Peer) Client() *http.Client {
	u, _ := url.Parse(p.Issuer) // the provider made it
	address := netip.MustParseAddrPort(u.Host)
	return outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.PrefixFrom(address.Addr(), 32)}, Roots: p.roots, Port: address.Port()})
}

// Register makes a client known to the provider, with metadata as RFC 7591 names them.
func (p *Peer) Register(t testing.TB, metadata map[string]any) {
	t.Helper()
	body, err := json.Marshal(metadata)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Browser().http.Post(p.Issuer+"/test/clients", "application/json", bytes.NewReader(body)) //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the provider takes no clients: %s", res.Status)
	}
}

// Browser is a browser without a screen: it keeps the provider's cookies and fills in its page.
type Browser struct {
	peer *Peer
	http *http.Client
}

// Browser opens one.
func (p *Peer) Browser() *Browser {
	jar, _ := cookiejar.New(nil) // never fails without options
	return &Browser{p, &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: p.roots}},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.String(), p.Issuer) {
				return nil
			}
			return http.ErrUseLastResponse
		}}}
}

var form = regexp.MustCompile(`<form method="post" action="([^"]+)"`)

// Person is who signs in at the provider: with a second factor or without, and perhaps a while ago.
type Person struct {
	Name   string
	Second bool
	Ago    time.Duration
}

// SignIn follows an address to the provider, where somebody signs in if they are asked to, and gives where the browser is sent back
// to, and whether they were asked.
func (b *Browser) SignIn(t testing.TB, address string, who Person) (back string, asked bool) {
	t.Helper()
	res, err := b.http.Get(address) //nolint:noctx // it ends with the test
	for err == nil && res.StatusCode == http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		found := form.FindSubmatch(text)
		if found == nil || asked {
			t.Fatalf("the provider shows %s", text)
		}
		asked = true
		fields := url.Values{"login": {who.Name}, "ago": {strconv.Itoa(int(who.Ago.Seconds()))}}
		if who.Second {
			fields.Set("second", "yes")
		}
		res, err = b.http.PostForm(b.peer.Issuer+html.UnescapeString(string(found[1])), fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if to := res.Header.Get("Location"); to != "" {
		return to, asked
	}
	text, _ := io.ReadAll(res.Body)
	t.Fatalf("the provider answers %s %s", res.Status, text)
	return "", asked
}

var hidden = regexp.MustCompile(`name="xsrf" value="([^"]+)"`)

// SignOut signs out at the provider, which tells its clients.
func (b *Browser) SignOut(t testing.TB) {
	t.Helper()
	res, err := b.http.Get(b.peer.Issuer + "/session/end") //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	found := hidden.FindSubmatch(text)
	if found == nil {
		t.Fatalf("the provider shows %s", text)
	}
	res, err = b.http.PostForm(b.peer.Issuer+"/session/end/confirm", url.Values{"xsrf": {string(found[1])}, "logout": {"yes"}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the provider answers %s", res.Status)
	}
}
