package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that may fail without failing the real one.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, _ ...any) { r.failure = format }

func TestCheck(t *testing.T) {
	t.Setenv("GOLDEN", "")
	file := filepath.Join(t.TempDir(), "folder", "out.txt")

	missing := &recorder{TB: t}
	Check(missing, []byte("one\ntwo\n"), file)
	if !strings.Contains(missing.failure, "does not exist") {
		t.Errorf("a missing file: got failure %q", missing.failure)
	}

	t.Setenv("GOLDEN", "1")
	Check(t, []byte("one\ntwo\n"), file)
	written, err := os.ReadFile(file)
	if err != nil || string(written) != "one\ntwo\n" {
		t.Fatalf("GOLDEN=1 wrote %q, %v", written, err)
	}

	t.Setenv("GOLDEN", "")
	same, other := &recorder{TB: t}, &recorder{TB: t}
	Check(same, []byte("one\ntwo\n"), file)
	if same.failure != "" {
		t.Errorf("equal content: got failure %q", same.failure)
	}
	Check(other, []byte("one\nthree\n"), file)
	if !strings.Contains(other.failure, "differs") {
		t.Errorf("other content: got failure %q", other.failure)
	}
}

func TestPart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	err := os.WriteFile(file, []byte("before\n"+partBegin+"old\n"+partEnd+"after\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOLDEN", "")
	other := &recorder{TB: t}
	Part(other, "new\n", file)
	if !strings.Contains(other.failure, "differs") {
		t.Errorf("another part: got failure %q", other.failure)
	}
	t.Setenv("GOLDEN", "1")
	Part(t, "new\n", file)
	written, err := os.ReadFile(file)
	if want := "before\n" + partBegin + "\nnew\n\n" + partEnd + "after\n"; err != nil || string(written) != want {
		t.Errorf("got %q, %v, want %q", written, err, want)
	}
	elsewhere := &recorder{TB: t}
	err = os.WriteFile(file, []byte("before\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	Part(elsewhere, "new\n", file)
	if !strings.Contains(elsewhere.failure, "has no place") {
		t.Errorf("a page without a place: got failure %q", elsewhere.failure)
	}
}
