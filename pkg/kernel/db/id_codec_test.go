package db_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func TestIDsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	id, other := ids.New(), ids.New()
	type row struct {
		one          ids.ID
		there, none  *ids.ID
		many, empty  []ids.ID
		text, ofText string
	}
	want := row{one: id, there: &other, many: []ids.ID{id, other}, empty: []ids.ID{}, text: id.String(), ofText: other.String()}
	var got row
	err := store.Read(t.Context(), db.System(ids.New(), "test"), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select $1::uuid, $2::uuid, $3::uuid, $4::uuid[], $5::uuid[], $1::uuid::text, $6::uuid::text`,
			id, &other, (*ids.ID)(nil), []ids.ID{id, other}, []ids.ID{}, other.String()).
			Scan(&got.one, &got.there, &got.none, &got.many, &got.empty, &got.text, &got.ofText)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestNullIsNoID(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	var id ids.ID
	err := store.Read(t.Context(), db.System(ids.New(), "test"), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select null::uuid").Scan(&id)
	})
	if err == nil {
		t.Errorf("NULL was read as %s", id)
	}
}
