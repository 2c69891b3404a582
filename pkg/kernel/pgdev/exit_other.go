//go:build !linux

package pgdev

import (
	"context"
	"errors"
	"syscall"
)

// awaitExit returns once the process is dead, or the context has ended.
func awaitExit(ctx context.Context, pid int) error {
	for !reaped(pid) && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}
