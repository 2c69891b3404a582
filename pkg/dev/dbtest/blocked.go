package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// blockedSQL asks a node whether somebody waits there for a process, or for one that works for it: Citus names
// such processes after it.
const blockedSQL = `
select exists (select from pg_locks l cross join unnest(pg_blocking_pids(l.pid)) holder join pg_stat_activity a on a.pid = holder
	where not l.granted and (a.pid = $1 or a.application_name = 'citus_internal gpid=' || $2))`

// Blocks says whether another transaction waits for this one, on whichever node.
func Blocks(t testing.TB, tx querier) bool {
	t.Helper()
	s := need(t)
	process, name := "select pg_backend_pid(), ''", ""
	if len(s.nodes) > 1 {
		process = "select pg_backend_pid(), citus_backend_gpid()::text"
	}
	rows, err := tx.Query(t.Context(), process)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = pgx.ForEachRow(rows, []any{&pid, &name}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	waits, err := s.blocks(t.Context(), pid, name)
	if err != nil {
		t.Fatal(err)
	}
	return waits
}

// blocks asks the nodes; the first is the one that knows the process by its number.
func (s *session) blocks(ctx context.Context, pid int, name string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, control := range s.controls {
		var waits bool
		err := control.QueryRow(ctx, blockedSQL, pid, name).Scan(&waits)
		if err != nil || waits {
			return waits, err
		}
		pid = 0
	}
	return false, nil
}
