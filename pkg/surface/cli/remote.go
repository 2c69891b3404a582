package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/people/access"
	"assess/pkg/surface/op"
)

// With --server the commands of the table of operations call the interface of a service, as who signed in there with assessctl login.

// overServer marks a command that works over HTTP too.
const overServer = "over-server"

// remote is a service that somebody is signed in to.
type remote struct {
	base  string
	token string
	proof *access.Proof
	http  *http.Client
}

// callTimeout bounds a call; a service answers within its own limit, which is shorter.
const callTimeout = 5 * time.Minute

// newRemote makes the client of a service. A token goes over an encrypted connection, or to this machine.
func newRemote(server, token string) (*remote, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && (u.Scheme != "http" || !thisMachine(u.Hostname())) {
		return nil, Usage("--server: expected an address such as https://assess.example.org; http:// only goes to this machine")
	}
	return &remote{base: strings.TrimRight(server, "/"), token: token, http: &http.Client{Timeout: callTimeout,
		// A redirect would take the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

func thisMachine(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// onlyDatabase refuses a command that has no way over HTTP.
func (s *Shell) onlyDatabase(cmd *cobra.Command) error {
	if s.Server == "" || cmd.Annotations[overServer] != "" || !cmd.Runnable() || isGroup(cmd) {
		return nil
	}
	for c := cmd; c != nil; c = c.Parent() {
		if c.HasParent() && !c.Parent().HasParent() && slices.Contains(withoutDatabase, c.Name()) {
			return nil
		}
	}
	return Usage("%s works on the database itself: leave --server out, and name the database with --database-url (or ASSESS_DATABASE_URL)", cmd.CommandPath())
}

// withoutDatabase are the commands that need neither.
var withoutDatabase = []string{"version", "completion", "man", "config", "help", "__complete", "__completeNoDesc"}

// signedIn gives the service of --server, and refuses options that its token does not allow.
func (s *Shell) signedIn(ctx context.Context) (*remote, error) {
	kept, err := s.readSession()
	if err != nil {
		return nil, err
	}
	switch {
	case kept.Token == "":
		return nil, s.notSignedIn("You are not signed in to %s", s.Server)
	case time.Now().After(kept.ExpiresAt):
		return nil, s.notSignedIn("Your sign-in to %s ended at %s", s.Server, clock(kept.ExpiresAt))
	case s.Tenant != "" && s.Tenant != kept.Tenant:
		return nil, Usage("you are signed in to the tenant %s of %s, not to %s: sign in again with --tenant %s", kept.Tenant, s.Server, s.Tenant, s.Tenant)
	case s.Org != "" && s.Org != kept.OrgUnit:
		return nil, Usage("you are signed in to the org unit %s of %s, not to %s: sign in again with --org %s", kept.OrgUnit, s.Server, s.Org, s.Org)
	case s.flags.Changed("all-orgs"):
		return nil, Usage("--all-orgs: over --server you reach what your roles let you reach; leave it out")
	case s.flags.Changed("actor"):
		return nil, Usage("--actor: over --server you act as who you signed in as; leave it out")
	}
	r, err := newRemote(s.Server, kept.Token)
	if err == nil && time.Now().After(kept.RenewAt) {
		err = s.renew(ctx, r, &kept)
	}
	if err != nil {
		return nil, err
	}
	r.proof = kept.Proof
	return r, nil
}

// renew trades the token for a fresh one. Where the service gives none, the old one works until it ends.
func (s *Shell) renew(ctx context.Context, r *remote, kept *keptSession) error {
	var fresh access.Token
	_, err := r.do(ctx, http.MethodPost, "/auth/refresh", nil, nil, &fresh)
	if err != nil {
		return nil
	}
	kept.taken(fresh)
	r.token = fresh.Token
	return s.keepSession(kept)
}

func (s *Shell) notSignedIn(format string, args ...any) error {
	return errs.New(errs.Unauthenticated, "%s. Sign in: assessctl login --server %s", fmt.Sprintf(format, args...), s.Server)
}

// overHTTP runs an operation of the table at the service.
func (s *Shell) overHTTP(cmd *cobra.Command, c *invocation) (any, error) {
	ctx := cmd.Context()
	r, err := s.signedIn(ctx)
	if err != nil {
		return nil, err
	}
	if s.dryRun && c.line.DryRun(c.input.Interface()) == nil {
		return nil, Usage("--dry-run: only the database can try %s; leave --server out", cmd.CommandPath())
	}
	err = c.find(func(noun, word string, within ids.ID) (ids.ID, error) {
		id, err := r.find(ctx, noun, word, within)
		return id, s.mended(err)
	})
	if err != nil {
		return nil, err
	}
	call := func() (any, error) {
		result, replayed, err := r.operate(ctx, c.line, c.input, s.key)
		if replayed {
			s.Note("Done before with this idempotency key; nothing was changed now.")
		}
		return result, s.mended(err)
	}
	if c.all {
		return views[c.line.Result].whole(c.page, call)
	}
	result, err := call()
	if err == nil && s.dryRun {
		s.Note("Dry run: nothing was changed.")
	}
	return result, err
}

// mended says what to do if a service does not know the token any more, or requires a step-up.
func (s *Shell) mended(err error) error {
	if refused, ok := errors.AsType[*errs.Error](err); ok && refused.Code == errs.StepUpRequired {
		refused.Message = fmt.Sprintf("This needs a fresh proof that it is you. Give one, and call this again: assessctl login --server %s --step-up", s.Server)
		return refused
	}
	if errors.Is(err, errs.Unauthenticated) || errors.Is(err, errs.TokenExpired) {
		return s.notSignedIn("Your sign-in to %s holds no longer", s.Server)
	}
	return err
}

// find looks a name up at the service.
func (r *remote) find(ctx context.Context, noun, word string, within ids.ID) (ids.ID, error) {
	if !op.Named(noun) {
		return op.RecordID(strings.ReplaceAll(noun, "-", " "), word)
	}
	q := url.Values{"noun": {noun}, "word": {word}}
	if within != ids.None {
		q.Set("within", within.String())
	}
	var found op.Found
	_, err := r.do(ctx, http.MethodGet, "/names?"+q.Encode(), nil, nil, &found)
	if e := errs.Of(err); err != nil && e.Code == errs.ValidationFailed && len(e.Fields) == 0 {
		err = Usage("%w", err) // a word that can name nothing
	}
	return found.ID, err
}

// operate calls an operation.
func (r *remote) operate(ctx context.Context, l op.Line, input reflect.Value, key string) (result any, replayed bool, err error) {
	path, query, body, err := takenApart(l, input)
	if err != nil {
		return nil, false, err
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	header := http.Header{}
	if l.Kind == op.Writes {
		header.Set("Idempotency-Key", cmp.Or(key, ids.New().String()))
	}
	answer := reflect.New(l.Result)
	to := answer.Interface()
	if l.Result == reflect.TypeFor[db.None]() {
		to = nil
	}
	got, err := r.do(ctx, l.Method, path, header, body, to)
	if err != nil {
		return nil, false, err
	}
	return answer.Elem().Interface(), got.Get("Idempotency-Replayed") != "", nil
}

// takenApart takes an input apart as the service puts it together (httpapi): path, query and body.
func takenApart(l op.Line, input reflect.Value) (path string, query url.Values, body []byte, err error) {
	path, query = l.Path, url.Values{}
	inBody := map[string]bool{}
	for _, f := range l.Fields() {
		value := input.Elem().FieldByIndex(f.Index)
		switch f.From {
		case op.InPath:
			path = strings.ReplaceAll(path, "{"+f.Name+"}", url.PathEscape(written(value)))
		case op.InQuery:
			if value.Kind() == reflect.Slice {
				all := make([]string, value.Len())
				for i := range all {
					all[i] = written(value.Index(i))
				}
				if f.Exploded {
					query[f.Name] = all
				} else if len(all) > 0 {
					query.Set(f.Name, strings.Join(all, ","))
				}
			} else if !value.IsZero() {
				query.Set(f.Name, written(value))
			}
		case op.InBody:
			inBody[f.Name] = true
		}
	}
	if len(inBody) == 0 {
		return path, query, nil, nil
	}
	body, err = wire.Marshal(l.Body(input.Interface()))
	if err != nil {
		return "", nil, nil, fmt.Errorf("encode the input: %w", err)
	}
	said := map[string]json.RawMessage{}
	err = json.Unmarshal(body, &said)
	for name := range said {
		if !inBody[name] {
			delete(said, name)
		}
	}
	if err == nil {
		body, err = json.Marshal(said)
	}
	return path, query, body, err
}

// written gives a value as it is written in a path or a query.
func written(value reflect.Value) string {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if at, ok := value.Interface().(time.Time); ok {
		return at.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value.Interface())
}

// maxAnswer is how much of an answer is read at most, in bytes.
const maxAnswer = 64 << 20

// do calls the service and reads a 2xx answer into to; anything else becomes the error that the operation gave there.
func (r *remote) do(ctx context.Context, method, path string, header http.Header, body []byte, to any) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call the service: %w", err)
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.proof != nil {
		req.Header.Set("X-Step-Up-Proof", r.proof.ID.String())
	}
	res, err := r.http.Do(req)
	if err != nil {
		return nil, unreachable(r.base, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", r.base, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, refusedBy(r.base, res, answer)
	}
	if to == nil {
		return res.Header, nil
	}
	err = json.Unmarshal(answer, to)
	if err != nil {
		return nil, fmt.Errorf("%s answers what this assessctl cannot read; is it of another version? %w", r.base, err)
	}
	return res.Header, nil
}

func unreachable(base string, err error) error {
	_, unknown := errors.AsType[*net.DNSError](err)
	if unknown {
		return fmt.Errorf("there is no host of %s", base)
	}
	cause := err
	if of, ok := errors.AsType[*url.Error](err); ok {
		cause = of.Err
	}
	return fmt.Errorf("%s cannot be reached: %w", base, cause)
}

// refusedBy makes of an answer the error that it tells.
func refusedBy(base string, res *http.Response, answer []byte) error {
	var said struct {
		Code    errs.Code      `json:"code"`
		Message string         `json:"message"`
		Details map[string]any `json:"details"`
	}
	if json.Unmarshal(answer, &said) != nil || said.Code == "" {
		return fmt.Errorf("%s answers %s: is it the address of an assessment service?", base, res.Status)
	}
	e := errs.New(said.Code, "%s", said.Message)
	var problems struct {
		Details struct {
			Fields []errs.Field `json:"fields"`
		} `json:"details"`
	}
	if json.Unmarshal(answer, &problems) == nil {
		e.Fields = problems.Details.Fields
	}
	delete(said.Details, "fields")
	for name, value := range said.Details {
		e = e.With(name, value)
	}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		e = e.After(time.Duration(seconds) * time.Second)
	}
	return e
}

// endToken signs out. A token that no longer holds is no error.
func (r *remote) endToken(ctx context.Context, token string) error {
	body, err := json.Marshal(map[string]string{"token": token})
	if err == nil {
		_, err = r.do(ctx, http.MethodPost, "/auth/sign-out", nil, body, nil)
	}
	return err
}

// trade gives the session for a code (RFC 7636).
func (r *remote) trade(ctx context.Context, code, verifier string) (access.Session, error) {
	var s access.Session
	body, err := json.Marshal(map[string]string{"code": code, "codeVerifier": verifier})
	if err == nil {
		_, err = r.do(ctx, http.MethodPost, "/auth/token", nil, body, &s)
	}
	return s, err
}
