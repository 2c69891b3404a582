package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"
	"time"
)

// The names of the files that an archive has of itself.
const (
	Sums             = "SHA256SUMS"
	ManifestName     = "manifest.json"
	ManifestSigName  = "manifest.sig"
	SignerName       = "signer.pem"
	ReceiptName      = "receipt.json"
	ReceiptSigName   = "receipt.sig"
	nameOfWholeFiles = `^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$`
)

// noTime is the first moment that an archive can state.
var noTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

var plainName = regexp.MustCompile(nameOfWholeFiles)

// File is a file of an archive: its name, its SHA-256 in hexadecimal, and its size in bytes.
type File struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Writer writes an archive, one file after the other.
type Writer struct {
	zip   *zip.Writer
	names map[string]bool
	files []File
	open  *entry
}

// New begins an archive.
func New(to io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(to), names: map[string]bool{}}
}

// Create begins a file, which ends with the next one. The name is a plain relative path.
func (w *Writer) Create(name string) (io.Writer, error) { return w.begin(name, zip.Deflate) }

// CreateStored begins a file that is kept as it is: pictures, recordings and archives are
// compressed already.
func (w *Writer) CreateStored(name string) (io.Writer, error) { return w.begin(name, zip.Store) }

func (w *Writer) begin(name string, method uint16) (io.Writer, error) {
	w.end()
	if !plainName.MatchString(name) {
		return nil, fmt.Errorf("archive: %q is no plain relative path", name)
	}
	if w.names[name] {
		return nil, fmt.Errorf("archive: there are two files %s", name)
	}
	w.names[name] = true
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: noTime})
	if err != nil {
		return nil, fmt.Errorf("archive: begin %s: %w", name, err)
	}
	w.open = &entry{name: name, to: to, hash: sha256.New()}
	return w.open, nil
}

// end lists the file that was written last.
func (w *Writer) end() {
	if w.open == nil {
		return
	}
	w.files = append(w.files, File{Name: w.open.name, SHA256: hex.EncodeToString(w.open.hash.Sum(nil)), Size: w.open.size})
	w.open = nil
}

// add writes a whole file.
func (w *Writer) add(name string, content []byte) error {
	to, err := w.Create(name)
	if err != nil {
		return err
	}
	_, err = to.Write(content)
	if err != nil {
		return fmt.Errorf("archive: write %s: %w", name, err)
	}
	return nil
}

// sums lists the files so far as sha256sum does.
func (w *Writer) sums() []byte {
	w.end()
	var b strings.Builder
	for _, f := range w.files {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Name)
	}
	return []byte(b.String())
}

// entry is the file that is being written.
type entry struct {
	name string
	to   io.Writer
	hash hash.Hash
	size int64
}

func (e *entry) Write(p []byte) (int, error) {
	n, err := e.to.Write(p)
	e.hash.Write(p[:n])
	e.size += int64(n)
	return n, err
}
