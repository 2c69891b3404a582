package blob

import (
	"context"
	"errors"
	"syscall"
	"time"

	"gocloud.dev/gcerrors"

	"assess/pkg/kernel/errs"
)

// failure gives an error of the disk or the bucket its code; one that has a code keeps it.
func failure(doing string, err error) error {
	var own *errs.Error
	switch {
	case err == nil, errors.As(err, &own), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return errs.Wrap(errs.StorageFull, err, "The file store has no room left; nothing was changed.").After(30 * time.Second)
	}
	return errs.Wrap(errs.StorageUnavailable, err, "The file store did not %s; nothing was changed.", doing).After(5 * time.Second)
}

// missing says whether an error of the bucket means that there is no such file.
func missing(err error) bool { return gcerrors.Code(err) == gcerrors.NotFound }

func damaged() error {
	return errs.New(errs.FileDamaged, "The stored file does not have the bytes that were stored.")
}
