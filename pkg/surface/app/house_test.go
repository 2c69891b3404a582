package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assess/migrations"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/access"
)

// house is a durable PostgreSQL of its own with a tenant, an exam, candidates and somebody
// of the staff, and the address that assessd listens on.
type house struct {
	pg         *pgdev.Server
	options    pgdev.Options
	store      *db.Store
	scope      db.Scope
	token      string
	staff      ids.ID
	evaluation ids.ID
	version    ids.ID
	questions  []ids.ID
	users      []ids.ID
	address    string
	mails      string
	blobs      string
	email      string
	slug       string
	mu         sync.Mutex
}

const database = "assess"

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{options: pgdev.Options{Dir: t.TempDir(), Durable: true}, address: freeAddress(t), mails: t.TempDir(), blobs: t.TempDir()}
	var err error
	h.pg, err = pgdev.Start(t.Context(), h.options)
	if errors.Is(err, pgdev.ErrNoPrograms) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := h.pg.Shutdown(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Error(err)
		}
		// As root the cluster lies outside the test's own folder.
		err = os.RemoveAll(h.pg.Home())
		if err != nil {
			t.Error(err)
		}
	})
	err = h.pg.EnsureDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	_, err = migrations.Up(t.Context(), h.pg.OwnerURL(database))
	if err != nil {
		t.Fatal(err)
	}
	h.store, err = db.Open(t.Context(), db.Options{URL: h.pg.AppURL(database), MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.store.Close)
	h.furnish(t)
	return h
}

func (h *house) furnish(t *testing.T) {
	t.Helper()
	h.scope = sample.Tenant(t, h.store)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		err := tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&h.slug)
		if err != nil {
			return err
		}
		staff := sample.User(t, tx, capability.OrgAdmin)
		token, err := access.NewAuthority(h.store, sample.Auth()).IssueToken(t.Context(), tx, staff.ID, ids.None)
		if err != nil {
			return err
		}
		h.token, h.staff = token.Token, staff.ID
		var questions []ids.ID
		for range 5 {
			q := sample.Question(t, tx, "A")
			questions, h.questions = append(questions, q.ID), append(h.questions, q.Published.ID)
		}
		in, limit := sample.EvaluationInput(questions...), 3600
		in.Settings.TimeLimitSeconds = &limit
		made, err := authoring.CreateEvaluation(t.Context(), tx, in)
		if err != nil {
			return err
		}
		published, err := authoring.PublishEvaluation(t.Context(), tx, made.ID)
		if err != nil {
			return err
		}
		h.evaluation, h.version = made.ID, published.Published.ID
		for range 60 {
			user := sample.User(t, tx, capability.Candidate)
			h.users, h.email = append(h.users, user.ID), user.Email
		}
		return nil
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (h *house) killDatabase(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.pg.Kill()
	if err != nil {
		t.Error(err)
	}
	h.restartLocked(t)
}

func (h *house) restartDatabase(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.restartLocked(t)
}

func (h *house) restartLocked(t *testing.T) {
	t.Helper()
	pg, err := pgdev.Start(context.WithoutCancel(t.Context()), h.options)
	if err != nil {
		t.Errorf("restart PostgreSQL: %v", err)
		return
	}
	h.pg = pg
}

// daemon is a running assessd.
type daemon struct {
	house *house
	cmd   *exec.Cmd
	log   *bytes.Buffer
}

func (h *house) start(t *testing.T) *daemon {
	t.Helper()
	return h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database))
}

// run starts assessd with the settings and waits until it is ready.
func (h *house) run(t *testing.T, settings ...string) *daemon {
	t.Helper()
	d := &daemon{house: h, cmd: exec.Command(filepath.Join(apptest.Programs(t), "assessd"), "--listen", h.address), log: &bytes.Buffer{}}
	d.cmd.Env = append(append(os.Environ(), settings...), "ASSESS_AUTH_KEY_SECRET="+sample.KeySecret, "ASSESS_MAIL_FOLDER="+h.mails, "ASSESS_BLOB_URL=file://"+h.blobs, "ASSESS_HTTP_BASE_URL=http://"+h.address)
	d.cmd.Stderr = d.log
	err := d.cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.cmd.Process.Kill() //nolint:errcheck // may have ended already
		d.cmd.Wait()         //nolint:errcheck // as above
	})
	for end := time.Now().Add(30 * time.Second); d.ready(t) != http.StatusOK; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("assessd is not ready:\n%s", d.log)
		}
	}
	return d
}

func (d *daemon) kill(t *testing.T) {
	t.Helper()
	err := d.cmd.Process.Kill()
	if err != nil {
		t.Error(err)
	}
	d.cmd.Wait() //nolint:errcheck // killed
	if strings.Contains(d.log.String(), `"msg":"panic"`) {
		t.Errorf("assessd panicked:\n%s", d.log)
	}
}

func (d *daemon) killAndRestart(t *testing.T) *daemon {
	t.Helper()
	d.kill(t)
	return d.house.start(t)
}

func (d *daemon) terminate(t *testing.T) int {
	t.Helper()
	err := d.cmd.Process.Signal(syscall.SIGTERM)
	if err != nil {
		t.Fatal(err)
	}
	d.cmd.Wait() //nolint:errcheck // the exit code tells
	return d.cmd.ProcessState.ExitCode()
}

func (d *daemon) ready(t *testing.T) int {
	t.Helper()
	res, err := http.Get("http://" + d.house.address + "/readyz")
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	io.Copy(io.Discard, res.Body) //nolint:errcheck // the status is what matters
	return res.StatusCode
}
