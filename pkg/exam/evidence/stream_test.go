package evidence_test

import (
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
)

// A file of 200 MB passes through without being held: all that is allocated on the way,
// whether it is freed or not, is a small part of it.
func TestLargeFilePassesThrough(t *testing.T) {
	r := newRoom(t)
	const size = 200 << 20
	head := "%PDF-1.7\n"
	noise := rand.NewChaCha8([32]byte{1})
	stream := io.MultiReader(strings.NewReader(head), io.LimitReader(noise, size-int64(len(head))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := blob.Receive(stream, r.files.Limit())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := evidence.AttachInput{SubmissionID: r.submission, Kind: "document"}
	kept, err := r.files.Keep(t.Context(), r.proctor, in, file, "application/pdf")
	if err != nil {
		t.Fatal(err)
	}
	err = r.files.Verify(t.Context(), r.operator.Tenant, kept.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > size/20 {
		t.Errorf("%d bytes were allocated for a file of %d", got, size)
	}
	if kept.SizeBytes != size {
		t.Errorf("got %d bytes, want %d", kept.SizeBytes, size)
	}
}
