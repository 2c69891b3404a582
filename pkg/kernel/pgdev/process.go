package pgdev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func (s *Server) pidFile() string { return filepath.Join(s.folders.data, "postmaster.pid") }

// end sends the signal and waits until the process is gone.
func (s *Server) end(ctx context.Context, pid int, signal syscall.Signal) error {
	err := syscall.Kill(pid, signal)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal PostgreSQL: %w", err)
	}
	for s.alive(pid) {
		if err := pause(ctx); err != nil {
			return fmt.Errorf("PostgreSQL did not end: %w", err)
		}
	}
	return nil
}

// postmaster gives the process id of the server that runs in the folder.
func (s *Server) postmaster() (int, bool) {
	content, err := os.ReadFile(s.pidFile())
	if err != nil {
		return 0, false
	}
	line, _, _ := bytes.Cut(content, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || pid <= 1 {
		return 0, false
	}
	return pid, s.alive(pid)
}

// alive says whether the process is a living postmaster of this cluster. After a crash the
// number in postmaster.pid may belong to any other process; a postmaster is known by its
// working folder, and a dead process that nobody has waited for has none.
func (s *Server) alive(pid int) bool {
	if pid == s.child {
		reaped, _ := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if reaped == pid {
			s.child = 0
		}
		return s.child != 0
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err == nil {
		return folder == s.folders.data
	}
	return !errors.Is(err, fs.ErrNotExist) || !procMounted()
}

// procMounted is false on macOS, where the process id has to do.
func procMounted() bool {
	_, err := os.Stat("/proc/self")
	return err == nil
}
