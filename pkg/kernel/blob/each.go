package blob

import (
	"context"
	"errors"
	"io"

	"gocloud.dev/blob"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Each calls do with the name of each file of a tenant, in their order, after the name that is given
// (empty: from the first); an error of do ends it. Errors: storage_unavailable.
func (s *Store) Each(ctx context.Context, tenant ids.ID, after string, do func(name string) error) error {
	list := s.bucket.List(&blob.ListOptions{Prefix: tenant.String() + "/"})
	for {
		file, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return failure("list the files", err)
		}
		if file.IsDir || file.Key <= after {
			continue
		}
		if err := do(file.Key); err != nil {
			return err
		}
	}
}

// OpenName gives a reader of a file by the name that Each gave. Errors: file_damaged when it is gone,
// storage_unavailable.
func (s *Store) OpenName(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := s.bucket.NewReader(ctx, name, nil)
	if missing(err) {
		return nil, errs.Wrap(errs.FileDamaged, err, "The stored file is missing.")
	}
	if err != nil {
		return nil, failure("open the file", err)
	}
	return r, nil
}
