package assess_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
)

// walks are the documents whose commands are run as they are written, each against a
// service of its own.
var walks = []string{"README.md", "docs/authoring.md", "docs/people.md", "docs/sessions.md", "docs/review.md", "docs/evidence.md", "docs/policies.md", "docs/ledger.md", "docs/compliance.md", "docs/packs.md", "docs/readiness.md", "docs/skills.md"}

// TestWalks runs every block of the kind sh of a document in one shell, from top to bottom.
// The output must be what a block of the kind text after it shows, line for line; … matches
// anything.
func TestWalks(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "jq", "openssl"} {
		_, err := exec.LookPath(tool)
		if err != nil && os.Getenv("CI") == "" {
			t.Skipf("the documents use %s, which is not here: scripts/setup installs it", tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	programs := apptest.Programs(t)
	for _, file := range walks {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text := read(t, file)
			blocks := blocksOf(text)
			if len(blocks) == 0 {
				t.Fatal("the document has no commands")
			}
			for i, said := range run(t, programs, blocks) {
				blocks[i].compare(t, said)
			}
		})
	}
}

// Two walks can be taken on one server: each makes tenants with names of its own.
func TestWalksMakeTenantsOfTheirOwn(t *testing.T) {
	t.Parallel()
	made := map[string]string{}
	for _, file := range walks {
		for _, m := range regexp.MustCompile(`tenant create (\S+)|replay .*--tenant (\S+)`).FindAllStringSubmatch(read(t, file), -1) {
			if name := m[1] + m[2]; made[name] != "" {
				t.Errorf("%s makes the tenant %s, and so does %s", file, name, made[name])
			} else {
				made[name] = file
			}
		}
	}
	if len(made) < len(walks) {
		t.Errorf("%d walks make %d tenants: %v", len(walks), len(made), made)
	}
}

// block is a run of commands, from a line of the document, and their output.
type block struct {
	line         int
	script, want string
}

var fence = regexp.MustCompile("(?ms)^```(sh|text)\n(.*?)^```$")

func blocksOf(text string) []block {
	var blocks []block
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		kind, body := text[m[2]:m[3]], text[m[4]:m[5]]
		switch {
		case kind == "sh":
			blocks = append(blocks, block{line: 1 + strings.Count(text[:m[4]], "\n"), script: body})
		case len(blocks) > 0:
			blocks[len(blocks)-1].want += body
		}
	}
	return blocks
}

func (b block) compare(t *testing.T, said string) {
	t.Helper()
	rest := said
	for line := range strings.SplitSeq(b.want, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		pattern := "(?m)^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " ")), "…", ".*") + ` *$`
		at := regexp.MustCompile(pattern).FindStringIndex(rest)
		if at == nil {
			t.Errorf("line %d: the commands do not print\n%s\nbut\n%s", b.line, line, said)
			return
		}
		rest = rest[at[1]:]
	}
}

const parting = "\x1eend of block\n"

// run gives the output of each block.
func run(t *testing.T, programs string, blocks []block) []string {
	t.Helper()
	dir := t.TempDir()
	env := serve(t, programs, dir)
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for _, b := range blocks {
		fmt.Fprintf(&script, "line=%d\n%s\nprintf '\\036end of block\\n'\n", b.line, b.script)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", "trap 'echo \"the block at line $line failed\"' ERR\n"+script.String())
	shell.Dir, shell.Env = dir, env
	out, err := shell.CombinedOutput()
	said := strings.Split(string(out), parting)
	if err != nil {
		t.Fatalf("%v\n%s", err, said[len(said)-1])
	}
	return said[:len(blocks)]
}

// dropCopies drops the databases that a walk made of one.
func dropCopies(t *testing.T, super string) {
	ctx := context.Background()
	settings, err := pgx.ParseConfig(super)
	if err != nil {
		t.Error(err)
		return
	}
	name := settings.Database
	settings.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx) //nolint:errcheck // the test ends
	rows, err := conn.Query(ctx, "select datname from pg_database where starts_with(datname, $1 || '_')", name)
	if err != nil {
		t.Error(err)
		return
	}
	copies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, one := range copies {
		_, dropped := conn.Exec(ctx, "drop database "+pgx.Identifier{one}.Sanitize()+" with (force)")
		err = errors.Join(err, dropped)
	}
	if err != nil {
		t.Error(err)
	}
}

// serve starts assessd on a fresh database and gives the environment of its operators.
func serve(t *testing.T, programs, dir string) []string {
	t.Helper()
	urls := dbtest.Fresh(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	env := append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "API=http://"+address+"/api/v1",
		"ASSESS_AUTH_KEY_SECRET="+sample.KeySecret, "ASSESS_DATABASE_URL="+urls.App, "ASSESS_DATABASE_OWNER_URL="+urls.Owner, "SUPER_URL="+urls.Super, "ASSESS_HTTP_LISTEN="+address,
		"ASSESS_HTTP_BASE_URL=http://"+address)
	t.Cleanup(func() { dropCopies(t, urls.Super) })
	log, err := os.Create(filepath.Join(dir, "assessd.log"))
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(filepath.Join(programs, "assessd"))
	server.Dir, server.Env, server.Stdout, server.Stderr = dir, env, log, log
	err = server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		_ = log.Close()
	})
	for range 300 {
		res, err := http.Get("http://" + address + "/readyz")
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return env
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	said, _ := os.ReadFile(log.Name())
	t.Fatalf("assessd is not ready:\n%s", said)
	return nil
}
