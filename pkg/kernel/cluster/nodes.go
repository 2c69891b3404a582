package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// ErrNoCitus says that the database is on a single machine.
var ErrNoCitus = errors.New("the database has no Citus")

// Querier is a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Node is where the nodes of a cluster reach one of them.
type Node struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// String writes the node as ParseNode reads it.
func (n Node) String() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// ParseNode reads host:port; a host that begins with a slash is the folder of a socket.
func ParseNode(word string) (Node, error) {
	host, port, err := net.SplitHostPort(word)
	number, notNumber := strconv.Atoi(port)
	if err != nil || notNumber != nil || host == "" || number < 1 || number > 65535 {
		return Node{}, fmt.Errorf("%q is no node: expected host:port", word)
	}
	return Node{host, number}, nil
}

// Nodes gives the coordinator, nil where Citus has not been told of it, and the workers. Errors: ErrNoCitus.
func Nodes(ctx context.Context, q Querier) (coordinator *Node, workers []Node, err error) {
	err = there(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	rows, err := q.Query(ctx, `select nodename, nodeport, groupid = 0 from pg_dist_node
		where noderole = 'primary' and isactive order by groupid`)
	if err != nil {
		return nil, nil, fmt.Errorf("ask Citus for its nodes: %w", err)
	}
	var n Node
	var first bool
	_, err = pgx.ForEachRow(rows, []any{&n.Host, &n.Port, &first}, func() error {
		if first {
			coordinator = &Node{n.Host, n.Port}
		} else {
			workers = append(workers, n)
		}
		return nil
	})
	return coordinator, workers, err
}

// there fails with ErrNoCitus on the database of one machine.
func there(ctx context.Context, q Querier) error {
	rows, err := q.Query(ctx, "select exists (select from pg_extension where extname = 'citus')")
	if err != nil {
		return err
	}
	has, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
	if err == nil && !has {
		return ErrNoCitus
	}
	return err
}

// Join tells the coordinator how the others reach it, unless it knows, and of the workers that it does not know yet.
func Join(ctx context.Context, conn *pgx.Conn, self Node, workers []Node, done func(Node)) error {
	coordinator, known, err := Nodes(ctx, conn)
	if err != nil {
		return err
	}
	if coordinator == nil {
		_, err = conn.Exec(ctx, "select citus_set_coordinator_host($1, $2)", self.Host, self.Port)
		if err != nil {
			return fmt.Errorf("name the coordinator %s: %w", self, err)
		}
	}
	for _, w := range workers {
		if slices.Contains(known, w) {
			continue
		}
		_, err = conn.Exec(ctx, "select citus_add_node($1, $2)", w.Host, w.Port)
		if err != nil {
			return fmt.Errorf("join %s: %w", w, err)
		}
		known = append(known, w)
		done(w)
	}
	return nil
}
