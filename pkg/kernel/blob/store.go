package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3:// addresses

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Kind says what a tenant's files are for.
type Kind string

// The kinds.
const (
	Media      Kind = "media"
	Evidence   Kind = "evidence"
	Compliance Kind = "compliance"
)

// Key names a file. SHA256 is in hexadecimal.
type Key struct {
	Tenant ids.ID
	Kind   Kind
	SHA256 string
}

// String is the key's place in the store.
func (k Key) String() string { return path.Join(k.Tenant.String(), string(k.Kind), k.SHA256) }

// Store keeps files by key. It may be used by many goroutines at once.
type Store struct {
	bucket *blob.Bucket
	// folder is where a local store lies; empty for a bucket.
	folder string
}

// Open opens the store of an address: file:///a/folder (file://./folder from the working
// directory), which is made where it does not exist, or s3://bucket with the parameters of
// gocloud.dev (region, endpoint, use_path_style). Credentials for S3 come from where the
// AWS tools look for them.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The parser's message may quote a password.
		return nil, errors.New("blob.url cannot be parsed")
	}
	if u.Scheme != "file" {
		bucket, err := blob.OpenBucket(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("open file store: %w", err)
		}
		return &Store{bucket: bucket}, nil
	}
	folder := filepath.FromSlash(u.Host + u.Path)
	bucket, err := fileblob.OpenBucket(folder, &fileblob.Options{CreateDir: true, DirFileMode: 0o700,
		// A rename needs both names on one file system.
		NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("open file store: %w", err)
	}
	return &Store{bucket: bucket, folder: folder}, nil
}

// Close ends the use of the store.
func (s *Store) Close() error {
	err := s.bucket.Close()
	if err != nil {
		return fmt.Errorf("close file store: %w", err)
	}
	return nil
}

// Put stores a received file below a tenant and gives its key. Doing so again changes
// nothing. Errors: storage_full, storage_unavailable.
func (s *Store) Put(ctx context.Context, tenant ids.ID, kind Kind, f *File) (Key, error) {
	key := Key{Tenant: tenant, Kind: kind, SHA256: f.SHA256}
	err := s.Verify(ctx, key)
	if err == nil || !errors.Is(err, errs.FileDamaged) {
		return key, err
	}
	return key, failure("store the file", s.write(ctx, key, f.Content()))
}

// write takes back what it wrote when the content breaks off: a writer whose context has
// ended leaves nothing behind.
func (s *Store) write(ctx context.Context, key Key, content io.Reader) error {
	return s.writeAs(ctx, key.String(), content, &blob.WriterOptions{ContentType: "application/octet-stream", BeforeWrite: keepPrivate})
}

func (s *Store) writeAs(ctx context.Context, name string, content io.Reader, options *blob.WriterOptions) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	w, err := s.bucket.NewWriter(ctx, name, options)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, content)
	if err != nil {
		giveUp()
		w.Close() //nolint:errcheck // complains that it was given up
		return err
	}
	err = w.Close()
	if err != nil {
		return err
	}
	return s.settle(name)
}

// keepPrivate lets nobody but the service read a file of a folder, before its first byte is
// written. A bucket has no such file.
func keepPrivate(as func(any) bool) error {
	var f *os.File
	if !as(&f) {
		return nil
	}
	return f.Chmod(0o600)
}

// Open gives a reader of a file, which can seek. Errors: file_damaged when there is none,
// storage_unavailable.
func (s *Store) Open(ctx context.Context, key Key) (*blob.Reader, error) {
	r, err := s.bucket.NewReader(ctx, key.String(), nil)
	if missing(err) {
		return nil, errs.Wrap(errs.FileDamaged, err, "The stored file is missing.")
	}
	if err != nil {
		return nil, failure("open the file", err)
	}
	return r, nil
}

// Verify reads a file and holds its bytes against its key. Errors: file_damaged,
// storage_unavailable.
func (s *Store) Verify(ctx context.Context, key Key) error {
	r, err := s.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read from
	hash := sha256.New()
	_, err = io.Copy(hash, r)
	if err != nil {
		return failure("read the file", err)
	}
	if !strings.EqualFold(hex.EncodeToString(hash.Sum(nil)), key.SHA256) {
		return damaged()
	}
	return nil
}

// Exists says whether there is a file of this key; its bytes are not looked at.
func (s *Store) Exists(ctx context.Context, key Key) (bool, error) {
	there, err := s.bucket.Exists(ctx, key.String())
	return there, failure("look for the file", err)
}

// Delete deletes a file; one that is not there is deleted already.
func (s *Store) Delete(ctx context.Context, key Key) error {
	err := s.bucket.Delete(ctx, key.String())
	if missing(err) {
		return nil
	}
	return failure("delete the file", err)
}
