package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/pgdev"
)

// sitter is a candidate of a tenant of their own, who takes an exam over HTTP.
type sitter struct {
	town
	node, token, exam, session string
	item                       ids.ID
	// sent and acked number the saves.
	sent, acked int64
}

func newSitter(t *testing.T, app *apptest.App, super *pgx.Conn) *sitter {
	t.Helper()
	s := &sitter{town: town{app: app}, token: app.Token(t, capability.Candidate)}
	scope := app.Scope
	scope.All = false
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		s.exam = "/evaluations/" + sample.Published(t, tx, authoring.Settings{}, sample.Choice("A")).EvaluationID.String()
		return nil
	})
	started := answer[session.Session](t, s.send(t, request{method: http.MethodPost, path: s.exam + "/sessions", token: s.token, key: "start",
		body: map[string]any{}}), http.StatusCreated)
	s.session, s.item = s.exam+"/sessions/"+started.ID.String(), started.Sections[0].Items[0].ItemID
	err := super.QueryRow(t.Context(), "select nodename from citus_shards where shardid = get_shard_id_for_distribution_column('sessions', $1::uuid)",
		app.Tenant).Scan(&s.node)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask reads the account and the session, saves an answer, and gives the answers of the server.
func (s *sitter) ask(t *testing.T) map[string]response {
	t.Helper()
	s.sent++
	given := map[string]any{"itemId": s.item, "sequence": s.sent, "response": map[string]any{"optionIds": []string{"AB"[s.sent%2 : s.sent%2+1]}}}
	got := map[string]response{
		"GET of the account": s.send(t, request{method: http.MethodGet, path: "/users/me", token: s.token}),
		"GET of the session": s.send(t, request{method: http.MethodGet, path: s.session, token: s.token}),
		"save": s.send(t, request{method: http.MethodPost, path: s.session + "/answers", token: s.token,
			body: map[string]any{"answers": []any{given}}}),
	}
	if got["save"].status == http.StatusOK {
		s.acked = s.sent
	}
	return got
}

// goesOn calls, and wants an answer to everything.
func (s *sitter) goesOn(t *testing.T, when string) {
	t.Helper()
	for what, r := range s.ask(t) {
		if r.status != http.StatusOK {
			t.Errorf("%s: %s of a tenant of the other worker: got %d %s", when, what, r.status, r.body)
		}
	}
}

// refusal gives the code of an answer that sends the client away for a while, and none for one as usual. Others must not come.
func (r response) refusal(t *testing.T, what string) errs.Code {
	t.Helper()
	if r.status == http.StatusOK {
		return ""
	}
	var body map[string]any
	err := json.Unmarshal(r.body, &body)
	wait, waitErr := strconv.Atoi(r.header.Get("Retry-After"))
	// A save whose worker dies under its commit may have been kept.
	known := r.problem.Code == errs.DatabaseUnavailable || r.problem.Code == errs.OutcomeUnknown
	if r.status != http.StatusServiceUnavailable || !known || waitErr != nil || wait < 1 ||
		err != nil || len(body) != 2 || body["message"] != errs.Meaning(r.problem.Code) || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s: got %d %s with Retry-After %q", what, r.status, r.body, r.header.Get("Retry-After"))
	}
	return r.problem.Code
}

// While a worker is away its tenants are told to come again and the others go on; when it is back, everything goes on by
// itself, and every answer that was acknowledged is there.
func TestAWorkerThatIsAwayConcernsItsTenantsAlone(t *testing.T) {
	t.Parallel()
	own, urls := dbtest.OwnCluster(t)
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.Background()) //nolint:errcheck // nothing hangs on it
	app := apptest.Over(t, urls)
	there := newSitter(t, app, super)
	elsewhere := newSitter(t, app.NewTenant(t), super)
	for elsewhere.node == there.node {
		elsewhere = newSitter(t, app.NewTenant(t), super)
	}
	there.goesOn(t, "before")
	elsewhere.goesOn(t, "before")
	worker := nodeAt(t, own, there.node)
	if err := worker.Kill(); err != nil {
		t.Fatal(err)
	}
	// A process that has not noticed yet that its postmaster is dead still answers.
	there.until(t, elsewhere, errs.DatabaseUnavailable)
	for range 3 {
		for what, r := range there.ask(t) {
			if r.refusal(t, what) != errs.DatabaseUnavailable {
				t.Errorf("%s while the worker is away: got %d %s", what, r.status, r.body)
			}
		}
		elsewhere.goesOn(t, "away")
	}
	if err := worker.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	there.until(t, elsewhere, "")
	for _, s := range []*sitter{there, elsewhere} {
		got := answer[session.Session](t, s.send(t, request{method: http.MethodGet, path: s.session, token: s.token}), http.StatusOK)
		if len(got.Answers) != 1 || got.Answers[0].Sequence < s.acked {
			t.Errorf("answer %d was acknowledged, and there is %+v", s.acked, got.Answers)
		}
	}
}

// until calls for both tenants, until each call of the first is refused like this, or answered where it is not to be refused.
func (s *sitter) until(t *testing.T, elsewhere *sitter, want errs.Code) {
	t.Helper()
	await.Until(t, "answers "+string(want), func() bool {
		elsewhere.goesOn(t, "meanwhile")
		all := true
		for what, r := range s.ask(t) {
			all = r.refusal(t, what) == want && all
		}
		return all || t.Failed()
	})
}

func nodeAt(t *testing.T, of *pgdev.Cluster, host string) *pgdev.Server {
	t.Helper()
	for _, node := range of.Nodes {
		config, err := pgx.ParseConfig(node.SuperURL("postgres"))
		if err == nil && config.Host == host {
			return node
		}
	}
	t.Fatalf("no node is %s", host)
	return nil
}
