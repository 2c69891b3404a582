package pgdev

import (
	"context"
	"errors"
	"sync"
)

// ErrNotRunning is Attach's error for a folder without a running server.
var ErrNotRunning = errors.New("no PostgreSQL runs in this folder")

// Options describe a private server.
type Options struct {
	// Dir is the folder of the cluster, logs and socket. It is made where it is missing.
	Dir string
	// Durable keeps every commit through a crash of the machine. Tests do without.
	Durable bool
	// Settings go over ours; names as in postgresql.conf. They take effect when the server
	// is started, not when one is found running.
	Settings map[string]string
}

// Server is a private PostgreSQL. Its methods may be called from several goroutines.
type Server struct {
	opts    Options
	account account
	folders folders

	mu sync.Mutex
	// started is true once this process has started the server.
	started bool
	// child is the postmaster while it is a child of this process; 0 otherwise.
	child int
}

// Start gives a running server that accepts connections and has its roles: the one that
// already runs in the folder, or a new one, with a cluster made on first use. Without
// server programs the error is ErrNoPrograms. A failed Start leaves no server behind that
// it started.
func Start(ctx context.Context, opts Options) (*Server, error) {
	s, err := open(opts)
	if err != nil {
		return nil, err
	}
	if err := s.exclusively(ctx, s.start); err != nil {
		return nil, err
	}
	return s, nil
}

// Attach gives the server that runs in the folder, and starts none: ErrNotRunning.
func Attach(ctx context.Context, opts Options) (*Server, error) {
	s, err := open(opts)
	if err != nil {
		return nil, err
	}
	err = s.exclusively(ctx, func(ctx context.Context) error {
		pid, ok := s.postmaster()
		if !ok {
			return ErrNotRunning
		}
		return s.waitReady(ctx, pid)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(opts Options) (*Server, error) {
	who, err := serverAccount()
	if err != nil {
		return nil, err
	}
	at, err := prepareFolders(opts.Dir, who)
	if err != nil {
		return nil, err
	}
	return &Server{opts: opts, account: who, folders: at}, nil
}

// Home is the folder that holds the cluster: Options.Dir, unless PostgreSQL's account
// cannot enter that.
func (s *Server) Home() string { return s.folders.home }

// Started says whether this process started the server, so that Stop will end it.
func (s *Server) Started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// Stop ends a server that this process started, and no other.
func (s *Server) Stop(ctx context.Context) error {
	if !s.Started() {
		return nil
	}
	return s.Shutdown(ctx)
}

// Shutdown ends the server no matter who started it: open transactions are rolled back, clients
// are disconnected, and the cluster is closed cleanly ("fast"). One that is gone is fine.
func (s *Server) Shutdown(ctx context.Context) error {
	return s.exclusively(ctx, s.shutdown)
}

// Restart ends the server, if it still runs, and starts it again. After Kill it recovers.
// From then on it counts as started by this process.
func (s *Server) Restart(ctx context.Context) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		if err := s.shutdown(ctx); err != nil {
			return err
		}
		return s.start(ctx)
	})
}

// Exited returns once the postmaster that runs now has ended, no matter who started it, and at once if none runs. It
// is an error if the context ends first.
func (s *Server) Exited(ctx context.Context) error {
	s.mu.Lock()
	pid, ok := s.postmaster()
	s.mu.Unlock()
	if !ok {
		return nil
	}
	return awaitExit(ctx, pid)
}

// Kill ends the postmaster as a crash would, with SIGKILL, and returns once it is dead.
// Its backends notice within moments. It is for tests of recovery.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kill()
}

// exclusively keeps out the other goroutines of this process and all other processes.
func (s *Server) exclusively(ctx context.Context, action func(context.Context) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return withLock(ctx, s.folders.lock, func() error { return action(ctx) })
}
