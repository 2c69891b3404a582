package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// The settings of the machine that runs the tests must not influence their result.
func TestMain(m *testing.M) {
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix+"_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

func file(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "assess.yaml")
	err := os.WriteFile(name, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLoadWithoutAnythingGivesTheDefaults(t *testing.T) {
	got, err := Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(defaultsHere(t), got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestLoadPrecedence(t *testing.T) {
	for _, tt := range []struct {
		name, file, env, flag, want string
	}{
		{name: "default", want: "127.0.0.1:8080"},
		{name: "file over default", file: "http: {listen: ':1'}", want: ":1"},
		{name: "environment over file", file: "http: {listen: ':1'}", env: ":2", want: ":2"},
		{name: "flag over environment", file: "http: {listen: ':1'}", env: ":2", flag: ":3", want: ":3"},
		{name: "flag over default", flag: ":3", want: ":3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			flags.String("http-listen", "of the flag", "")
			if tt.flag != "" {
				flags.Set("http-listen", tt.flag)
			}
			t.Setenv("ASSESS_HTTP_LISTEN", tt.env)
			c, err := Load(file(t, tt.file), flags)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.HTTP.Listen; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := c.HTTP.BaseURL; got != "http://127.0.0.1"+strings.TrimPrefix(tt.want, "127.0.0.1") || !c.HTTP.IsLocal() {
				t.Errorf("the address is %q, which %q does not lead to", got, tt.want)
			}
		})
	}
}

func TestLoadReadsEveryType(t *testing.T) {
	t.Setenv("ASSESS_HTTP_BODY_LIMIT", "2 MiB")
	t.Setenv("ASSESS_HTTP_GZIP", "false")
	t.Setenv("ASSESS_HTTP_CORS_ORIGINS", "https://a.example, https://b.example")
	t.Setenv("ASSESS_JOBS_WORKERS", "3")
	t.Setenv("ASSESS_AUTH_TOKEN_LIFETIME", "90m")
	t.Setenv("ASSESS_MAIL_SMTP_USERNAME", "someone")
	t.Setenv("ASSESS_MAIL_SMTP_PASSWORD", "1234")
	got, err := Load("", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := defaultsHere(t)
	want.HTTP.BodyLimit, want.HTTP.Gzip = 2*MiB, false
	want.HTTP.CORSOrigins = []string{"https://a.example", "https://b.example"}
	want.Jobs.Workers, want.Auth.TokenLifetime = 3, 90*time.Minute
	want.Mail.SMTP.Username, want.Mail.SMTP.Password = "someone", "1234"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadListsEveryProblem(t *testing.T) {
	t.Setenv("ASSESS_JOBS_WORKERS", "none")
	t.Setenv("ASSESS_DATABASE_URL", "host=db password=hunter2")
	t.Setenv("ASSESS_LOG", "a variable of somebody else")
	name := file(t, `
auth: {token_lifetime: 8}
blob: {evidencetypes: [image/png]}
databse: {url: x}
http: {listen: 8080, cors_origins: {a: b}, import_limit: 1kB}
log: loud
mail: {mode: pigeon, smtp: {port: 0}}
projector:
`)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.Int("workers", 1, "")
	Bind(flags, "workers", "projector.workers")
	flags.Set("workers", "0")

	_, err := Load(name, flags)
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want *Error", err)
	}
	var got []string
	for _, p := range failure.Problems {
		got = append(got, strings.ReplaceAll(p.String(), name, "F"))
	}
	want := []string{
		`auth.token_lifetime (file F): "8" is not a duration such as 200ms, 30s or 24h`,
		`blob.evidencetypes (file F): unknown key; did you mean blob.evidence_types?`,
		`database.url (environment ASSESS_DATABASE_URL): expected a URL such as postgres://user:password@host:5432/database`,
		`databse.url (file F): unknown key; did you mean database.url?`,
		`http.cors_origins.a (file F): unknown key`,
		`http.import_limit (file F): 1000 is less than 1MiB`,
		`http.listen (file F): "8080" is not host:port`,
		`jobs.workers (environment ASSESS_JOBS_WORKERS): "none" is not a whole number`,
		`log (file F): is a section, not a value`,
		`mail.mode (file F): "pigeon" is not one of folder, smtp`,
		`mail.smtp.port (file F): expected 1 to 65535`,
		`projector.workers (flag --workers): 0 is less than 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLoadNamesAFileThatCannotBeRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	t.Setenv("ASSESS_CONFIG", missing)
	_, err := Load("", nil)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want an error that names %s", err, missing)
	}
	_, err = Load(file(t, "http: [unclosed"), nil)
	if err == nil {
		t.Error("a file that is not YAML was accepted")
	}
}

func TestABadSecretIsNotRepeated(t *testing.T) {
	for _, key := range []string{"ASSESS_DATABASE_URL", "ASSESS_DATABASE_OWNER_URL", "ASSESS_DATABASE_ADMIN_URL", "ASSESS_DATABASE_REPORT_URL"} {
		t.Setenv(key, "postgres://user:hunter2@%zz/")
	}
	_, err := Load("", nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want an error without the password", err)
	}
}
