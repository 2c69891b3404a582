package people_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
)

// The words that users are searched by are computed for each user that is written. PostgreSQL
// computes them as a part of the query instead of in a function that it starts, and plans, anew
// for every one.
func TestWordsForSearchArePartOfTheirQuery(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	store := sample.Store(t)
	err := store.Read(t.Context(), sample.Tenant(t, store), func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), `explain (verbose, costs off)
			select w from users u, words_for_search(u.name || ' ' || u.email_key || ' ' || split_part(u.email_key, '@', 2)) w`)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "for_search") {
			t.Errorf("a function is called for each user:\n%s", plan)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
