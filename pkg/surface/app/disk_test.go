package app_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/pgdev"
	"assess/pkg/people/access"
)

// TestFullDisk fills the disk of the embedded database under a running assessd. Calls get
// a clear error; with room again everything works, each acknowledged question is there and
// none twice.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	h := &house{options: pgdev.Options{Dir: smallDisk(t), Durable: true}, address: freeAddress(t), mails: t.TempDir(), blobs: t.TempDir()}
	d := h.startEmbedded(t)
	h.adopt(t)
	filler := filepath.Join(h.options.Dir, "filler")
	fill(t, filler)
	create := func(n int) (int, problem) {
		return h.call(t, http.MethodPost, "/questions", fmt.Sprint("q", n), bigQuestion(n))
	}
	full, made := 0, 0
	for n := 0; full < 3 && n < 2000; n++ {
		status, p := create(n)
		switch {
		case status == http.StatusCreated && full == 0:
			made = n + 1
		case status == http.StatusCreated:
		case p.Code == "database_full" && p.Message != "", p.retryAfter != "" && (p.Code == "database_unavailable" || p.Code == "outcome_unknown"):
			full++
		default:
			t.Fatalf("question %d: got %d %+v", n, status, p)
		}
	}
	if full == 0 {
		t.Fatal("the disk never ran full")
	}
	err := os.Remove(filler)
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "ready again", func() bool { return d.ready(t) == http.StatusOK })
	for n := range made + 1 {
		if status, p := create(n); status != http.StatusCreated {
			t.Fatalf("question %d again: got %d %+v", n, status, p)
		}
	}
	h.count(t, made+1)
	if code := d.terminate(t); code != 0 || strings.Contains(d.log.String(), `"msg":"panic"`) {
		t.Errorf("exit code %d:\n%s", code, d.log)
	}
}

func (h *house) count(t *testing.T, want int) {
	t.Helper()
	err := h.store.Read(t.Context(), h.scope, func(tx *db.Tx) error {
		var got, distinct int
		err := tx.QueryRow(t.Context(), "select count(*), count(distinct external_id) from questions").Scan(&got, &distinct)
		if got < want || got != distinct {
			t.Errorf("got %d questions with %d external ids, want at least %d and no two alike", got, distinct, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func bigQuestion(n int) any {
	q := sample.QuestionInput("A")
	q.ExternalID = fmt.Sprint("q", n)
	text := strings.Repeat(ids.New().String(), 2000)
	q.Stem = sample.Content(text, text)
	return q
}

// smallDisk mounts a file system of a few megabytes, which only root can.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	dir, err := os.MkdirTemp("/var/tmp", "assess-disk-")
	if err != nil {
		t.Fatal(err)
	}
	err = os.Chmod(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", dir).CombinedOutput()
	if err != nil {
		t.Skipf("cannot mount a small file system here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		pg, err := pgdev.Attach(ctx, pgdev.Options{Dir: dir, Durable: true})
		if err == nil {
			err = pg.Shutdown(ctx)
		}
		if err != nil && !strings.Contains(err.Error(), pgdev.ErrNotRunning.Error()) {
			t.Error(err)
		}
		out, err := exec.CommandContext(ctx, "umount", "-l", dir).CombinedOutput()
		if err != nil {
			t.Errorf("umount: %s", out)
		}
		err = os.Remove(dir)
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 1<<20)
	for {
		_, err := f.Write(block)
		if err != nil {
			return
		}
	}
}

// startEmbedded starts assessd with a database of its own.
func (h *house) startEmbedded(t *testing.T) *daemon {
	t.Helper()
	return h.run(t, "ASSESS_DATABASE_EMBEDDED=true", "ASSESS_DATABASE_EMBEDDED_DIR="+h.options.Dir)
}

// adopt joins the embedded database and makes an author in it.
func (h *house) adopt(t *testing.T) {
	t.Helper()
	var err error
	h.pg, err = pgdev.Attach(t.Context(), h.options)
	if err != nil {
		t.Fatal(err)
	}
	h.store, err = db.Open(t.Context(), db.Options{URL: h.pg.AppURL(database), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.store.Close)
	h.scope = sample.Tenant(t, h.store)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		author := sample.User(t, tx, capability.Author)
		token, err := access.NewAuthority(h.store, sample.Auth()).IssueToken(t.Context(), tx, author.ID, ids.None)
		h.token = token.Token
		return err
	})
}
