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
	"sync"
	"syscall"
)

func (s *Server) pidFile() string { return filepath.Join(s.folders.data, "postmaster.pid") }

// offspring are the postmasters that this process started and has not waited for yet. Whichever
// Server asks, a dead one must be waited for here: until then its number looks taken.
var offspring sync.Map

// reaped says whether the process was a child of ours that is dead.
func reaped(pid int) bool {
	if _, ours := offspring.Load(pid); !ours {
		return false
	}
	done, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	if done != pid && !errors.Is(err, syscall.ECHILD) {
		return false
	}
	offspring.Delete(pid)
	return true
}

// orphans are the processes of a dead postmaster that live on. All processes of a cluster, and
// no others, work in its folder.
func (s *Server) orphans() []int {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // fails only for a malformed pattern
	var found []int
	for _, link := range links {
		folder, err := os.Readlink(link)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err == nil && folder == s.folders.data && pid > 1 {
			found = append(found, pid)
		}
	}
	return found
}

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
	if reaped(pid) || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		if pid == s.child {
			s.child = 0
		}
		return false
	}
	if pid == s.child {
		return true
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
