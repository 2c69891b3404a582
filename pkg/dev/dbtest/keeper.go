package dbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"assess/pkg/kernel/pgdev"
)

const (
	// keeperVariable, set to the server's folder, makes a test binary a keeper.
	keeperVariable = "ASSESS_DBTEST_KEEPER"
	// linger covers the time in which go test compiles and links the next package.
	linger    = time.Minute
	lookEvery = time.Second
)

func init() {
	dir := os.Getenv(keeperVariable)
	if dir == "" {
		return
	}
	if err := keep(dir, linger, lookEvery); err != nil {
		fmt.Fprintln(os.Stderr, "test database keeper:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func usersFile(dir string) string  { return filepath.Join(dir, "users") }
func keeperFile(dir string) string { return filepath.Join(dir, "keeper") }

// enter registers a user of the server: any process that holds the file open keeps the server
// running. While a keeper stops the server, it waits.
func enter(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the test database: %w", err)
	}
	return lock(usersFile(dir), syscall.LOCK_SH)
}

// ensureKeeper starts a keeper unless one is at work. The test binary itself is the
// program, so that plain go test needs nothing built beforehand.
func ensureKeeper(dir string) error {
	free, err := lock(keeperFile(dir), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	free.Close()
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the test binary: %w", err)
	}
	return startKeeper(program, dir)
}

// startKeeper detaches it: a session of its own, and output to a file, since go test
// waits for every process that holds its pipe.
func startKeeper(program, dir string) error {
	output, err := os.Create(filepath.Join(dir, "keeper.log"))
	if err != nil {
		return fmt.Errorf("open the keeper's log: %w", err)
	}
	defer output.Close()
	cmd := exec.Command(program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), keeperVariable+"="+dir)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the keeper of the test database: %w", err)
	}
	return cmd.Process.Release()
}

// keep stops the server in dir once nobody has used it for the time given, and returns.
// It returns at once where another keeper is at work.
func keep(dir string, linger, every time.Duration) error {
	sole, err := lock(keeperFile(dir), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	nobody, err := awaitIdle(usersFile(dir), linger, every)
	if err != nil {
		sole.Close()
		return err
	}
	err = retire(context.Background(), dir)
	// In this order: the user who waits to enter must find the place of the keeper free.
	sole.Close()
	nobody.Close()
	return err
}

// awaitIdle returns with the exclusive lock when nobody was seen for the time given.
func awaitIdle(users string, linger, every time.Duration) (*os.File, error) {
	for idle := time.Duration(0); ; {
		time.Sleep(every)
		nobody, err := lock(users, syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			idle = 0
			continue
		}
		if err != nil {
			return nil, err
		}
		idle += every
		if idle >= linger {
			return nobody, nil
		}
		nobody.Close()
	}
}

// retire drops all that is left and stops the server.
func retire(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	nodes, err := attachNodes(ctx, dir)
	if errors.Is(err, pgdev.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	err = sweepAll(ctx, nodes)
	for _, node := range nodes {
		err = errors.Join(err, node.Shutdown(ctx))
	}
	return err
}

// sweepAll names the present template as in use, so that it is there next time.
func sweepAll(ctx context.Context, nodes []*pgdev.Server) error {
	controls, err := connectControls(ctx, nodes, "keeper "+templateName())
	if err != nil {
		return err
	}
	err = sweepEach(ctx, controls)
	for _, control := range controls {
		err = errors.Join(err, control.Close(ctx))
	}
	return err
}

// lock opens the file and locks it; closing it, or the end of the process, unlocks.
func lock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a lock of the test database: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return file, nil
}
