package capacity_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capacity"
	"assess/pkg/kernel/db"
)

// The programs' own login measures; nothing else is open to assessctl.
func TestAMachineIsMeasured(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App})
	m, err := capacity.Measure(t.Context(), store.Pool())
	if err != nil {
		t.Fatal(err)
	}
	if m.Processors < 1 || m.Pace <= 0 || m.Commit < 0 {
		t.Errorf("measured %+v", m)
	}
	store.Close()
	_, err = capacity.Measure(t.Context(), store.Pool())
	if err == nil {
		t.Error("a closed pool was measured")
	}
}
