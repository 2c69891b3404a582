package access_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
)

// mailed requests a link and works on the mail job as the queue would.
func (h *house) mailed(t *testing.T) string {
	t.Helper()
	err := h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: strings.ToUpper(h.user.Email)}, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return h.newestMail(t)
}

// newestMail works on the mail jobs and gives the token in the newest mail.
func (h *house) newestMail(t *testing.T) string {
	t.Helper()
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
		rows, err := tx.Query(t.Context(), "select id from magic_links where tenant_id = $1 and token_hash is null and code_hash is null", tx.Tenant())
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
			s, err := h.authority.Redeem(t.Context(), token, "")
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
	// Bytes show as hex in the text of a row.
	rows := func(what string) (n int) {
		err := conn.QueryRow(t.Context(), `
			select (select count(*) from magic_links m where position($1 in m::text) > 0)
				+ (select count(*) from river.river_job j where position($1 in j::text) > 0)`, what).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for name, clear := range map[string]string{"token": token, "token as bytes": fmt.Sprintf("%x", token), "address": h.user.Email} {
		if n := rows(clear); n != 0 {
			t.Errorf("the %s stands in %d rows", name, n)
		}
	}
	if n := rows(fmt.Sprintf("%x", sha256.Sum256([]byte(token)))); n != 1 {
		t.Errorf("the search finds the hash in %d rows, want 1", n)
	}
}

func TestLinksThatDoNotWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	change := func(sql string) func(*testing.T) {
		return func(t *testing.T) { sample.ChangeAccess(t, h.store, h.scope, sql, h.user.ID) }
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T)
	}{
		{"expired", change("update magic_links set expires_at = now() - interval '1 s' where tenant_id = $1 and user_id = $2")},
		{"user left the org unit", change("delete from user_org_units where tenant_id = $1 and user_id = $2")},
		{"user deactivated", change("update users set status = 'deactivated' where tenant_id = $1 and id = $2")},
	} {
		t.Run(c.name, func(t *testing.T) {
			change("insert into user_org_units select tenant_id, $2, id from org_units where tenant_id = $1 on conflict do nothing")(t)
			token := h.mailed(t)
			c.change(t)
			if _, err := h.authority.Redeem(t.Context(), token, ""); !errors.Is(err, errs.LinkInvalid) {
				t.Errorf("got %v, want link_invalid", err)
			}
		})
	}
	token := h.mailed(t)
	other := sample.Tenant(t, h.store).Tenant
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"unknown": "unknown", "empty": "", "cut short": token[:60],
		"under another tenant": base64.RawURLEncoding.EncodeToString(append(other[:], raw[16:]...)),
		"of no tenant":         base64.RawURLEncoding.EncodeToString(make([]byte, len(raw))),
	} {
		if _, err := h.authority.Redeem(t.Context(), token, ""); !errors.Is(err, errs.LinkInvalid) {
			t.Errorf("%s: got %v, want link_invalid", name, err)
		}
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
}

// Everybody who requests a link has the same work done, known or not: the statements sent to the database and the rows
// written there tell nobody apart.
func TestTheSameWorkIsDoneForEverybody(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	wire := dbtest.Wire{Apart: "PGNotify"} // the queue wakes its workers so many times a second at most
	far, err := db.Open(t.Context(), db.Options{URL: wire.Through(t, urls.App), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	first := access.NewAuthority(far, options())
	for _, tenant := range []string{"nobody", "somebody"} { // a service without a tenant
		err := first.RequestLink(t.Context(), access.LoginInput{Tenant: tenant, Email: "a@example.org"}, t.Name())
		if err != nil {
			t.Fatal(err)
		}
	}
	near, err := db.Open(t.Context(), db.Options{URL: urls.App, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(near.Close)
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = super.Close(context.WithoutCancel(t.Context())) })
	h := furnish(t, near, capability.Author)
	type work struct {
		trips            int64
		links, jobs, own int
	}
	var before work
	ask := func(in access.LoginInput) work {
		t.Helper()
		trips := wire.Syncs.Load()
		err := first.RequestLink(t.Context(), in, t.Name())
		w := work{trips: wire.Syncs.Load() - trips}
		if err != nil {
			t.Fatal(err)
		}
		err = super.QueryRow(t.Context(), `select (select count(*) from magic_links), (select count(*) from magic_links where user_id is not null),
			(select count(*) from river.river_job where kind = 'mail_link')`).Scan(&w.links, &w.own, &w.jobs)
		if err != nil {
			t.Fatal(err)
		}
		total := w
		w.links, w.own, w.jobs = w.links-before.links, w.own-before.own, w.jobs-before.jobs
		before = total
		return w
	}
	known := access.LoginInput{Tenant: h.slug, Email: h.user.Email}
	ask(known) // prepares the statements
	want := ask(known)
	if want.links != 1 || want.jobs != 1 || want.own != 1 {
		t.Fatalf("for a known address: %+v", want)
	}
	want.own = 0
	for name, in := range map[string]access.LoginInput{
		"an unknown address":        {Tenant: h.slug, Email: "nobody@example.org"},
		"no address":                {Tenant: h.slug, Email: "no address"},
		"another org unit":          {Tenant: h.slug, Email: h.user.Email, OrgUnit: "elsewhere"},
		"an unknown tenant":         {Tenant: "a", Email: h.user.Email},
		"what cannot name a tenant": {Tenant: "Ä b", Email: h.user.Email},
	} {
		want.links = 0 // of an unknown tenant there is none to keep
		if in.Tenant == h.slug {
			want.links = 1
		}
		if got := ask(in); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
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
			if _, err := fresh.Redeem(ctx, token, ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
