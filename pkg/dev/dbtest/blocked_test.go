package dbtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestWhoeverWaitsIsSeenOnEveryNode(t *testing.T) {
	t.Parallel()
	urls := Fresh(t)
	holder, other := connect(t, urls.Super), connect(t, urls.Super)
	// Eight tenants lie on all nodes, wherever their ids lead them.
	for range 8 {
		tenant := ask[string](t, holder, "insert into tenants (id, slug, name, created_at) select id, 't-' || id, 'T', now() from gen_random_uuid() id returning id::text")
		_, err := holder.Exec(t.Context(), "insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $1, 'o', 'O', now())", tenant)
		if err != nil {
			t.Fatal(err)
		}
		const lockSQL = "update org_units set name = 'P' where tenant_id = $1"
		tx, err := holder.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), lockSQL, tenant)
		}
		if err != nil {
			t.Fatal(err)
		}
		if Blocks(t, counting{tx}) {
			t.Fatal("somebody is said to wait before anybody does")
		}
		over := make(chan error, 1)
		go func() {
			_, err := other.Exec(context.WithoutCancel(t.Context()), lockSQL, tenant)
			over <- err
		}()
		for !Blocks(t, counting{tx}) {
			select {
			case err := <-over:
				t.Fatalf("the other did not wait: %v", err)
			case <-time.After(time.Millisecond):
			}
		}
		err = tx.Rollback(t.Context())
		if err == nil {
			err = <-over
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// counting is a transaction whose Exec gives a number of rows.
type counting struct{ pgx.Tx }

func (c counting) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := c.Tx.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}
