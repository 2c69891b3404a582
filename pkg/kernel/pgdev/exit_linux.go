package pgdev

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit returns once the process is dead, waited for or not, or the context has ended. The kernel wakes us: a
// descriptor of a process can be read when the process has ended.
func awaitExit(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err == unix.ESRCH { //nolint:errorlint // an error number is never wrapped
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch PostgreSQL: %w", err)
	}
	process := os.NewFile(uintptr(fd), "postmaster")
	defer process.Close()
	raw, err := process.SyscallConn()
	if err != nil {
		return fmt.Errorf("watch PostgreSQL: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = process.SetReadDeadline(time.Unix(1, 0)) })()
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR //nolint:errorlint // an error number is never wrapped
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("watch PostgreSQL: %w", err)
	}
	return nil
}
