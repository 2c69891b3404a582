package apptest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"assess/config"
	"assess/pkg/author/media"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
	"assess/pkg/report/projection"
	"assess/pkg/surface/httpapi"
	"assess/pkg/trust/centre"
	"assess/pkg/trust/glassbox"
	"assess/pkg/trust/translog"
)

// App is a running service. Scope is the scope of an operator over the tenant; users and their work
// live in OrgUnit, and OtherOrgUnit is there to be out of reach.
type App struct {
	URL          string
	Store        *db.Store
	Authority    *access.Authority
	Files        *media.Files
	Evidence     *evidence.Files
	Blobs        *blob.Store
	Scope        db.Scope
	Tenant       ids.ID
	OrgUnit      ids.ID
	OtherOrgUnit ids.ID
	// Log gets all that the next service says, where somebody wants to read it.
	Log io.Writer

	config config.Config
	caller *http.Client
}

// Start runs the service until the test ends. Each change may alter the settings, which
// start from config.Default with the test's own database.
func Start(t testing.TB, changes ...func(*config.Config)) *App {
	t.Helper()
	return Over(t, dbtest.Fresh(t), changes...)
}

// Over is Start with a database of the caller's.
func Over(t testing.TB, database dbtest.URLs, changes ...func(*config.Config)) *App {
	t.Helper()
	return start(t, database, t.TempDir(), changes...).NewTenant(t)
}

// start runs a service without a tenant over a database and a folder.
func start(t testing.TB, database dbtest.URLs, folder string, changes ...func(*config.Config)) *App {
	t.Helper()
	c := config.Default()
	c.Auth = sample.Auth()
	c.Database.URL = database.App
	c.Blob.URL = "file://" + folder
	for _, change := range changes {
		change(&c)
	}
	store := open(t, c)
	blobs, err := blob.Open(t.Context(), c.Blob.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	app := &App{Store: store, Authority: access.NewAuthority(store, c.Auth), Blobs: blobs, config: c, caller: outgoing.New(outgoing.Rules{}),
		Files: media.NewFiles(store, blobs), Evidence: evidence.NewFiles(store, blobs, c.Blob)}
	app.serve(t, c)
	return app
}

func open(t testing.TB, c config.Config) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{URL: c.Database.URL, MaxConns: c.Database.MaxConns,
		ReportMaxConns: c.Database.ReportMaxConns, LockTimeout: c.Database.LockTimeout,
		StatementTimeout: c.Database.StatementTimeout, KeySecret: c.Auth.KeySecret, BaseURL: sample.BaseURL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// Another gives a second process over the same database and files, with its own connections and caches.
func (a *App) Another(t testing.TB) *App {
	t.Helper()
	other := *a
	other.Store = open(t, a.config)
	other.Authority = access.NewAuthority(other.Store, a.config.Auth)
	other.Files, other.Evidence = media.NewFiles(other.Store, a.Blobs), evidence.NewFiles(other.Store, a.Blobs, a.config.Blob)
	other.serve(t, a.config)
	return &other
}

// Calling gives a second process that calls addresses which somebody typed with this client.
func (a *App) Calling(t testing.TB, client *http.Client) *App {
	t.Helper()
	other := *a
	other.caller = client
	return other.Another(t)
}

// NewTenant gives the same service with another tenant.
func (a *App) NewTenant(t testing.TB) *App {
	t.Helper()
	other := *a
	other.Scope = sample.Tenant(t, a.Store)
	other.Tenant, other.OrgUnit = other.Scope.Tenant, other.Scope.OrgUnit
	sample.Write(t, a.Store, other.Scope, func(tx *db.Tx) error {
		other.OtherOrgUnit = sample.OrgUnit(t, tx, "other").ID
		return nil
	})
	return &other
}

// serve opens the interface and follows changes of roles in the background.
func (a *App) serve(t testing.TB, c config.Config) {
	t.Helper()
	said := []slog.Handler{slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})}
	if a.Log != nil {
		said = append(said, slog.NewJSONHandler(a.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	log := slog.New(slog.NewMultiHandler(said...))
	server, err := httpapi.New(httpapi.Parts{Store: a.Store, Authority: a.Authority, Desk: session.NewDesk(), Files: a.Files, Evidence: a.Evidence,
		Compliance: centre.New(a.Store, a.Blobs, c), Glass: glassbox.NewDesk(a.Authority, c), Config: c.HTTP, Outgoing: a.caller, Mails: c.ShownMail(), Metrics: c.Metrics.Enabled, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(heldToForms(t, server.Handler()))
	a.URL = listener.URL
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.Authority.Follow(ctx, log)
	}()
	t.Cleanup(func() {
		listener.Close()
		cancel()
		<-done
	})
}

// Token makes a user of the org unit with these system roles and gives a token for them.
func (a *App) Token(t testing.TB, roles ...string) string {
	t.Helper()
	var token access.Token
	sample.Write(t, a.Store, a.Scope, func(tx *db.Tx) error {
		user := sample.User(t, tx, roles...)
		var err error
		token, err = a.Authority.IssueToken(t.Context(), tx, user.ID, a.OrgUnit)
		return err
	})
	return token.Token
}

// Proof gives a fresh step-up proof for the user of a token.
func (a *App) Proof(t testing.TB, token string) string {
	t.Helper()
	scope, err := a.Authority.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	var proof access.Proof
	sample.Write(t, a.Store, a.Scope, func(tx *db.Tx) error {
		var err error
		proof, err = a.Authority.IssueProof(t.Context(), tx, scope.Actor.ID, access.ByMagicLink)
		return err
	})
	return proof.ID.String()
}

// Sequence brings the log of the tenant up to date, up to a checkpoint.
func (a *App) Sequence(t testing.TB) {
	t.Helper()
	logs := translog.Service{Store: a.Store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	done, err := logs.Sequence(t.Context(), a.Tenant)
	if err != nil || done.Busy {
		t.Fatalf("got %+v, %v", done, err)
	}
}

// Project brings the reports up to date: it empties the outbox and recomputes the
// percentiles of all questions that changed.
func (a *App) Project(t testing.TB) {
	t.Helper()
	scope := db.System(a.Tenant, "test")
	for _, step := range []func(context.Context, *db.Tx, int) (int, error){projection.ProjectBatch, projection.RecomputePercentiles} {
		for n := 1; n > 0; {
			sample.Write(t, a.Store, scope, func(tx *db.Tx) error {
				var err error
				n, err = step(t.Context(), tx, projection.BatchSize)
				return err
			})
		}
	}
}
