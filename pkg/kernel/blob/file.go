package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"assess/pkg/kernel/errs"
)

// File is a received file: its bytes, their number, and their SHA-256 in hexadecimal.
type File struct {
	SHA256 string
	Size   int64

	disk *os.File
}

// Receive reads a stream to its end. The file lives until Close and leaves nothing behind
// after a crash, since it has no name. Errors: request_too_large for more than limit bytes,
// malformed_request when the stream breaks off, storage_full, storage_unavailable.
func Receive(stream io.Reader, limit int64) (*File, error) {
	disk, err := os.CreateTemp("", "assess-")
	if err != nil {
		return nil, failure("receive file", err)
	}
	err = os.Remove(disk.Name())
	if err != nil {
		disk.Close() //nolint:errcheck // nothing was written to it
		return nil, failure("receive file", err)
	}
	file, err := receiveInto(disk, stream, limit)
	if err != nil {
		disk.Close() //nolint:errcheck // the file is given up
		return nil, err
	}
	return file, nil
}

func receiveInto(disk *os.File, stream io.Reader, limit int64) (*File, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(disk, hash), io.LimitReader(source{stream}, limit+1))
	if err != nil {
		return nil, failure("receive file", err)
	}
	if size > limit {
		return nil, errs.New(errs.RequestTooLarge, "The file is larger than %d bytes.", limit).With("limit", limit)
	}
	return &File{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: size, disk: disk}, nil
}

// Content gives a reader of the whole file; each has a place of its own.
func (f *File) Content() *io.SectionReader { return io.NewSectionReader(f.disk, 0, f.Size) }

// Close gives the file up.
func (f *File) Close() error {
	err := f.disk.Close()
	if err != nil {
		return fmt.Errorf("close received file: %w", err)
	}
	return nil
}

// source marks errors of the stream, so that they are not taken for errors of the disk.
type source struct{ io.Reader }

func (s source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = errs.Wrap(errs.MalformedRequest, err, "The body ended before it was complete.")
	}
	return n, err
}
