package db_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
)

// A page shows what lies there in the whole list, from whichever end it was read, and no row is in two pages.
func TestEveryPageShowsWhatLiesThere(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App})
	scope := sample.Tenant(t, store)
	type row struct{ A, B int }
	for _, n := range []int{0, 1, 6, 7, 23} {
		var whole []row
		for i := range n {
			whole = append(whole, row{A: i / 3, B: i})
		}
		slices.SortFunc(whole, func(x, y row) int {
			if x.A != y.A {
				return y.A - x.A
			}
			return x.B - y.B
		})
		for limit := 1; limit <= n+1; limit++ {
			for number := 1; number <= n/limit+2; number++ {
				page := db.Page{Page: number, Limit: limit}
				var got []row
				var total int
				err := store.Read(t.Context(), scope, func(tx *db.Tx) (err error) {
					q := tx.NewSelect().Column("a", "b").TableExpr("(select i / 3 as a, i as b from generate_series(0, ?) i) r", bun.Safe(fmt.Sprint(n-1)))
					total, err = db.ReadPage(t.Context(), q, page, &got, "a desc", "b")
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				want := whole[min(page.Offset(), n):min(page.Offset()+limit, n)]
				if total != n || !slices.Equal(got, want) {
					t.Errorf("%d rows, page %d of %d: got %v of %d, want %v", n, number, limit, got, total, want)
				}
			}
		}
	}
}
