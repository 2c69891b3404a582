package config

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// example.yaml is the documentation of the settings: it has every key, each with its
// default and a comment.
func TestExampleEqualsTheDefaults(t *testing.T) {
	got, err := Load("example.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(defaultsHere(t), got); diff != "" {
		t.Errorf("example.yaml (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	err = yaml.Unmarshal(text, &document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Keys(), commented(t, "", document.Content[0])); diff != "" {
		t.Errorf("keys of example.yaml (-want +got):\n%s", diff)
	}
}

// commented lists the keys of the values below a node; each of them needs a comment.
func commented(t *testing.T, prefix string, section *yaml.Node) []string {
	t.Helper()
	var keys []string
	for pair := range slices.Chunk(section.Content, 2) {
		key := prefix + pair[0].Value
		if pair[1].Kind == yaml.MappingNode {
			keys = append(keys, commented(t, key+".", pair[1])...)
			continue
		}
		if pair[0].HeadComment == "" {
			t.Errorf("example.yaml: %s has no comment", key)
		}
		keys = append(keys, key)
	}
	return keys
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	err := Default().Check()
	if err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key    string
		change func(*Config)
	}{
		{"database.embedded", func(c *Config) { c.Database.Embedded, c.Database.URL = true, "postgres://h/d" }},
		{"database.embedded_dir", func(c *Config) { c.Database.Embedded, c.Database.EmbeddedDir = true, "" }},
		{"database.admin_url", func(c *Config) { c.Database.AdminURL = "mysql://h/d" }},
		{"database.owner_url", func(c *Config) { c.Database.OwnerURL = "mysql://h/d" }},
		{"database.max_conns", func(c *Config) { c.Database.MaxConns = 0 }},
		{"database.lock_timeout", func(c *Config) { c.Database.LockTimeout = -1 }},
		{"http.base_url", func(c *Config) { c.HTTP.BaseURL = "http://h/" }},
		{"http.base_url", func(c *Config) { c.HTTP.BaseURL = "h:80" }},
		{"http.cors_origins", func(c *Config) { c.HTTP.CORSOrigins = []string{"*", "https://h/path"} }},
		{"http.trusted_proxies", func(c *Config) { c.HTTP.TrustedProxies = []string{"10.0.0.0/8", "::1", "proxy"} }},
		{"auth.issuer", func(c *Config) { c.Auth.Issuer = "" }},
		{"http.upload_limit", func(c *Config) { c.HTTP.UploadLimit = 0 }},
		{"blob.url", func(c *Config) { c.Blob.URL = "" }},
		{"blob.url", func(c *Config) { c.Blob.URL = "var/blob" }},
		{"blob.url", func(c *Config) { c.Blob.URL = "file://host/folder" }},
		{"blob.url", func(c *Config) { c.Blob.URL = "gs://bucket" }},
		{"blob.evidence_types", func(c *Config) { c.Blob.EvidenceTypes = nil }},
		{"blob.evidence_types", func(c *Config) { c.Blob.EvidenceTypes = []string{"image/png", "text/html"} }},
		{"blob.evidence_limit", func(c *Config) { c.Blob.EvidenceLimit = 0 }},
		{"outgoing.allow_private", func(c *Config) { c.Outgoing.AllowPrivate = []string{"10.0.0.0/8", "fd00::/8", "10.0.0.1"} }},
		{"mail.from", func(c *Config) { c.Mail.From = "nobody" }},
		{"mail.folder", func(c *Config) { c.Mail.Folder = "" }},
		{"mail.smtp.host", func(c *Config) { c.Mail.Mode = MailSMTP }},
		{"mail.smtp.password", func(c *Config) { c.Mail.SMTP.Password = "p" }},
		{"mail.smtp.tls", func(c *Config) { c.Mail.SMTP.TLS = "ssl" }},
		{"idempotency.keep", func(c *Config) { c.Idempotency.Keep = 0 }},
		{"compliance.sla", func(c *Config) { c.Compliance.SLA = time.Minute }},
		{"compliance.dsar_cooldown", func(c *Config) { c.Compliance.DSARCooldown = -time.Minute }},
		{"compliance.export_lifetime", func(c *Config) { c.Compliance.ExportLifetime = time.Minute }},
		{"compliance.sweep_every", func(c *Config) { c.Compliance.SweepEvery = time.Second }},
		{"ledger.origin", func(c *Config) { c.Ledger.Origin = "a b" }},
		{"ledger.checkpoint_every", func(c *Config) { c.Ledger.CheckpointEvery = 2 * time.Minute }},
		{"ledger.checkpoint_url", func(c *Config) { c.Ledger.CheckpointURL = "var/checkpoints" }},
		{"auth.app_url", func(c *Config) { c.Auth.AppURL = "http://app.example.org" }},
		{"auth.app_url", func(c *Config) { c.Auth.AppURL = "https://app.example.org/#start" }},
		{"auth.redirect_urls", func(c *Config) { c.Auth.RedirectURLs = []string{"https://a.example.org/x?y=1", "javascript:alert(1)"} }},
		{"log.level", func(c *Config) { c.Log.Level = "loud" }},
		{"log.format", func(c *Config) { c.Log.Format = "xml" }},
		{"tracing.endpoint", func(c *Config) { c.Tracing.Endpoint = "collector:4318" }},
		{"tracing.endpoint", func(c *Config) { c.Tracing.Endpoint = "http://user:secret@collector:4318" }},
		{"tracing.share", func(c *Config) { c.Tracing.Share = -0.1 }},
		{"tracing.share", func(c *Config) { c.Tracing.Share = 1.1 }},
		{"tracing.share", func(c *Config) { c.Tracing.Share = math.NaN() }},
	} {
		t.Run(tt.key, func(t *testing.T) {
			t.Parallel()
			c := Default()
			tt.change(&c)
			var got []string
			for _, p := range c.problems() {
				got = append(got, p.Key)
			}
			if diff := cmp.Diff([]string{tt.key}, got); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Database.URL = "postgres://user:hunter2@host/db?application_name=a&password=hunter2"
	c.Database.OwnerURL = "user=owner password=hunter2"
	c.Mail.SMTP.Password = "hunter2"
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "config", c)
	for _, got := range []string{c.String(), log.String(), fmt.Sprintf("%v %+v %#v %s", c, c, c, &c)} {
		if strings.Contains(got, "hunter2") {
			t.Errorf("the secret is in:\n%s", got)
		}
		if !strings.Contains(got, "user:xxxxx@host/db") {
			t.Errorf("the masked URL is missing in:\n%s", got)
		}
	}
	if c.Mail.SMTP.Password != "hunter2" {
		t.Error("Redacted changed the settings themselves")
	}
}

func TestParseBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want Bytes
		ok   bool
	}{
		{"0", 0, true}, {"4096", 4096, true}, {"1MiB", MiB, true}, {" 2 gib ", 2 * GiB, true},
		{"5kB", 5000, true}, {"7B", 7, true}, {"1.5MiB", 0, false}, {"-1", 0, false}, {"MiB", 0, false},
		{"", 0, false}, {"9999999999GiB", 0, false}, {"1 PB", 0, false},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			got, err := ParseBytes(tt.in)
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("got %d, %v; want %d, ok %v", got, err, tt.want, tt.ok)
			}
		})
	}
}

func TestBytesReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := Bytes(rapid.Int64Min(0).Draw(t, "bytes"))
		got, err := ParseBytes(want.String())
		if err != nil || got != want {
			t.Fatalf("%s: got %d, %v; want %d", want, got, err, want)
		}
	})
}
