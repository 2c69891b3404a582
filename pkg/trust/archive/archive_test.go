package archive_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/signer"
)

var (
	private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	keyID   = ids.New()
	subject = ids.New()
)

func sign(message []byte) (signer.Signature, error) {
	return signer.Signature{KeyID: keyID, PublicKey: private.Public().(ed25519.PublicKey), Bytes: ed25519.Sign(private, message)}, nil
}

func made(t *testing.T, at time.Time, files ...string) []byte {
	t.Helper()
	var to bytes.Buffer
	w := archive.New(&to)
	for _, name := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "what stands in "+name) //nolint:errcheck // a buffer takes everything
	}
	stored, err := w.CreateStored("files/picture.png")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(stored, "picture") //nolint:errcheck // a buffer takes everything
	_, err = w.Close(archive.Manifest{Kind: "test", SubjectID: subject, Counts: map[string]int64{"b": 2, "a": 1}},
		archive.Receipt{JobID: subject, RequestedBy: "service", IssuedAt: at}, sign)
	if err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// unpack writes the files of an archive into a folder.
func unpack(t *testing.T, packed []byte) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = os.CopyFS(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// Two archives of the same files differ in the receipt and in nothing else: byte by byte up to it,
// and file by file.
func TestTheSameFilesMakeTheSameBytesButForTheReceipt(t *testing.T) {
	t.Parallel()
	a, b := made(t, noon, "index.html", "json/a.json"), made(t, noon.Add(time.Hour), "index.html", "json/a.json")
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	if before := bytes.Index(a, []byte(archive.ReceiptName)); same < before {
		t.Errorf("the archives differ at byte %d, the receipt begins at %d", same, before)
	}
	differ := map[string]bool{}
	one, other := unpack(t, a), unpack(t, b)
	err := filepath.WalkDir(one, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, one+"/")
		if !bytes.Equal(read(t, one, name), read(t, other, name)) {
			differ[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{archive.ReceiptName: true, archive.ReceiptSigName: true}, differ); diff != "" {
		t.Errorf("files that differ (-want +got):\n%s", diff)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// check runs the tools over an unpacked archive.
func check(t *testing.T, dir string) error {
	t.Helper()
	for _, tool := range []string{"openssl", "sha256sum"} {
		_, err := exec.LookPath(tool)
		if err != nil && os.Getenv("CI") == "" {
			t.Skipf("%s is not here", tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "bash", "-ec", `
		openssl pkeyutl -verify -pubin -inkey signer.pem -rawin -in manifest.json -sigfile manifest.sig
		openssl pkeyutl -verify -pubin -inkey signer.pem -rawin -in receipt.json -sigfile receipt.sig
		sha256sum --check --strict SHA256SUMS
		grep "$(sha256sum < SHA256SUMS | cut -c -64)" manifest.json
		grep "$(sha256sum < manifest.json | cut -c -64)" receipt.json`)
	command.Dir = dir
	return command.Run()
}

func TestToolsThatEverybodyHasCheckAnArchive(t *testing.T) {
	t.Parallel()
	packed := made(t, noon, "index.html", "csv/people/a.csv")
	err := check(t, unpack(t, packed))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "files/picture.png", archive.Sums, archive.ManifestName, archive.ManifestSigName, archive.ReceiptName} {
		dir := unpack(t, packed)
		content := read(t, dir, name)
		content[len(content)/2] ^= 1
		err := os.WriteFile(filepath.Join(dir, name), content, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if check(t, dir) == nil {
			t.Errorf("nobody sees that %s was changed", name)
		}
	}
}

func TestNamesArePlain(t *testing.T) {
	t.Parallel()
	w := archive.New(io.Discard)
	for _, name := range []string{"", "/etc/passwd", "../up", "a/../b", "a//b", "a b", "a\nb", `a\b`, ".hidden", "a/", "ä"} {
		_, err := w.Create(name)
		if err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	_, first := w.Create("a/b-1.json")
	_, second := w.Create("a/b-1.json")
	if first != nil || second == nil {
		t.Errorf("the same name twice: %v, %v", first, second)
	}
}

// Written data do not stay in memory, however much they are.
func TestMemoryStaysFlat(t *testing.T) {
	w := archive.New(io.Discard)
	piece := bytes.Repeat([]byte("recording "), 100_000)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, create := range []func(string) (io.Writer, error){w.Create, w.CreateStored} {
		f, err := create("file-" + ids.New().String())
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			_, err := f.Write(piece)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("200 MB cost %d bytes of memory, want at most 4 MiB", grown)
	}
	runtime.KeepAlive(w)
}
