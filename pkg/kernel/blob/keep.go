package blob

import (
	"bytes"
	"context"
	"errors"

	"gocloud.dev/blob"

	"assess/pkg/kernel/errs"
)

// ErrKept says that another text is kept under a name.
var ErrKept = errors.New("another text is kept under this name, and stays")

// Keep stores a short text under a name of its own choice, once and for all: the same text again
// changes nothing, and another one does not replace it (ErrKept). A text that a crash or a full
// disk broke off is not there. Errors: storage_full, storage_unavailable.
func (s *Store) Keep(ctx context.Context, name string, text []byte) error {
	kept, err := s.bucket.ReadAll(ctx, name)
	switch {
	case err == nil && bytes.Equal(kept, text):
		return nil
	case err == nil:
		return errs.Wrap(errs.Conflict, ErrKept, "Another text is kept under %s, and stays.", name)
	case !missing(err):
		return failure("read what it keeps", err)
	}
	return failure("keep a text", s.writeAs(ctx, name, bytes.NewReader(text), &blob.WriterOptions{ContentType: "text/plain; charset=utf-8", IfNotExist: true}))
}
