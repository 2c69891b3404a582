package db_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// To clients, Citus's errors about a node that is away mean that the database is away; other internal errors do not.
func TestALostNodeIsADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, message string
		away          bool
	}{
		{"XX000", "failure on connection marked as essential: worker1:5432", true},
		{"XX000", "could not commit transaction for shard 102008 on at least one active node", true},
		{"XX000", "terminating connection due to unexpected postmaster exit", true},
		{"08006", "connection to the remote node assess@worker1:5432 failed with the following error: FATAL:  the database system is starting up", true},
		{"XX000", "postmaster was shut down, exiting", true},
		{"58030", "failed to COPY to shard 0 on worker1:5432", true},
		{"58030", "could not read file", false},
		{"XX000", "cache lookup failed for type 4711", false},
	} {
		err := db.Translate(&pgconn.PgError{SeverityUnlocalized: "ERROR", Code: c.code, Message: c.message})
		if errors.Is(err, errs.DatabaseUnavailable) != c.away {
			t.Errorf("%s: %v", c.message, err)
		}
	}
}
