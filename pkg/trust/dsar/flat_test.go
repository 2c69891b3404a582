package dsar

import (
	"io"
	"runtime"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/archive"
)

// multiply makes a person's one attempt into n, with all their items.
func multiply(t *testing.T, urls dbtest.URLs, person ids.ID, n int) {
	t.Helper()
	super := dbtest.Heap(t, urls)
	for _, sql := range []string{`
		insert into submission_items select (jsonb_populate_record(i, jsonb_build_object('submission_id', md5(n || s.id::text)::uuid))).*
		from submissions s join submission_items i on i.tenant_id = s.tenant_id and i.submission_id = s.id, generate_series(2, $2::int) n where s.user_id = $1`, `
		insert into submissions select (jsonb_populate_record(s, jsonb_build_object('id', md5(n || s.id::text)::uuid, 'completed_at', s.completed_at - n * interval '1 hour'))).*
		from submissions s, generate_series(2, $2::int) n where s.user_id = $1`, `
		analyze`} {
		args := []any{person, n}
		if sql[len(sql)-1] == 'e' {
			args = nil
		}
		_, err := super.Exec(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// heapWatch throws written bytes away and remembers how much memory was in use at most.
type heapWatch struct {
	written, looked int64
	most            uint64
}

func (h *heapWatch) Write(p []byte) (int, error) {
	h.written += int64(len(p))
	if h.written-h.looked >= 16<<10 {
		h.looked = h.written
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return len(p), nil
}

// Ten thousand attempts cost no more memory than a few: 50,000 answers.
func TestManyAttemptsCostNoMemory(t *testing.T) {
	r := newRoom(t)
	person, _ := r.takes(5)
	multiply(t, r.urls, person, 4_000)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	watch := &heapWatch{}
	rows := r.write(person, watch).Counts["submission_items"]
	if rows != 20_000 {
		t.Errorf("%d answers, want 20000", rows)
	}
	if watch.most > before.HeapAlloc+24<<20 {
		t.Errorf("%d MB of memory in use for an archive of %d MB, %d MB before", watch.most>>20, watch.written>>20, before.HeapAlloc>>20)
	}
	t.Logf("%d MB of memory in use at most, %d MB before, an archive of %d MB", watch.most>>20, before.HeapAlloc>>20, watch.written>>20)
}

func (r *room) write(person ids.ID, to io.Writer) archive.Manifest {
	r.Helper()
	w := archive.New(to)
	var m archive.Manifest
	err := r.store.Read(r.Context(), db.System(r.operator.Tenant, "test"), func(tx *db.Tx) error {
		var err error
		m, err = write(r.Context(), tx, r.files, person, r.sources, w)
		if err != nil {
			return err
		}
		_, err = w.Close(m, archive.Receipt{}, sign)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return m
}
