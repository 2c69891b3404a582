package pgdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const pollEvery = 20 * time.Millisecond

// withLock runs the action while no other process starts or stops the server of this
// folder. The kernel drops the lock when its holder dies.
func withLock(ctx context.Context, path string, action func() error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open PostgreSQL's lock: %w", err)
	}
	defer file.Close()
	if err := takeLock(ctx, file); err != nil {
		return err
	}
	return action()
}

// takeLock polls, because a blocked flock would not notice that ctx has ended.
func takeLock(ctx context.Context, file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("another process holds %s: %w", file.Name(), err)
		}
	}
}

// pause waits one poll, or says why there is none.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pollEvery):
		return nil
	}
}
