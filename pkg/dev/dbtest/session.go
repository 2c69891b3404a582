package dbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/migrations"
	"assess/pkg/kernel/pgdev"
)

const (
	clonePrefix    = "assess_test_"
	templatePrefix = "assess_tmpl_"
	// statementLimit is far above what any statement here takes, and below the patience of
	// go test, so that a stuck server is reported and not just timed out.
	statementLimit = time.Minute
)

// session is the part that one test binary has in the shared server.
type session struct {
	server *pgdev.Server
	// nodes are the server, or the coordinator and the workers of a cluster.
	nodes    []*pgdev.Server
	run      string
	template string
	// inUse holds the shared lock for as long as the session lives.
	inUse *os.File

	mu sync.Mutex
	// controls are connections to the nodes.
	controls []*pgx.Conn
	clones   int
}

// join registers this process as a user of the server in dir, starts it where it does not
// run, drops what dead runs left, and makes the template where it is missing.
func join(ctx context.Context, dir string) (*session, error) {
	inUse, err := enter(dir)
	if err != nil {
		return nil, err
	}
	nodes, err := startNodes(ctx, dir)
	if err != nil {
		inUse.Close()
		return nil, err
	}
	s := &session{
		server: nodes[0], nodes: nodes, inUse: inUse,
		run: newRun(), template: templateName(),
	}
	s.controls, err = connectControls(ctx, nodes, s.run+" "+s.template)
	if err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		inUse.Close()
		return nil, err
	}
	return s, nil
}

// templateName: 48 bits tell the schemas of one checkout apart.
func templateName() string { return templatePrefix + migrations.Hash()[:12] }

func newRun() string {
	var b [4]byte
	rand.Read(b[:]) // never fails: see crypto/rand
	return hex.EncodeToString(b[:])
}

func connectControls(ctx context.Context, nodes []*pgdev.Server, uses string) ([]*pgx.Conn, error) {
	var all []*pgx.Conn
	for _, node := range nodes {
		control, err := connectControl(ctx, node, uses)
		if err != nil {
			return nil, err
		}
		all = append(all, control)
	}
	return all, nil
}

// connectControl opens a connection whose name says what its process uses; sweep reads it.
func connectControl(ctx context.Context, server *pgdev.Server, uses string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(server.SuperURL("postgres"))
	if err != nil {
		return nil, fmt.Errorf("test database: %w", err)
	}
	config.RuntimeParams["application_name"] = "assess_test " + uses
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the test database: %w", err)
	}
	return conn, nil
}

// clone copies a database and gives the name of the copy.
func (s *session) clone(of string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clones++
	name := fmt.Sprintf("%s%s_%d", clonePrefix, s.run, s.clones)
	// The test that filled a database has left it, but Citus has not.
	if len(s.nodes) > 1 && of != s.template {
		err := s.close(context.Background(), of)
		if err != nil {
			return "", err
		}
	}
	// Copying files beats writing every block to the log: 30 ms instead of 100.
	err := s.exec("create database " + quote(name) + " template " + quote(of) +
		" owner assess_owner strategy file_copy")
	if err == nil {
		err = s.settle(name)
	}
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", of, err)
	}
	return name, nil
}

// settle restores what a copy of a database leaves out: rights on the database as a whole, and settings. Services
// must announce their changes of people's rights; changes by tests as superuser reach nobody.
func (s *session) settle(name string) error {
	database := quote(name)
	return s.exec("revoke temporary on database " + database + " from public;" +
		"alter role assess in database " + database + " set assess.announced = 'must';" +
		"alter role postgres in database " + database + " set assess.announced = 'true'")
}

// drop removes a database even while a test's pool is still connected.
func (s *session) drop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.exec(dropStatement(name))
	// Citus comes back to a database that it was thrown out of a moment ago.
	for try := 1; try < 5 && isInUse(err); try++ {
		err = s.exec(dropStatement(name))
	}
	if err != nil {
		return fmt.Errorf("drop a test database: %w", err)
	}
	return nil
}

func isInUse(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "55006"
}

// exec has a context of its own: pgx closes a connection when a statement's context ends,
// and the end of one test must not take this one from all others.
func (s *session) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	return onEach(ctx, s.controls, statement)
}

// onEach runs a statement on every node.
func onEach(ctx context.Context, controls []*pgx.Conn, statement string) error {
	for _, control := range controls {
		_, err := control.Exec(ctx, statement)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *session) urls(name string) URLs {
	return URLs{Super: s.server.SuperURL(name), Owner: s.server.OwnerURL(name), App: s.server.AppURL(name), Name: name}
}

func dropStatement(name string) string {
	return "drop database if exists " + quote(name) + " with (force)"
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
