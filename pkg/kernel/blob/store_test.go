package blob_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func receive(t *testing.T, content string) *blob.File {
	t.Helper()
	f, err := blob.Receive(strings.NewReader(content), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// folder opens a store in a new folder.
func folder(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blob")
	return open(t, "file://"+dir), dir
}

// bucket opens a store on a server that speaks S3.
func bucket(t *testing.T) *blob.Store {
	t.Helper()
	backend := s3mem.New()
	err := backend.CreateBucket("files")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return open(t, "s3://files?region=eu-central-1&use_path_style=true&endpoint="+url.QueryEscape(server.URL))
}

// Nobody else on the machine reads the stored files.
func TestFilesOfAFolderAreForTheServiceAlone(t *testing.T) {
	t.Parallel()
	store, dir := folder(t)
	key, err := store.Put(t.Context(), ids.New(), blob.Media, receive(t, "private"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(filepath.Join(dir, key.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Mode().Perm(); got != 0o600 {
		t.Errorf("the file has the mode %o, want 600", got)
	}
}

func open(t *testing.T, address string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func contentOf(t *testing.T, s *blob.Store, key blob.Key) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// filesOf lists the files below a folder.
func filesOf(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestStoreKeepsWhatItWasGiven(t *testing.T) {
	local, _ := folder(t)
	for name, s := range map[string]*blob.Store{"folder": local, "bucket": bucket(t)} {
		t.Run(name, func(t *testing.T) {
			content := strings.Repeat("content ", 100_000)
			sum := sha256.Sum256([]byte(content))
			want := blob.Key{Tenant: ids.New(), Kind: blob.Media, SHA256: hex.EncodeToString(sum[:])}
			if there, err := s.Exists(t.Context(), want); err != nil || there {
				t.Fatalf("before: exists %v, error %v", there, err)
			}
			for range 2 {
				got, err := s.Put(t.Context(), want.Tenant, blob.Media, receive(t, content))
				if err != nil || got != want {
					t.Fatalf("got key %v and error %v, want %v", got, err, want)
				}
			}
			if got := contentOf(t, s, want); got != content {
				t.Errorf("got %d bytes, want %d", len(got), len(content))
			}
			if err := s.Verify(t.Context(), want); err != nil {
				t.Error(err)
			}
			for range 2 {
				if err := s.Delete(t.Context(), want); err != nil {
					t.Error(err)
				}
			}
			if there, err := s.Exists(t.Context(), want); err != nil || there {
				t.Errorf("after: exists %v, error %v", there, err)
			}
			if err := s.Verify(t.Context(), want); !errors.Is(err, errs.FileDamaged) {
				t.Errorf("a missing file verifies: %v", err)
			}
		})
	}
}

func TestReaderSeeks(t *testing.T) {
	local, _ := folder(t)
	for name, s := range map[string]*blob.Store{"folder": local, "bucket": bucket(t)} {
		t.Run(name, func(t *testing.T) {
			key, err := s.Put(t.Context(), ids.New(), blob.Media, receive(t, "0123456789"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Open(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			_, err = r.Seek(6, io.SeekStart)
			if err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(r)
			if err != nil || string(rest) != "6789" {
				t.Errorf("got %q and error %v", rest, err)
			}
		})
	}
}

func TestOneTenantsFileIsNotAnothers(t *testing.T) {
	t.Parallel()
	s, dir := folder(t)
	one, other := ids.New(), ids.New()
	key, err := s.Put(t.Context(), one, blob.Media, receive(t, "same"))
	if err != nil {
		t.Fatal(err)
	}
	theirs := blob.Key{Tenant: other, Kind: blob.Media, SHA256: key.SHA256}
	if there, err := s.Exists(t.Context(), theirs); err != nil || there {
		t.Errorf("exists %v, error %v", there, err)
	}
	if diff := cmp.Diff([]string{one.String() + "/media/" + key.SHA256}, filesOf(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestSameFileAtOnce(t *testing.T) {
	t.Parallel()
	s, dir := folder(t)
	tenant, content := ids.New(), strings.Repeat("x", 300_000)
	var all sync.WaitGroup
	for range 8 {
		f := receive(t, content)
		all.Go(func() {
			key, err := s.Put(t.Context(), tenant, blob.Media, f)
			if err == nil {
				err = s.Verify(t.Context(), key)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := filesOf(t, dir); len(got) != 1 {
		t.Errorf("got files %v, want one", got)
	}
}

func TestDamageIsFoundAndMended(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		damage func(file string) error
	}{
		{"changed", func(file string) error { return os.WriteFile(file, []byte("fair copy!"), 0o600) }},
		{"cut short", func(file string) error { return os.Truncate(file, 3) }},
		{"missing", os.Remove},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, dir := folder(t)
			f := receive(t, "fair copy.")
			key, err := s.Put(t.Context(), ids.New(), blob.Media, f)
			if err != nil {
				t.Fatal(err)
			}
			err = tt.damage(filepath.Join(dir, key.String()))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(t.Context(), key); !errors.Is(err, errs.FileDamaged) {
				t.Errorf("got %v, want file_damaged", err)
			}
			_, err = s.Put(t.Context(), key.Tenant, blob.Media, f)
			if err != nil || s.Verify(t.Context(), key) != nil {
				t.Errorf("storing it again does not mend it: %v", err)
			}
		})
	}
}

func TestReceiveStops(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF))
	for _, tt := range []struct {
		name   string
		stream io.Reader
		limit  int64
		code   errs.Code
	}{
		{"at the limit", strings.NewReader("12345"), 5, ""},
		{"above the limit", strings.NewReader("123456"), 5, errs.RequestTooLarge},
		{"broken off", broken, 100, errs.MalformedRequest},
		{"nothing", bytes.NewReader(nil), 5, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := blob.Receive(tt.stream, tt.limit)
			if tt.code != "" {
				if !errors.Is(err, tt.code) {
					t.Errorf("got %v, want %s", err, tt.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStoreThatIsAway(t *testing.T) {
	t.Parallel()
	s, dir := folder(t)
	f := receive(t, "x")
	// A file where the tenant's folder should be: nothing can be written below it.
	tenant := ids.New()
	err := os.WriteFile(filepath.Join(dir, tenant.String()), nil, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Put(t.Context(), tenant, blob.Media, f)
	if !errors.Is(err, errs.StorageUnavailable) {
		t.Errorf("got %v, want storage_unavailable", err)
	}
}
