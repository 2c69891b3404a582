package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"assess/config"
	"assess/pkg/surface/app"
)

// serveCommand runs this program as the server for another one.
const serveCommand = "serve"

// serve runs assessd as it is, until a signal ends it: serve URL ADDRESS BACKGROUND PROFILE.
func serve(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return errors.New("serve is for the bench itself")
	}
	c := config.Default()
	c.Auth = auth()
	c.Database.URL, c.HTTP.Listen = args[0], args[1]
	c.Outgoing.AllowPrivate = []string{"127.0.0.0/8"} // the receivers of webhooks
	background := args[2] == "true"
	c.Projector.Enabled, c.Jobs.Enabled = background, background
	stop, err := startProfile(args[3], "server")
	if err != nil {
		return err
	}
	defer stop()
	return app.Serve(ctx, c, os.Stderr)
}

// auth has a secret that the bench and the server share.
func auth() config.Auth {
	o := config.Default().Auth
	o.KeySecret = "of a database that is thrown away afterwards"
	return o
}

// server is assessd in a process of its own, with a connection for each client.
type server struct {
	process *exec.Cmd
	address string
	wires   []*wire
}

// startServer starts assessd. Without background work it neither projects nor runs jobs, and so
// does the same as the hand-written statements.
func (h *house) startServer(ctx context.Context, background bool) (*server, error) {
	return h.startServerAt(ctx, h.postgres.AppURL(database), background)
}

// startServerAt starts it with another way to the database.
func (h *house) startServerAt(ctx context.Context, databaseURL string, background bool) (*server, error) {
	return h.launch(ctx, "assessd", func(address string) []string {
		return []string{serveCommand, databaseURL, address, strconv.FormatBool(background), h.profile}
	})
}

// launch starts this program as a server, and connects to it.
func (h *house) launch(ctx context.Context, name string, args func(address string) []string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		return nil, err
	}
	s := &server{process: exec.Command(self, args(address)...), address: address}
	s.process.Stderr = log // stays open, for a server that is started again
	err = s.process.Start()
	if err != nil {
		return nil, err
	}
	err = s.connect(ctx)
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%w; see %s", err, log.Name())
	}
	return s, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// connect waits until the server is ready and gives each client a connection.
func (s *server) connect(ctx context.Context) error {
	for try := 0; ; try++ {
		answer, err := http.Get("http://" + s.address + "/readyz")
		if err == nil {
			answer.Body.Close()
		}
		if err == nil && answer.StatusCode == http.StatusOK {
			break
		}
		if try > 100 || ctx.Err() != nil {
			return errors.New("the server does not become ready")
		}
		time.Sleep(100 * time.Millisecond)
	}
	for range clients {
		s.wires = append(s.wires, &wire{address: s.address})
	}
	return nil
}

func (s *server) pid() int { return s.process.Process.Pid }

func (s *server) stop() {
	for _, w := range s.wires {
		w.close()
	}
	s.process.Process.Signal(syscall.SIGTERM) //nolint:errcheck // one that is gone is fine
	s.process.Wait()                          //nolint:errcheck // as above
}
