package access_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/access"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/mail"
	"assess/pkg/people"
	"assess/pkg/sample"
)

// house is a tenant with one user, and the authority that lets people in.
type house struct {
	store     *db.Store
	scope     db.Scope
	slug      string
	user      people.User
	authority *access.Authority
	mails     string
}

func newHouse(t *testing.T, roles ...string) *house {
	t.Helper()
	h := &house{store: sample.Store(t), mails: t.TempDir()}
	h.scope = sample.Tenant(t, h.store)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		err := tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&h.slug)
		if err != nil {
			return err
		}
		h.user, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: ids.New().String() + "@example.org",
			Name: "Ada", OrgUnits: []string{"main"}, Roles: roles})
		return err
	})
	h.authority = h.process(t)
	return h
}

func options() config.Auth {
	o := config.Default().Auth
	o.LoginPerEmail, o.LoginPerAddress = 1000, 1000
	return o
}

// process makes an authority as another assessd would have it, following changes.
func (h *house) process(t *testing.T) *access.Authority {
	t.Helper()
	a := access.NewAuthority(h.store, options())
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() { a.Follow(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { stop(); done.Wait() })
	return a
}

func (h *house) token(t *testing.T) string {
	t.Helper()
	var token access.Token
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		token, err = h.authority.IssueToken(t.Context(), tx, h.user.ID, ids.None)
		return err
	})
	return token.Token
}

func TestTokenGivesTheScopeOfItsUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	got, err := h.authority.Authenticate(t.Context(), h.token(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.Tenant != h.scope.Tenant || got.OrgUnit != h.scope.OrgUnit || got.Actor.ID != h.user.ID || got.All {
		t.Errorf("got %+v", got)
	}
	if !got.Capabilities.Has(capability.QuestionsWrite) || got.Capabilities.Has(capability.UsersManage) {
		t.Errorf("got capabilities %v", got.Capabilities)
	}
}

func TestTokenCarriesNothingLargeOrMutable(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.TenantAdmin)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(h.token(t), ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	err = json.Unmarshal(payload, &claims)
	if err != nil {
		t.Fatal(err)
	}
	for name := range claims {
		switch name {
		case "userId", "tenantId", "orgUnitId", "roleIds", "iss", "iat", "exp", "jti":
		default:
			t.Errorf("the token also carries %q", name)
		}
	}
}

func TestBadTokensAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	good := h.token(t)
	_, forger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"iss": "assessd", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
			"userId": h.user.ID, "tenantId": h.scope.Tenant, "orgUnitId": h.scope.OrgUnit}
		change(c)
		return c
	}
	signed := func(key ed25519.PrivateKey, kid string, c jwt.MapClaims) string {
		token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
		token.Header["kid"] = kid
		s, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	kid, own := h.signingKey(t)
	for _, c := range []struct {
		name, token string
		want        errs.Code
	}{
		{"empty", "", errs.Unauthenticated},
		{"no token at all", "abc", errs.Unauthenticated},
		{"another's signature", parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), errs.Unauthenticated},
		{"algorithm none", unsigned(t, claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"forged key under our kid", signed(forger, kid, claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"unknown kid", signed(own, "nobody", claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"another issuer", signed(own, kid, claims(func(c jwt.MapClaims) { c["iss"] = "x" })), errs.Unauthenticated},
		{"no expiry", signed(own, kid, claims(func(c jwt.MapClaims) { delete(c, "exp") })), errs.Unauthenticated},
		{"expired", signed(own, kid, claims(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-2 * time.Minute).Unix() })), errs.TokenExpired},
		{"issued far in the future", signed(own, kid, claims(func(c jwt.MapClaims) { c["iat"] = time.Now().Add(5 * time.Minute).Unix() })), errs.Unauthenticated},
		{"unknown user", signed(own, kid, claims(func(c jwt.MapClaims) { c["userId"] = ids.New() })), errs.Unauthenticated},
		{"another tenant's user", signed(own, kid, claims(func(c jwt.MapClaims) { c["tenantId"] = ids.New() })), errs.Unauthenticated},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.authority.Authenticate(t.Context(), c.token)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for name, c := range map[string]jwt.MapClaims{
		"a clock that is 30 s ahead":  claims(func(c jwt.MapClaims) { c["iat"] = time.Now().Add(30 * time.Second).Unix() }),
		"a clock that is 30 s behind": claims(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-30 * time.Second).Unix() }),
	} {
		if _, err := h.authority.Authenticate(t.Context(), signed(own, kid, c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func unsigned(t *testing.T, c jwt.MapClaims) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodNone, c).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *house) signingKey(t *testing.T) (string, ed25519.PrivateKey) {
	t.Helper()
	var kid string
	var seed []byte
	err := h.store.Unscoped().QueryRow(t.Context(),
		"select kid, seed from signing_keys where retired_at is null order by created_at desc limit 1").Scan(&kid, &seed)
	if err != nil {
		t.Fatal(err)
	}
	return kid, ed25519.NewKeyFromSeed(seed)
}

func TestKeysRotateWithoutSigningAnybodyOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	before := h.token(t)
	_, err := access.RotateKeys(t.Context(), h.store)
	if err != nil {
		t.Fatal(err)
	}
	other := h.process(t)
	eventually(t, time.Second, func() bool { return header(h.token(t)) != header(before) })
	for name, token := range map[string]string{"old": before, "new": h.token(t)} {
		for process, a := range map[string]*access.Authority{"this": h.authority, "another": other} {
			if _, err := a.Authenticate(t.Context(), token); err != nil {
				t.Errorf("%s token in %s process: %v", name, process, err)
			}
		}
	}
}

func header(token string) string { return strings.Split(token, ".")[0] }

func eventually(t *testing.T, within time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Errorf("not within %s", within)
}

func TestEveryProcessFollowsAChangeWithinASecond(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	other := h.process(t)
	token := h.token(t)
	can := func(a *access.Authority) bool {
		s, err := a.Authenticate(t.Context(), token)
		return err == nil && s.Capabilities.Has(capability.QuestionsWrite)
	}
	eventually(t, time.Second, func() bool { return can(h.authority) && can(other) })
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	eventually(t, time.Second, func() bool { return !can(h.authority) && !can(other) })
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update users set status = 'deactivated' where tenant_id = $1 and id = $2", tx.Tenant(), h.user.ID)
		return err
	})
	eventually(t, time.Second, func() bool {
		_, err := other.Authenticate(t.Context(), token)
		return errors.Is(err, errs.Unauthenticated)
	})
}

func TestNothingIsCachedWhileChangesCannotBeFollowed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	deaf := access.NewAuthority(h.store, options())
	token := h.token(t)
	if _, err := deaf.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	s, err := deaf.Authenticate(t.Context(), token)
	if err != nil || s.Capabilities.Has(capability.QuestionsWrite) {
		t.Errorf("got %v, %v: a process that cannot listen must ask each time", s.Capabilities, err)
	}
}

// mailed asks for a link and works on the mail job as the queue would.
func (h *house) mailed(t *testing.T) string {
	t.Helper()
	err := h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: strings.ToUpper(h.user.Email)}, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	h.workLinks(t)
	files, err := filepath.Glob(filepath.Join(h.mails, "*.eml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no mail: %v", err)
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	body := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text))
	found := regexp.MustCompile(`verify\?token=([\w-]+)`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no link in the mail:\n%s", body)
	}
	return found[1]
}

func (h *house) workLinks(t *testing.T) {
	t.Helper()
	sender, err := mail.New(config.Mail{Mode: config.MailFolder, Folder: h.mails, From: "a@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	worker := &access.LinkMailer{Store: h.store, Sender: sender, BaseURL: "http://x"}
	for _, link := range h.links(t) {
		err := worker.Work(t.Context(), &river.Job[access.MailLink]{Args: access.MailLink{Tenant: h.scope.Tenant, Link: link}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (h *house) links(t *testing.T) []ids.ID {
	t.Helper()
	var links []ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select id from magic_links where token_hash is null")
		if err != nil {
			return err
		}
		links, err = pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		return err
	})
	return links
}

func TestMagicLinkSignsInOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.TenantAdmin)
	token := h.mailed(t)
	var won atomic.Int32
	var session access.Session
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			s, err := h.authority.Redeem(t.Context(), token)
			switch {
			case err == nil:
				won.Add(1)
				session = s
			case !errors.Is(err, errs.LinkInvalid):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d tries won, want 1", won.Load())
	}
	if session.User.ID != h.user.ID || session.StepUpProof.Method != access.ByMagicLink {
		t.Errorf("got %+v", session)
	}
	if _, err := h.authority.Authenticate(t.Context(), session.Token.Token); err != nil {
		t.Error(err)
	}
}

func TestMagicLinkIsStoredAsAHashAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	token := h.mailed(t)
	conn, err := pgx.Connect(t.Context(), dbtest.Clone(t).Super)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // only read from
	var n int
	err = conn.QueryRow(t.Context(), `
		select (select count(*) from magic_links m where m::text like '%' || $1 || '%')
			+ (select count(*) from river.river_job j where j::text like '%' || $1 || '%' or j::text like '%' || $2 || '%')`,
		token, h.user.Email).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("the token or the address stands in %d rows (%v)", n, err)
	}
}

func TestLinksThatDoNotWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	change := func(sql string) func(*testing.T) {
		return func(t *testing.T) {
			sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
				_, err := tx.NewRaw(sql, h.user.ID).Exec(t.Context())
				return err
			})
		}
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T)
	}{
		{"expired", change("update magic_links set expires_at = now() - interval '1 s' where user_id = ?")},
		{"user left the org unit", change("delete from user_org_units where user_id = ?")},
		{"user deactivated", change("update users set status = 'deactivated' where id = ?")},
	} {
		t.Run(c.name, func(t *testing.T) {
			change("insert into user_org_units select tenant_id, ?, id from org_units on conflict do nothing")(t)
			token := h.mailed(t)
			c.change(t)
			if _, err := h.authority.Redeem(t.Context(), token); !errors.Is(err, errs.LinkInvalid) {
				t.Errorf("got %v, want link_invalid", err)
			}
		})
	}
	if _, err := h.authority.Redeem(t.Context(), "unknown"); !errors.Is(err, errs.LinkInvalid) {
		t.Errorf("unknown: got %v, want link_invalid", err)
	}
}

func TestUnknownAddressCostsTheSameAndLeadsNowhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	err := h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: "nobody@example.org"}, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(h.links(t)); got != 1 {
		t.Errorf("got %d links, want 1: the same work as for a known address", got)
	}
	h.workLinks(t)
	files, err := filepath.Glob(filepath.Join(h.mails, "*"))
	if err != nil || len(files) != 0 {
		t.Errorf("mailed %v (%v)", files, err)
	}
	err = h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: "no-such-tenant", Email: h.user.Email}, t.Name())
	if err != nil {
		t.Errorf("unknown tenant: %v, want the same answer", err)
	}
}

func TestStepUpProofIsConsumedByTheCallThatItAuthorises(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	proof := func(user ids.ID) ids.ID {
		var p access.Proof
		sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
			var err error
			p, err = h.authority.IssueProof(t.Context(), tx, user, access.ByOperator)
			return err
		})
		return p.ID
	}
	use := func(p ids.ID) error {
		scope := sample.As(h.scope, h.user.ID)
		scope.Proof = p
		return h.store.Write(t.Context(), scope, func(tx *db.Tx) error { return tx.RequireStepUp(t.Context()) })
	}
	good := proof(h.user.ID)
	if err := use(good); err != nil {
		t.Errorf("valid: %v", err)
	}
	expired := proof(h.user.ID)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update step_up_proofs set expires_at = now() - interval '1 s' where id = $1", expired)
		return err
	})
	var another people.User
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		another, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: ids.New().String() + "@example.org"})
		return err
	})
	for name, p := range map[string]ids.ID{"used": good, "none": ids.None, "unknown": ids.New(), "expired": expired, "another's": proof(another.ID)} {
		if err := use(p); !errors.Is(err, errs.StepUpRequired) {
			t.Errorf("%s: got %v, want step_up_required", name, err)
		}
	}
	failed := proof(h.user.ID)
	scope := sample.As(h.scope, h.user.ID)
	scope.Proof = failed
	boom := errors.New("boom")
	err := h.store.Write(t.Context(), scope, func(tx *db.Tx) error { return errors.Join(tx.RequireStepUp(t.Context()), boom) })
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if err := use(failed); err != nil {
		t.Errorf("a call that failed consumed its proof: %v", err)
	}
}

func TestLimitHoldsAcrossProcesses(t *testing.T) {
	t.Parallel()
	here, there := sample.Store(t), sample.Store(t)
	limit := access.Limit{N: 5, Per: time.Minute}
	key := ids.New().String()
	var allowed atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		store := here
		if i%2 == 0 {
			store = there
		}
		all.Go(func() {
			err := access.Allow(t.Context(), store, limit, key)
			switch {
			case err == nil:
				allowed.Add(1)
			case !errors.Is(err, errs.RateLimited):
				t.Error(err)
			case errs.Of(err).RetryAfter < time.Second || errs.Of(err).RetryAfter > 13*time.Second:
				t.Errorf("retry after %s, want about 12 s", errs.Of(err).RetryAfter)
			}
		})
	}
	all.Wait()
	if allowed.Load() != 5 {
		t.Errorf("allowed %d, want 5", allowed.Load())
	}
	if err := access.Allow(t.Context(), here, limit, key+"x"); err != nil {
		t.Errorf("another key: %v", err)
	}
}

func TestSweepDeletesWhatHasServedItsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	h.mailed(t)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.NewRaw("update magic_links set expires_at = now() - interval '2 days'").Exec(t.Context())
		return err
	})
	w := &access.Sweeper{Store: h.store, KeepIdempotency: time.Hour, TokenLifetime: time.Hour}
	err := w.Work(t.Context(), &river.Job[access.Sweep]{})
	if err != nil {
		t.Fatal(err)
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var n int
		err := tx.QueryRow(t.Context(), "select count(*) from magic_links").Scan(&n)
		if n != 0 {
			t.Errorf("got %d links, want 0", n)
		}
		return err
	})
}

// TestRedeemNeedsOneConnection redeems more links at once than there are connections,
// while the keys are not in memory: nobody may wait for a second connection.
func TestRedeemNeedsOneConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var tokens []string
	for range 12 {
		tokens = append(tokens, h.mailed(t))
	}
	fresh := access.NewAuthority(h.store, options())
	var all sync.WaitGroup
	for _, token := range tokens {
		all.Go(func() {
			if _, err := fresh.Redeem(ctx, token); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
