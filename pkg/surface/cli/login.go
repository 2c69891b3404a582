package cli

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

const loginLong = `Sign in to a service, to work there without the password of its database.

A browser opens at the service; sign in there as always, and let assessctl in. With
--no-browser the page shows a code in place of that, which you type here: so it works
on a machine that has no browser. The sign-in is kept in a file that only you can read.
It is renewed as you work, until the service wants you to sign in again.

What needs a fresh proof that it is you says so. Sign in with --step-up then, by a link
in a mail or at an identity provider that is good for it, and call the command again
within minutes.

From then on assessctl --server URL does over HTTP what it does with the database, as
you and with your roles: the commands that manage roles, groups, identity providers,
terms, packs, reviews, evidence, remediations and webhooks, and the lists of content. What only the database can do
says so. A profile of the settings can name the server (server: URL), and so can
ASSESS_SERVER.`

func newLogin(s *Shell) *cobra.Command {
	var typed, stepUp bool
	cmd := &cobra.Command{Use: "login --server URL", Short: "Sign in to a service, to work over HTTP", Long: loginLong, RunE: func(cmd *cobra.Command, _ []string) error {
		r, err := s.serviceNamed()
		if err != nil {
			return err
		}
		session, err := s.signIn(cmd.Context(), r, typed, stepUp)
		if err != nil {
			return err
		}
		r.token = session.Token.Token
		var me people.Self
		_, err = r.do(cmd.Context(), http.MethodGet, "/users/me", nil, nil, &me)
		if err != nil {
			return err
		}
		kept := keptSession{Tenant: me.Tenant, OrgUnit: me.OrgUnit.Slug, Proof: session.StepUpProof}
		kept.taken(session.Token)
		err = s.keepSession(&kept)
		if err != nil {
			return err
		}
		s.Note("You are signed in to %s as %s, in the org unit %s, until %s.", s.Server, personOf(me.User), kept.OrgUnit, clock(kept.ExpiresAt))
		if kept.Proof != nil {
			s.Note("One command that needs a step-up proof works until %s.", clock(kept.Proof.ExpiresAt))
		}
		return nil
	}}
	cmd.Flags().BoolVar(&typed, "no-browser", false, "type a code that a browser elsewhere shows")
	cmd.Flags().BoolVar(&stepUp, "step-up", false, "prove that it is you, for one command that needs a step-up proof")
	return marked(cmd, overServer, "yes")
}

// clock says a moment as the clock of this machine shows it.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func personOf(u people.User) string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

func newLogout(s *Shell) *cobra.Command {
	cmd := &cobra.Command{Use: "logout --server URL", Short: "Sign out of a service", Long: `Sign out of a service: its token ends there, for everybody who has a copy, and this machine
forgets it. Deactivating a user ends all of their tokens at once.`, RunE: func(cmd *cobra.Command, _ []string) error {
		r, err := s.serviceNamed()
		if err != nil {
			return err
		}
		there, err := s.readSession()
		if err != nil {
			return err
		}
		if there.Token == "" {
			s.Note("You are not signed in to %s.", s.Server)
			return nil
		}
		err = s.keepSession(nil)
		if err != nil {
			return err
		}
		err = r.endToken(cmd.Context(), there.Token)
		if err != nil {
			return fmt.Errorf("this machine has forgotten the sign-in; a copy of its token works until %s: %w", clock(there.ExpiresAt), err)
		}
		s.Note("You are signed out of %s.", s.Server)
		return nil
	}}
	return marked(cmd, overServer, "yes")
}

// serviceNamed is the service that the call names.
func (s *Shell) serviceNamed() (*remote, error) {
	if s.Server == "" {
		return nil, Usage("say which service: --server URL (or ASSESS_SERVER, or server in a profile)")
	}
	return newRemote(s.Server, "")
}

// loginPatience is how long somebody may take in the browser.
const loginPatience = 10 * time.Minute

// signIn has somebody sign in in a browser: with PKCE, and a state of our own (RFC 8252).
func (s *Shell) signIn(ctx context.Context, r *remote, typed, stepUp bool) (access.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, loginPatience)
	defer cancel()
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	hash := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(hash[:])
	q := url.Values{"codeChallenge": {challenge}, "state": {state}}
	for name, value := range map[string]string{"tenant": s.Tenant, "orgUnit": s.Org} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if stepUp {
		q.Set("stepUp", "yes")
	}
	var code string
	var err error
	if typed {
		code, err = s.typedCode(ctx, r.base+terminalPath+"?"+q.Encode(), challenge)
	} else {
		code, err = s.broughtCode(ctx, r.base+terminalPath, q, challenge)
	}
	if err != nil {
		return access.Session{}, err
	}
	session, err := r.trade(ctx, code, verifier)
	if errors.Is(err, errs.LinkInvalid) {
		return session, errs.New(errs.LinkInvalid, "The code is wrong, or older than a minute. Sign in again.")
	}
	return session, err
}

// terminalPath is the page of a service where somebody lets a terminal in.
const terminalPath = "/sign-in/terminal"

// checked is the part of a challenge that both sides show, so that people see that they let in their own terminal.
func checked(challenge string) string { return challenge[:8] }

func (s *Shell) typedCode(ctx context.Context, address, challenge string) (string, error) {
	fmt.Fprintf(s.Notes, "Open this address in a browser, and sign in there:\n\n  %s\n\nThe page must show %s. Code: ", address, checked(challenge))
	code, err := s.readLine(ctx)
	if err != nil {
		return "", err
	}
	code = strings.TrimSpace(code)
	if code == "" {
		return "", errs.New(errs.ValidationFailed, "There is no code, so nobody is signed in.")
	}
	return code, nil
}

// broughtCode takes the code from the browser, at an address of this machine that nobody else reaches.
func (s *Shell) broughtCode(ctx context.Context, address string, q url.Values, challenge string) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen for the browser: %w", err)
	}
	q.Set("redirectUri", "http://"+listener.Addr().String()+"/")
	codes := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
		w.Header().Set("Referrer-Policy", "no-referrer")
		said := req.URL.Query()
		if req.URL.Path != "/" || said.Get("state") != q.Get("state") || said.Get("code") == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprint(w, signedInPage)
		select {
		case codes <- said.Get("code"):
		default: // the page was loaded again
		}
	})}
	go server.Serve(listener)                         //nolint:errcheck // it ends below
	defer server.Shutdown(context.WithoutCancel(ctx)) //nolint:errcheck // the program ends soon
	to := address + "?" + q.Encode()
	fmt.Fprintf(s.Notes, "A browser opens. If none does, open this address on this machine:\n\n  %s\n\nThe page must show %s.\n", to, checked(challenge))
	if s.Interactive {
		openBrowser(to)
	}
	select {
	case code := <-codes:
		return code, nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", errs.New(errs.SignInExpired, "Nobody signed in within %s.", loginPatience)
		}
		return "", ctx.Err()
	}
}

// signedInPage is the page that the browser shows at the end.
const signedInPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>Signed in</title><style>:root { color-scheme: light dark; } body { margin: 0 auto; padding: 2rem 1.25rem; max-width: 46rem; font: 1rem/1.5 system-ui, sans-serif;
background: light-dark(#fdfdfb, #14181e); color: light-dark(#1d2530, #e8ecf1); }</style></head>
<body><main><h1>You can close this page</h1><p>assessctl goes on in the terminal.</p></main></body></html>
`

// openBrowser tries; the address is there to read in any case.
func openBrowser(address string) {
	with := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if with == nil {
		with = []string{"xdg-open"}
	}
	_ = exec.Command(with[0], append(with[1:], address)...).Start() //nolint:gosec,noctx // our own address; the browser outlives us
}
