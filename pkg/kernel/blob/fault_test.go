package blob

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	_, err = receiveInto(full, strings.NewReader("content"), 100)
	if !errors.Is(err, errs.StorageFull) {
		t.Errorf("receiving: got %v, want storage_full", err)
	}
	err = failure("store the file", &os.PathError{Op: "write", Err: syscall.ENOSPC})
	if !errors.Is(err, errs.StorageFull) || errs.Of(err).RetryAfter == 0 {
		t.Errorf("storing: got %v, want storage_full", err)
	}
}

// A write that breaks off in the middle leaves neither a file under the final key nor a rest.
func TestWriteThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	half := strings.NewReader(strings.Repeat("x", 100_000))
	ended, end := context.WithCancel(t.Context())
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		content io.Reader
	}{
		{"content fails", t.Context(), io.MultiReader(half, iotest.ErrReader(io.ErrUnexpectedEOF))},
		{"caller gives up", ended, io.MultiReader(strings.NewReader("x"), endThenRead{end, strings.NewReader("y")})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(t.Context(), "file://"+dir)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			key := Key{Tenant: ids.New(), Kind: Media, SHA256: strings.Repeat("0", 64)}
			err = s.write(tt.ctx, key, tt.content)
			if err == nil {
				t.Fatal("it did not fail")
			}
			left, err := filepath.Glob(filepath.Join(dir, key.Tenant.String(), "media", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// endThenRead ends a context before it gives its content.
type endThenRead struct {
	end context.CancelFunc
	io.Reader
}

func (e endThenRead) Read(p []byte) (int, error) {
	e.end()
	return e.Reader.Read(p)
}
