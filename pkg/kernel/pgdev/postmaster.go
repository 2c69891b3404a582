package pgdev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// startLimit leaves room for the recovery of a large cluster.
	startLimit = 2 * time.Minute
	killLimit  = 10 * time.Second
)

// errExited says that the postmaster ended while we waited for it.
var errExited = errors.New("postgres exited")

// start brings up the server; the caller holds the lock.
func (s *Server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := s.bringUp(ctx)
	if err != nil && s.child != 0 {
		// Nobody will get a Server to stop it with.
		err = errors.Join(err, s.kill())
	}
	return err
}

func (s *Server) bringUp(ctx context.Context) error {
	if pid, ok := s.postmaster(); ok {
		err := s.waitReady(ctx, pid)
		if err == nil {
			return s.createRoles(ctx)
		}
		// It may have been on its way out.
		if !errors.Is(err, errExited) {
			return err
		}
	}
	found, err := s.initialise()
	if err != nil {
		return err
	}
	if err := s.clearWay(); err != nil {
		return err
	}
	if err := s.launchUntilReady(ctx, found); err != nil {
		return err
	}
	return s.createRoles(ctx)
}

// clearWay removes the process ids that a crash left behind, in the cluster and next to the
// socket. PostgreSQL would take any process with this number and account for its
// postmaster, even a dead one that nobody has waited for. Backends that outlive a
// postmaster are found all the same, by their shared memory.
func (s *Server) clearWay() error {
	for _, left := range []string{s.pidFile(), filepath.Join(s.folders.socket, socketName+".lock")} {
		err := os.Remove(left)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the process id of a dead PostgreSQL: %w", err)
		}
	}
	return preparePrivate(s.folders.socket, s.account)
}

// launchUntilReady tries again while backends of a killed postmaster still hold its shared
// memory. One that waits notices and leaves; one that computes may not for hours, so they are
// ended: nobody will hear their answers, and recovery undoes what they did not commit.
func (s *Server) launchUntilReady(ctx context.Context, found programs) error {
	for {
		logged := logSize(s.folders.log)
		pid, err := s.launch(found)
		if err != nil {
			return err
		}
		err = s.waitReady(ctx, pid)
		if !errors.Is(err, errExited) {
			return err
		}
		tail := logTail(s.folders.log, logged)
		if !bytes.Contains(tail, []byte("pre-existing shared memory block")) {
			return fmt.Errorf("start PostgreSQL: %w: %s", err, tail)
		}
		for _, pid := range s.orphans() {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone by itself
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("wait for the backends of a dead PostgreSQL: %w", err)
		}
	}
}

func (s *Server) launch(found programs) (int, error) {
	log, err := openLog(s.folders.log)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	// The folder of the process is how alive recognises it.
	cmd := s.account.command(s.folders.data, log, found.path("postgres"), arguments(s.folders, s.opts)...)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.child, s.started = cmd.Process.Pid, true
	offspring.Store(s.child, true)
	// alive reaps it; a goroutine in Wait would stay for as long as the server runs.
	return s.child, cmd.Process.Release()
}

// waitReady returns once the server accepts a connection, or errExited.
func (s *Server) waitReady(ctx context.Context, pid int) error {
	for {
		conn, err := pgx.Connect(ctx, s.SuperURL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if !s.alive(pid) {
			return errExited
		}
		if pauseErr := pause(ctx); pauseErr != nil {
			return fmt.Errorf("PostgreSQL does not accept connections: %w", err)
		}
	}
}

func (s *Server) shutdown(ctx context.Context) error {
	pid, ok := s.postmaster()
	if !ok {
		return nil
	}
	if err := s.end(ctx, pid, syscall.SIGINT); err != nil {
		return err
	}
	if filepath.Dir(s.folders.socket) != s.folders.home {
		os.Remove(s.folders.socket) // empty by now; one that stays is used again
	}
	return nil
}

func (s *Server) kill() error {
	pid, ok := s.postmaster()
	if !ok {
		// It may be too young to have written its file.
		pid = s.child
	}
	if pid == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	return s.end(ctx, pid, syscall.SIGKILL)
}
