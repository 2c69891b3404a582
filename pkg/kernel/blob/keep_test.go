package blob_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/errs"
)

func TestWhatIsKeptIsNeverReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := blob.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test ends
	for _, text := range []string{"first", "first", "second"} {
		err := store.Keep(t.Context(), "log/1.txt", []byte(text))
		if text == "first" && err != nil || text == "second" && (!errors.Is(err, blob.ErrKept) || !errors.Is(err, errs.Conflict)) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "log", "1.txt"))
	if err != nil || string(got) != "first" {
		t.Errorf("got %q, %v", got, err)
	}
}
