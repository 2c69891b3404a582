package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"assess/pkg/dev/golden"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	s, _ := piped(FormatTable)
	var transcript bytes.Buffer
	eachCommand(newRoot(s), func(c *cobra.Command) {
		got := assessctl(append(strings.Fields(c.CommandPath())[1:], "--help")...)
		if got.exit != exitDone || got.err.Len() > 0 {
			t.Errorf("%s --help: exit %d, stderr %q", c.CommandPath(), got.exit, &got.err)
		}
		text, global, _ := strings.Cut(got.out.String(), "\nGlobal Flags:\n")
		if c.HasParent() == (global == "") {
			t.Errorf("%s --help: global flags: %q", c.CommandPath(), global)
		}
		fmt.Fprintf(&transcript, "$ %s --help\n%s\n", c.CommandPath(), text)
	})
	golden.Check(t, transcript.Bytes(), filepath.Join("testdata", "help.txt"))
}

func TestUsageMistakes(t *testing.T) {
	t.Parallel()
	var transcript bytes.Buffer
	for _, args := range [][]string{
		{"tenannt"},
		{"versoin"},
		{"version", "now"},
		{"--colour"},
		{"user", "list", "--serch", "ada"},
		{"webhook", "create", "--nope"},
		{"version", "--output", "xml"},
		{"version", "--org", "north", "--all-orgs"},
		{"man"},
		{"completion", "ksh"},
		{"-o", "json", "man"},
	} {
		got := assessctl(args...)
		if got.exit != exitUsage || got.out.Len() > 0 {
			t.Errorf("%v: exit %d, stdout %q; want exit 2 and nothing", args, got.exit, &got.out)
		}
		fmt.Fprintf(&transcript, "$ assessctl %s\n%s\n", strings.Join(args, " "), &got.err)
	}
	golden.Check(t, transcript.Bytes(), "testdata/usage.txt")
}

func TestRequiredFlagsAreUsage(t *testing.T) {
	t.Parallel()
	s, c := piped(FormatTable)
	root := group("root", "")
	sub := &cobra.Command{Use: "sub", RunE: func(*cobra.Command, []string) error { return nil }}
	sub.Flags().String("name", "", "")
	err := sub.MarkFlagRequired("name")
	if err != nil {
		t.Fatal(err)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.AddCommand(sub)
	if got := run(s, root, []string{"sub"}); got != exitUsage {
		t.Errorf("exit %d, want 2; stderr %q", got, &c.err)
	}
}

func TestMistakesInTheSettingsAreUsage(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	err := os.WriteFile(bad, []byte("jobs: {workers: 0}\nhtp: {listen: ':1'}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := piped(FormatTable)
	root := newRoot(s)
	s.configFile = bad
	_, err = s.Config()
	if exitCode(err, false) != exitUsage || !strings.Contains(err.Error(), "htp.listen") || !strings.Contains(err.Error(), "jobs.workers") {
		t.Errorf("got %v, want a usage error that names both keys", err)
	}
	s.configFile = ""
	err = root.PersistentFlags().Set("database-url", "postgres://h/d")
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Config()
	if err != nil || c.Database.URL != "postgres://h/d" {
		t.Errorf("--database-url: got %q, %v", c.Database.URL, err)
	}
}

func TestActor(t *testing.T) {
	for _, tt := range []struct{ name, flag, user, want string }{
		{"flag", "ada", "grace", "ada"},
		{"user", "", "grace", "grace"},
		{"neither", "", "", "operator"},
		{"a name as login", "", "Otto Zander", "operator"},
		{"a login with a domain", "", "otto@corp", "operator"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("USER", tt.user)
			s, _ := piped(FormatJSON)
			run(s, newRoot(s), []string{"version", "--actor", tt.flag})
			if s.Actor != tt.want {
				t.Errorf("got %q, want %q", s.Actor, tt.want)
			}
		})
	}
}

func TestManualAndCompletion(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man1")
	if got := assessctl("man", folder); got.exit != exitDone || got.out.Len() > 0 {
		t.Fatalf("man: exit %d, stdout %q, stderr %q", got.exit, &got.out, &got.err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "assessctl-version.1"))
	if err != nil || !strings.Contains(string(page), "Say which version this is") {
		t.Errorf("page of version: %v\n%s", err, page)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if got := assessctl("completion", shell); got.exit != exitDone || !strings.Contains(got.out.String(), "assessctl") {
			t.Errorf("completion %s: exit %d, stderr %q", shell, got.exit, &got.err)
		}
	}
	if got := assessctl("__complete", "version", "--output", ""); !strings.Contains(got.out.String(), "table\njson\ncsv\nyaml") {
		t.Errorf("values of --output: got %q", &got.out)
	}
}
