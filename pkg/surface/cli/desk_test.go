package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/golden"
	"assess/pkg/dev/sample"
)

// desk is the place of an operator: a database, settings, and the conversation so far.
type desk struct {
	t        *testing.T
	urls     dbtest.URLs
	settings string
	said     bytes.Buffer
}

// newDesk makes a desk on a migrated database of its own.
func newDesk(t *testing.T) *desk {
	t.Helper()
	return deskOn(t, dbtest.Fresh(t))
}

func deskOn(t *testing.T, urls dbtest.URLs) *desk {
	t.Helper()
	folder := t.TempDir()
	d := &desk{t: t, urls: urls, settings: filepath.Join(folder, "assess.yaml")}
	text := fmt.Sprintf("database: {url: %q, owner_url: %q}\nmail: {folder: %q}\nblob: {url: %q}\nauth: {key_secret: %q}\n", urls.App, urls.Owner, folder, "file://"+filepath.Join(folder, "blob"), sample.KeySecret)
	err := os.Mkdir(filepath.Join(folder, "blob"), 0o700) // as assessd does
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(d.settings, []byte(text), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs one line, whose words may be in single quotes.
func (d *desk) run(line string) *call {
	d.t.Helper()
	return assessctl(append(split(line), "--config", d.settings, "--actor", "tester")...)
}

// must runs a line that has to succeed and gives its output.
func (d *desk) must(line string) string {
	d.t.Helper()
	got := d.run(line)
	if got.exit != exitDone {
		d.t.Fatalf("assessctl %s: exit %d, stderr %q\n%s", line, got.exit, &got.err, &got.out)
	}
	return got.out.String()
}

// say runs lines and keeps the output that a person would see.
func (d *desk) say(lines ...string) {
	d.t.Helper()
	for _, line := range lines {
		got := d.run(line)
		fmt.Fprintf(&d.said, "$ assessctl %s\n%s%s[exit %d]\n\n", line, &got.out, &got.err, got.exit)
	}
}

// check compares everything that was said with a golden file.
func (d *desk) check(file string) {
	d.t.Helper()
	golden.Check(d.t, []byte(steady(d.said.String())), filepath.Join("testdata", "calls", file))
}

// count queries the database past all policies.
func (d *desk) count(query string) int {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(d.t.Context()))
	var n int
	err = conn.QueryRow(d.t.Context(), query).Scan(&n)
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// Texts that differ from run to run, and their replacements, of the same width where tables
// show them.
var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	keys    = regexp.MustCompile(`\b[0-9a-f]{16}\b`)
	steadys = []struct {
		pattern *regexp.Regexp
		text    string
	}{
		{regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "<token>"},
		{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "2031-01-02T03:04:05Z"},
		{regexp.MustCompile(`20\d\d-\d\d-\d\d \d\d:\d\d`), "2031-01-02 03:04"},
		{regexp.MustCompile(`\b[0-9a-f]{64}\b`), strings.Repeat("0", 64)},
		{regexp.MustCompile(`all \d+ migrations`), "all 7 migrations"},
		{regexp.MustCompile(`Duration ms +\d+`), "Duration ms      7"},
		{regexp.MustCompile(`in 14m\d\ds`), "in 14m59s"},
		{regexp.MustCompile(`PostgreSQL \d+\.\d+`), "PostgreSQL 15.0"},
		{regexp.MustCompile(`/tmp/Test[\w/.-]+`), "/tmp/folder"},
		{regexp.MustCompile(`(\d+) MiB are free in \S+`), "4096 MiB are free in /folder"},
	}
)

// steady numbers ids and keys in the order of their appearance and fixes times.
func steady(text string) string {
	text = numbered(text, uuids, "00000000-0000-7000-8000-%012d")
	text = numbered(text, keys, "%016d")
	for _, s := range steadys {
		text = s.pattern.ReplaceAllString(text, s.text)
	}
	for _, ago := range []int{0, 1} {
		day := time.Now().UTC().AddDate(0, 0, -ago)
		monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7) // figures of a week are named after it
		for _, day := range []time.Time{day, monday} {
			text = strings.ReplaceAll(text, day.Format(time.DateOnly), "2031-01-02")
		}
	}
	return text
}

func numbered(text string, pattern *regexp.Regexp, format string) string {
	seen := map[string]string{}
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		if seen[found] == "" {
			seen[found] = fmt.Sprintf(format, len(seen)+1)
		}
		return seen[found]
	})
}
