package webhook_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
	"assess/pkg/trust/translog"
	"assess/pkg/trust/webhook"
)

// house is a tenant, and a receiver that listens on the machine itself.
type house struct {
	t      *testing.T
	store  *db.Store
	scope  db.Scope
	urls   dbtest.URLs
	super  *pgx.Conn
	server *httptest.Server
	client *http.Client

	mu     sync.Mutex
	got    []received
	answer http.HandlerFunc
}

type received struct {
	path, id string
	header   http.Header
	body     []byte
	message  webhook.Message
}

func newHouse(t *testing.T) *house {
	t.Helper()
	urls := dbtest.Fresh(t)
	h := &house{t: t, urls: urls, store: dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 12, KeySecret: sample.KeySecret}), super: dbtest.Heap(t, urls)}
	h.scope = sample.Tenant(t, h.store)
	h.server = httptest.NewTLSServer(http.HandlerFunc(h.receive))
	t.Cleanup(h.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(h.server.Certificate())
	h.client = outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Roots: roots,
		Port: netip.MustParseAddrPort(h.server.Listener.Addr().String()).Port()})
	return h
}

func (h *house) receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	one := received{path: r.URL.Path, id: r.Header.Get(webhook.HeaderID), header: r.Header, body: body}
	_ = json.Unmarshal(body, &one.message)
	h.mu.Lock()
	h.got = append(h.got, one)
	answer := h.answer
	h.mu.Unlock()
	if answer != nil {
		answer(w, r)
	}
}

func (h *house) answers(how http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = how
}

func (h *house) calls() []received {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]received(nil), h.got...)
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	_, err := h.super.Exec(h.t.Context(), sql, args...)
	if err != nil {
		h.t.Fatal(err)
	}
}

// endpoint makes one that leads to the receiver.
func (h *house) endpoint(scope db.Scope, path string, input webhook.Input) webhook.Made {
	h.t.Helper()
	input.URL = "https://example.org/hooks"
	if input.Events == nil {
		input.Events = webhook.Types()
	}
	made := write(h, scope, func(ctx context.Context, tx *db.Tx) (webhook.Made, error) { return webhook.Create(ctx, tx, input) })
	h.exec("update webhook_endpoints set url = $2 where id = $1", made.ID, h.server.URL+path)
	return made
}

func write[T any](h *house, scope db.Scope, do func(context.Context, *db.Tx) (T, error)) T {
	h.t.Helper()
	var got T
	sample.Write(h.t, h.store, scope, func(tx *db.Tx) error {
		var err error
		got, err = do(h.t.Context(), tx)
		return err
	})
	return got
}

// say writes events into the ledger that endpoints are told of.
func (h *house) say(n int, org ids.ID) {
	h.t.Helper()
	sample.Write(h.t, h.store, h.scope, func(tx *db.Tx) error {
		var all []ledger.Event
		for range n {
			all = append(all, ledger.Event{Type: "assignment.created", SubjectType: "assignment", SubjectID: ids.New(), OrgUnit: org})
		}
		return ledger.Append(h.t.Context(), tx, all...)
	})
}

func (h *house) deliverer() *webhook.Deliverer {
	d := webhook.NewDeliverer(h.store, h.client, "https://assess.example.org/", slog.New(slog.DiscardHandler))
	return d.Dying(func() bool { return false })
}

// run lets a deliverer work until something is so.
func (h *house) run(what string, so func() bool) {
	h.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(h.t.Context()))
	var all sync.WaitGroup
	d := h.deliverer()
	all.Go(func() { d.Run(ctx) })
	await.Until(h.t, what, so)
	stop()
	all.Wait()
}

func one[T any](h *house, sql string, args ...any) T {
	h.t.Helper()
	var got T
	err := h.super.QueryRow(h.t.Context(), sql, args...).Scan(&got)
	if err != nil {
		h.t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// settled says whether nothing new is to be told, and every delivery has been tried.
func (h *house) settled() bool {
	return one[bool](h, `select not exists (select from webhook_deliveries where state = 'due' and attempts = 0)
		and not exists (select from webhook_cursors c join ledger_heads l on l.tenant_id = c.tenant_id where l.last_seq > c.seq)
		and not exists (select from webhook_endpoints where replay_next is not null)`)
}

// handIn has somebody take an exam, and the log take it up.
func (h *house) handIn() (user, submission ids.ID) {
	h.t.Helper()
	var snapshot authoring.Snapshot
	sample.Write(h.t, h.store, h.scope, func(tx *db.Tx) error {
		user = sample.User(h.t, tx, "Candidate").ID
		snapshot = sample.Published(h.t, tx, authoring.Settings{}, sample.Choice("A"))
		return nil
	})
	sample.Write(h.t, h.store, sample.As(h.scope, user, "sessions.take"), func(tx *db.Tx) error {
		submission = sample.Submission(h.t, tx, session.NewDesk(), snapshot, `{"optionIds":["A"]}`).SubmissionID
		return nil
	})
	sample.Write(h.t, h.store, db.System(h.scope.Tenant, "projector"), func(tx *db.Tx) error {
		_, err := projection.ProjectBatch(h.t.Context(), tx, 100)
		return err
	})
	h.sequence()
	return user, submission
}

// sequence brings the log up to date.
func (h *house) sequence() {
	h.t.Helper()
	logs := translog.Service{Store: h.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	_, err := logs.Sequence(h.t.Context(), h.scope.Tenant)
	if err != nil {
		h.t.Fatal(err)
	}
}

// Somebody takes an exam: its receiver is told with signatures that hold, as a CloudEvent, without names and without scores.
func TestASubmissionIsTold(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	plain := h.endpoint(h.scope, "/plain", webhook.Input{})
	h.endpoint(h.scope, "/scores", webhook.Input{IncludeScores: true})
	user, submission := h.handIn()
	h.run("everything is sent", h.settled)
	secret, err := webhook.Secret(plain.Secret)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]webhook.Data{}
	for _, c := range h.calls() {
		if c.path == "/plain" {
			if err := webhook.Verify(c.header, c.body, secret, time.Now()); err != nil {
				t.Errorf("%s: %v", c.message.Type, err)
			}
		}
		for name, want := range map[string]string{"ce-specversion": "1.0", "ce-type": c.message.Type, "ce-id": c.id, "ce-source": "https://assess.example.org"} {
			if got := c.header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		seen[c.path+" "+c.message.Type] = c.message.Data
	}
	for _, path := range []string{"/plain", "/scores"} {
		completed, scored := seen[path+" "+webhook.SubmissionCompleted], seen[path+" "+webhook.SubmissionScored]
		if completed.SubmissionID == nil || *completed.SubmissionID != submission || *completed.UserID != user || completed.StateHash == "" || completed.Score != nil {
			t.Errorf("%s: completed is %+v", path, completed)
		}
		if withScore := scored.Score != nil && *scored.Score == 1 && scored.Outcome != ""; withScore != (path == "/scores") {
			t.Errorf("%s: scored is %+v", path, scored)
		}
	}
	// A second run tells nothing twice.
	n := len(h.calls())
	h.sequence()
	h.run("everything is sent", h.settled)
	if got := len(h.calls()); got != n {
		t.Errorf("%d calls more", got-n)
	}
	// Told again, it has the ids of before.
	ids := map[string]bool{}
	for _, c := range h.calls() {
		ids[c.path+c.id] = true
	}
	write(h, h.scope, func(ctx context.Context, tx *db.Tx) (webhook.Replay, error) {
		return webhook.ReplayEvents(ctx, tx, plain.ID, webhook.ReplayInput{From: tx.Now().Add(-time.Hour)})
	})
	h.run("everything is sent again", h.settled)
	again := 0
	for _, c := range h.calls()[n:] {
		if again++; !ids[c.path+c.id] {
			t.Errorf("%s came under another id", c.message.Type)
		}
	}
	if again < 2 {
		t.Errorf("%d calls came again", again)
	}
}

// An endpoint of an org unit hears nothing of another, nor of the tenant; and nobody reads or changes one out of their reach.
func TestAnEndpointHearsItsOrgUnitOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var other ids.ID
	var user ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		other = sample.OrgUnit(t, tx, "other").ID
		user = sample.User(t, tx, "Tenant Admin").ID
		return nil
	})
	h.endpoint(h.scope, "/all", webhook.Input{})
	theirs := h.endpoint(h.scope, "/other", webhook.Input{OrgUnitID: &other})
	narrow := sample.As(h.scope, user, capability.IntegrationsManage)
	h.endpoint(narrow, "/home", webhook.Input{})
	h.say(2, h.scope.OrgUnit)
	h.say(3, other)
	h.say(4, ids.None)
	h.run("everything is sent", h.settled)
	got := map[string]int{}
	for _, c := range h.calls() {
		got[c.path]++
	}
	if got["/all"] != 9 || got["/other"] != 3 || got["/home"] != 2 {
		t.Errorf("got %v, want 9 for the tenant, 3 for the other and 2 for the own org unit", got)
	}
	for name, do := range map[string]func(ctx context.Context, tx *db.Tx) error{
		"read": func(ctx context.Context, tx *db.Tx) error { _, err := webhook.Get(ctx, tx, theirs.ID); return err },
		"change": func(ctx context.Context, tx *db.Tx) error {
			_, err := webhook.Update(ctx, tx, theirs.ID, webhook.Patch{})
			return err
		},
		"delete": func(ctx context.Context, tx *db.Tx) error { return webhook.Delete(ctx, tx, theirs.ID) },
		"rotate": func(ctx context.Context, tx *db.Tx) error { _, err := webhook.Rotate(ctx, tx, theirs.ID); return err },
		"test":   func(ctx context.Context, tx *db.Tx) error { _, err := webhook.SendTest(ctx, tx, theirs.ID); return err },
		"deliverie": func(ctx context.Context, tx *db.Tx) error {
			_, err := webhook.ListDeliveries(ctx, tx, theirs.ID, webhook.DeliveryFilter{})
			return err
		},
		"make": func(ctx context.Context, tx *db.Tx) error {
			_, err := webhook.Create(ctx, tx, webhook.Input{URL: "https://example.org", Events: webhook.Types(), OrgUnitID: &other})
			return err
		},
	} {
		err := h.store.Write(t.Context(), narrow, func(tx *db.Tx) error { return do(t.Context(), tx) })
		if !errors.Is(err, errs.NotFound) {
			t.Errorf("%s: got %v, want not_found", name, err)
		}
	}
	err := h.store.Write(t.Context(), narrow, func(tx *db.Tx) error {
		_, err := webhook.Create(t.Context(), tx, webhook.Input{URL: "https://example.org", Events: webhook.Types(), IncludeScores: true})
		return err
	})
	if !errors.Is(err, errs.Forbidden) {
		t.Errorf("scores without reporting.view: got %v", err)
	}
}

func TestAddressesThatAreNeverCalledAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, address := range []string{"http://example.org/", "https://example.org:8443/", "https://u:p@example.org/", "https://", "ftp://example.org", "https://localhost/",
		"https://127.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "https://169.254.169.254/latest", "https://example.org/#x"} {
		err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error {
			_, err := webhook.Create(t.Context(), tx, webhook.Input{URL: address, Events: webhook.Types()})
			return err
		})
		if !errors.Is(err, errs.URLNotAllowed) {
			t.Errorf("%s: got %v, want url_not_allowed", address, err)
		}
	}
}

// The receiver's answer decides what becomes of a delivery and of the endpoint.
func TestWhatReceiversAnswerCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer        http.HandlerFunc
		state, reason string
		least, most   time.Duration
		// client changes the one that calls, and calls are how many arrive.
		client func(*http.Client)
		none   bool
	}{
		"an error":     {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, state: "active", least: 4 * time.Second, most: 6 * time.Second},
		"a redirect":   {answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, state: "active", least: 4 * time.Second, most: 6 * time.Second},
		"wait a while": {answer: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "600"); w.WriteHeader(503) }, state: "active", least: 599 * time.Second, most: 601 * time.Second},
		"wait for ever": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999")
			w.WriteHeader(429)
		}, state: "active", least: 23 * time.Hour, most: 25 * time.Hour},
		"gone":        {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, state: "disabled", reason: "gone", most: time.Hour},
		"it hangs up": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, state: "active", least: 4 * time.Second, most: 6 * time.Second},
		"it is slow": {answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, state: "active", least: 4 * time.Second, most: 6 * time.Second,
			client: func(c *http.Client) { c.Timeout = 100 * time.Millisecond }}, // in place of 15 s
		"its name leads to the inside by now": {state: "active", least: 4 * time.Second, most: 6 * time.Second, none: true,
			client: func(c *http.Client) { *c = *outgoing.New(outgoing.Rules{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.answers(test.answer)
			if test.client != nil {
				test.client(h.client)
			}
			made := h.endpoint(h.scope, "/x", webhook.Input{})
			start := one[time.Time](h, "select clock_timestamp()")
			h.say(1, ids.None)
			h.run("it was tried", func() bool { return one[bool](h, "select exists (select from webhook_deliveries where attempts = 1)") })
			state, reason := one[string](h, "select state from webhook_endpoints where id = $1", made.ID), one[string](h, "select coalesce(disabled_reason, '') from webhook_endpoints where id = $1", made.ID)
			wait := time.Duration(one[float64](h, "select extract(epoch from next_at - $1)::float8 from webhook_deliveries", start) * float64(time.Second))
			slow := one[time.Time](h, "select clock_timestamp()").Sub(start)
			if state != test.state || reason != test.reason || wait < test.least || wait > test.most+slow {
				t.Errorf("the endpoint is %s (%s), and the next call in %v", state, reason, wait)
			}
			if n := len(h.calls()); n != 1 && !test.none || test.none && n > 0 {
				t.Errorf("%d calls: a redirect is not followed, and nothing on the inside is called", n)
			}
			if test.state == "active" {
				return
			}
			err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error { _, err := webhook.SendTest(t.Context(), tx, made.ID); return err })
			if !errors.Is(err, errs.WebhookDisabled) {
				t.Errorf("got %v, want webhook_disabled", err)
			}
		})
	}
}

// A receiver that is away for an hour gets what it missed; one that is away for three days is disabled, and its maker gets a mail.
func TestAReceiverThatIsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var user ids.ID
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		user = sample.User(t, tx, "Tenant Admin").ID
		return nil
	})
	made := h.endpoint(sample.As(h.scope, user, capability.IntegrationsManage, capability.ScopeAll), "/x", webhook.Input{})
	h.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) })
	h.say(3, ids.None)
	tries := 0
	pass := func() {
		tries++
		h.run(fmt.Sprintf("try %d", tries), func() bool {
			return one[int](h, "select count(*)::int from webhook_deliveries where attempts >= $1", tries) == 3
		})
	}
	pass()
	pass2 := func(d string) {
		h.exec("update webhook_deliveries set next_at = next_at - $1::interval", d)
		h.exec("update webhook_endpoints set failing_since = failing_since - $1::interval", d)
	}
	pass2("1 hour")
	pass()
	pass2("1 hour")
	h.answers(nil)
	h.run("it has them all", func() bool {
		return one[int](h, "select count(*)::int from webhook_deliveries where state = 'sent'") == 3
	})
	if since := one[bool](h, "select failing_since is null from webhook_endpoints"); !since {
		t.Error("it still counts as failing")
	}
	h.answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) })
	h.say(1, ids.None)
	h.run("it fails", func() bool { return one[bool](h, "select failing_since is not null from webhook_endpoints") })
	pass2("73 hours")
	h.run("it is disabled", func() bool { return one[string](h, "select state from webhook_endpoints") == "disabled" })
	if n := one[int](h, "select count(*)::int from river.river_job where kind = 'mail_webhook_disabled' and args ->> 'endpoint' = $1", made.ID.String()); n != 1 {
		t.Errorf("%d mails to its maker, want 1", n)
	}
	if sum := func() (all time.Duration) {
		for _, r := range webhook.Retries {
			all += r
		}
		return all
	}(); sum < 72*time.Hour {
		t.Errorf("a delivery is given up after %v", sum)
	}
}

// Nothing is told of somebody who was forgotten, however the ledger comes to be read again; the end of the job is told without them.
func TestNothingIsToldOfTheForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.endpoint(h.scope, "/x", webhook.Input{})
	user, _ := h.handIn()
	kept := write(h, h.scope, func(_ context.Context, tx *db.Tx) (ids.ID, error) { return sample.User(t, tx, "Candidate").ID, nil })
	for _, id := range []ids.ID{user, kept} {
		write(h, h.scope, func(ctx context.Context, tx *db.Tx) (people.User, error) { return people.DeactivateUser(ctx, tx, id) })
	}
	// A change of something else is none of the status, although it is still the same.
	name := "Another name"
	write(h, h.scope, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		return people.UpdateUser(ctx, tx, kept, people.UserPatch{Name: &name})
	})
	h.run("everything is sent", h.settled)
	told := func(from int) map[string]int {
		all := map[string]int{}
		for _, c := range h.calls()[from:] {
			all[c.message.Type]++
			if c.message.Data.UserID != nil && *c.message.Data.UserID == user {
				all["of the person"]++
			}
		}
		return all
	}
	if got := told(0); got[webhook.UserDeactivated] != 2 || got["of the person"] < 3 {
		t.Errorf("before: %v", got)
	}
	n := len(h.calls())
	h.exec("update users set email = id || '@erased.invalid' where id = $1", user)
	h.exec("delete from webhook_deliveries where user_id = $1", user)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return ledger.Append(t.Context(), tx, ledger.Event{Type: "forget.completed", SubjectType: "user", SubjectID: user, Payload: map[string]any{"jobId": ids.New()}})
	})
	write(h, h.scope, func(ctx context.Context, tx *db.Tx) (webhook.Replay, error) {
		return webhook.ReplayEvents(ctx, tx, made.ID, webhook.ReplayInput{From: tx.Now().Add(-time.Hour)})
	})
	h.run("everything is sent again", h.settled)
	if got := told(n); got[webhook.UserDeactivated] != 1 || got[webhook.JobCompleted] != 1 || got["of the person"] != 0 {
		t.Errorf("after: %v", got)
	}
	if left := one[int](h, "select count(*)::int from webhook_deliveries where user_id = $1", user); left != 0 {
		t.Errorf("%d deliveries are kept of the person", left)
	}
}

// The task of a recipient of data goes only to its own webhook, whatever that subscribes to; also when the person is erased by then.
func TestARecipientIsToldOfItsTasks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	theirs := h.endpoint(h.scope, "/recipient", webhook.Input{Events: []string{webhook.EvaluationPublished}})
	h.endpoint(h.scope, "/other", webhook.Input{})
	var people []ids.ID
	var events []ledger.Event
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		for n, kind := range []string{"rectification", "erasure", "objection"} {
			people = append(people, sample.User(t, tx, "Candidate").ID)
			payload := map[string]any{"taskId": ids.New(), "kind": kind, "webhookId": theirs.ID}
			if kind == "objection" {
				payload["webhookId"] = nil // this recipient is told by mail
			}
			events = append(events, ledger.Event{Type: "recipient_task.created", SubjectType: "user", SubjectID: people[n], Payload: payload})
		}
		return nil
	})
	h.exec("update users set email = id || '@erased.invalid' where id = $1", people[1])
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error { return ledger.Append(t.Context(), tx, events...) })
	h.run("everything is sent", h.settled)
	got := map[string]ids.ID{}
	for _, c := range h.calls() {
		if c.path != "/recipient" || c.message.Type != webhook.RecipientTask || c.message.Data.TaskID == nil {
			t.Errorf("%s got %+v", c.path, c.message)
			continue
		}
		got[c.message.Data.What] = *c.message.Data.UserID
	}
	if len(got) != 2 || got["rectification"] != people[0] || got["erasure"] != people[1] {
		t.Errorf("got %v", got)
	}
	if left := one[int](h, "select count(*)::int from webhook_deliveries where user_id = $1", people[1]); left != 0 {
		t.Errorf("%d deliveries are kept of the erased person", left)
	}
}

// After a rotation both secrets verify for a day, and then only the new one.
func TestTwoSecretsAfterARotation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	before := h.endpoint(h.scope, "/x", webhook.Input{})
	after := write(h, h.scope, func(ctx context.Context, tx *db.Tx) (webhook.Made, error) { return webhook.Rotate(ctx, tx, before.ID) })
	good := func(secret string) bool {
		all := h.calls()
		last := all[len(all)-1]
		key, err := webhook.Secret(secret)
		return err == nil && webhook.Verify(last.header, last.body, key, time.Now()) == nil
	}
	h.say(1, ids.None)
	h.run("it is sent", func() bool { return len(h.calls()) == 1 })
	if !good(before.Secret) || !good(after.Secret) {
		t.Error("one of the secrets does not verify")
	}
	h.exec("update webhook_endpoints set before_until = now() - interval '1 second'")
	h.say(1, ids.None)
	h.run("it is sent", func() bool { return len(h.calls()) == 2 })
	if good(before.Secret) || !good(after.Secret) {
		t.Error("after a day only the new secret verifies")
	}
	if stored := one[string](h, "select encode(sealed_secret, 'escape') from webhook_endpoints"); strings.Contains(stored, after.Secret[6:]) {
		t.Error("the secret stands in the table")
	}
}

// When its turn is over, a process gives the endpoint up, and the next one, or the same, goes on at once: nobody waits for a lease to
// run out.
func TestAnEndpointWithALotToHearIsSentToOnAndOn(t *testing.T) {
	t.Parallel()
	const events = 1100 // more than two turns of 20 rounds with 25 calls
	h := newHouse(t)
	h.endpoint(h.scope, "/x", webhook.Input{})
	h.say(events, ids.None)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	d := webhook.NewDeliverer(h.store, h.client, "https://assess.example.org", slog.New(slog.DiscardHandler)).Restless()
	var all sync.WaitGroup
	all.Go(func() { d.Run(ctx) })
	await.Until(t, "everything is sent", func() bool { return len(h.calls()) >= events })
	stop()
	all.Wait()
}

// Deliverers that die anywhere, two at a time, lose nothing: each event reaches each endpoint.
func TestNothingIsLostWhenDeliverersDie(t *testing.T) {
	t.Parallel()
	const events, endpoints = 300, 5
	h := newHouse(t)
	for i := range endpoints {
		h.endpoint(h.scope, fmt.Sprintf("/%d", i), webhook.Input{})
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var all sync.WaitGroup
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // so that a failure comes again
	dies := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(8) == 0
	}
	for range 2 {
		d := h.deliverer().Dying(dies)
		all.Go(func() { d.Run(ctx) })
	}
	for range 10 {
		h.say(events/10, ids.None)
	}
	await.Until(t, "everything is sent", func() bool {
		return one[int](h, "select count(*)::int from webhook_deliveries where state = 'sent'") == events*endpoints
	})
	stop()
	all.Wait()
	seen := map[string]int{}
	for _, c := range h.calls() {
		seen[c.path+c.id]++
	}
	if len(seen) != events*endpoints {
		t.Errorf("%d of %d events arrived", len(seen), events*endpoints)
	}
	if len(h.calls()) == len(seen) {
		t.Error("nothing came twice: no deliverer died")
	}
}
