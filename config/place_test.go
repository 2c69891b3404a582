package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// placed writes the settings file of this user and gives its name.
func placed(t *testing.T, text string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("ASSESS_CONFIG", "")
	path := filepath.Join(home, "assess", "config.yaml")
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFileIsFoundWithoutBeingNamed(t *testing.T) {
	path := placed(t, "jobs: {workers: 7}\n")
	c, err := Load("", nil)
	if err != nil || c.Jobs.Workers != 7 {
		t.Errorf("%d workers, %v; want the 7 of %s", c.Jobs.Workers, err, path)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("jobs: {workers: 3}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSESS_CONFIG", other)
	if c, err := Load("", nil); err != nil || c.Jobs.Workers != 3 {
		t.Errorf("%d workers, %v; want those of the file that is named", c.Jobs.Workers, err)
	}
}

// A file that exists and cannot be read is reported, and not skipped for the next place.
func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	path := placed(t, "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("", nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestProfiles(t *testing.T) {
	path := placed(t, `
jobs: {workers: 7}
profiles:
  school:
    database_url: postgres://assess:hush@db.example.org/assess
    tenant: northwind
    org: north
  bare: {}
`)
	want := Profile{DatabaseURL: "postgres://assess:hush@db.example.org/assess", Tenant: "northwind", Org: "north"}
	if got, err := FindProfile("", "school"); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := FindProfile(path, "bare"); err != nil || got != (Profile{}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := FindProfile("", "home"); err == nil || !strings.Contains(err.Error(), "bare, school") {
		t.Errorf("one that is not there: %v", err)
	}
	if c, err := Load("", nil); err != nil || c.Jobs.Workers != 7 {
		t.Errorf("the settings beside profiles: %v", err)
	}
	for _, bad := range []string{"profiles: {school: {tenat: hush}}\n", "profiles: hush\n", "profiles: [hush]\n", "a: b: hush\n"} {
		placed(t, bad)
		if _, err := FindProfile("", "school"); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestShowSaysWhereEachSettingComesFrom(t *testing.T) {
	path := placed(t, "jobs: {workers: 7}\ndatabase: {url: 'postgres://assess:hush@db/assess'}\n")
	t.Setenv("ASSESS_HTTP_LISTEN", "127.0.0.1:9")
	shown, err := Show("", nil)
	if err != nil || len(shown) != len(Keys()) {
		t.Fatalf("%d of %d settings, %v", len(shown), len(Keys()), err)
	}
	found := map[string]Shown{}
	for _, s := range shown {
		found[s.Key] = s
		if strings.Contains(s.Value, "hush") {
			t.Errorf("%s shows a secret", s.Key)
		}
	}
	for _, want := range []Shown{
		{"jobs.workers", "7", "file " + path},
		{"database.url", "postgres://assess:xxxxx@db/assess", "file " + path},
		{"http.listen", "127.0.0.1:9", "environment ASSESS_HTTP_LISTEN"},
		{"http.base_url", "http://127.0.0.1:9", "default"},
	} {
		if found[want.Key] != want {
			t.Errorf("got %+v, want %+v", found[want.Key], want)
		}
	}
}
