package dsar

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
)

// shuffleSQL writes every row of a table anew, in an order of chance.
const shuffleSQL = `do $$ declare place tid; begin
	for place in select ctid from %s order by random() loop
		update %[1]s set tenant_id = tenant_id where ctid = place;
	end loop;
end $$`

// The same data make the same bytes up to the receipt: whatever the plans, and in whatever order
// rows were written.
func TestTwoExportsDifferInTheReceiptAlone(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	person, submission := r.takes(3)
	sample.Evidence(t, r.store, r.operator, r.files, submission)
	multiply(t, r.urls, person, 20)
	first := r.upToReceipt(person, "custom", time.Now())
	if len(first) < 1000 {
		t.Fatalf("the archive has %d bytes", len(first))
	}
	super := dbtest.Heap(t, r.urls)
	for _, s := range r.sources {
		_, err := super.Exec(t.Context(), fmt.Sprintf(shuffleSQL, s.table))
		if err != nil {
			t.Fatal(err)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		if again := r.upToReceipt(person, plans, time.Now().Add(time.Hour)); !bytes.Equal(first, again) {
			t.Error("the same data made other bytes")
		}
	}, r.urls)
}

// upToReceipt exports and gives the bytes before the receipt.
func (r *room) upToReceipt(person ids.ID, plans dbtest.Plans, at time.Time) []byte {
	r.Helper()
	var to bytes.Buffer
	w := archive.New(&to)
	err := r.store.Read(r.Context(), db.System(r.operator.Tenant, "test"), func(tx *db.Tx) error {
		plans.Force(r.T, tx)
		m, err := write(r.Context(), tx, r.files, person, r.sources, w)
		if err != nil {
			return err
		}
		_, err = w.Close(m, archive.Receipt{IssuedAt: at}, sign)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return to.Bytes()[:bytes.Index(to.Bytes(), []byte(archive.ReceiptName))]
}
