package assess_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assess/pkg/dev/apptest"
	"assess/pkg/kernel/capability"
	"assess/pkg/surface/httpapi"
)

// TestTypeScriptExample does the main job of examples/typescript: types from the OpenAPI description, the
// strictest compiler, and a run against a service. Code that must not compile is in refused.ts, with
// @ts-expect-error.
func TestTypeScriptExample(t *testing.T) {
	t.Parallel()
	_, err := exec.LookPath("npm")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("the example needs npm, which is not here: CI=true scripts/setup installs it")
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := installed(t)
	_, description, err := httpapi.Describe()
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "openapi.yaml"), string(description))
	for _, step := range []string{"types", "check", "build"} {
		npm(t, folder, "run", "--silent", step)
	}
	app := apptest.Start(t)
	author := app.Token(t, capability.OrgAdmin)
	got := runExample(t, app, folder, "ASSESS_URL="+app.URL, "AUTHOR_TOKEN="+author, "AUTHOR_PROOF="+app.Proof(t, author),
		"CANDIDATE_TOKEN="+app.Token(t, capability.Candidate))
	if want := "result: pass, 2 of 2\nreport: 1 completed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// runExample runs the program, together with the projector for the report that it waits for.
func runExample(t *testing.T, app *apptest.App, folder string, settings ...string) string {
	t.Helper()
	var said, complaints bytes.Buffer
	program := exec.CommandContext(t.Context(), "node", filepath.Join("build", "main.js"))
	program.Dir, program.Env, program.Stdout, program.Stderr = folder, append(os.Environ(), settings...), &said, &complaints
	err := program.Start()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s%s", err, &said, &complaints)
			}
			return said.String()
		case <-time.After(50 * time.Millisecond):
			app.Project(t)
		}
	}
}

// installed copies the example to where the packages that it needs stay for the next run, and Go does
// not look for packages of its own.
func installed(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(".npm", "typescript")
	copyInto(t, filepath.Join(folder, "src"), "examples/typescript/src/*.ts")
	copyInto(t, folder, "examples/typescript/*.json", "examples/typescript/.npmrc")
	lock, marker := read(t, filepath.Join(folder, "package-lock.json")), filepath.Join(folder, "installed.lock")
	before, err := os.ReadFile(marker)
	if err != nil || string(before) != lock {
		npm(t, folder, "ci", "--ignore-scripts")
		put(t, marker, lock)
	}
	return folder
}

// copyInto copies files into a folder, which has nothing else of their kind afterwards.
func copyInto(t *testing.T, folder string, patterns ...string) {
	t.Helper()
	err := os.MkdirAll(folder, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range patterns {
		old, _ := filepath.Glob(filepath.Join(folder, filepath.Base(pattern)))
		for _, file := range old {
			_ = os.Remove(file)
		}
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Fatalf("there is no %s", pattern)
		}
		for _, file := range files {
			put(t, filepath.Join(folder, filepath.Base(file)), read(t, file))
		}
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	err := os.WriteFile(file, []byte(text), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// npm runs npm in a folder.
func npm(t *testing.T, folder string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "npm", args...)
	command.Dir = folder
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("npm %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}
