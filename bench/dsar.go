package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"assess/config"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/dsar"
)

const (
	// exportGoal is how long the export of a person with ten attempts may take, in ms.
	exportGoal = 300
	// exportedPeople is how many people are exported, and frequent how many attempts one of them has,
	// who takes an exam every day.
	exportedPeople, frequent = 40, 10_000
)

// ownSQL gives an existing person the attempts of somebody that the load made up.
const ownSQL = `
with made_up as (select user_id from %[1]s where tenant_id = $1 and user_id <> all($3) group by user_id order by user_id limit 1)
update %[1]s set user_id = $2 where tenant_id = $1 and user_id = (select user_id from made_up)`

// measureDSAR exports all we hold about people with ten attempts each, among many others, and about
// one with very many.
func measureDSAR(ctx context.Context, h *house) ([]result, error) {
	files, done, err := h.evidence(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	exporter := dsar.Exporter{Store: h.store, Files: files, Secret: auth().KeySecret}
	few, err := h.exports(ctx, exporter, "dsar", h.size.many, h.size.many/attemptsOfOne, exportedPeople)
	if err != nil {
		return nil, err
	}
	many, err := h.exports(ctx, exporter, "dsar-frequent", frequent, 1, 1)
	if err != nil {
		return nil, err
	}
	return []result{
		{Name: "export of a person with 10 attempts", Unit: "ms", Value: median(few.took), AtMost: exportGoal,
			Note: fmt.Sprintf("p95 %.0f ms, %.0f KB; among %d attempts", quantile(few.took, 0.95), few.size/1000, h.size.many)},
		{Name: fmt.Sprintf("export of a person with %d attempts", frequent), Unit: "s", Value: median(many.took) / 1000,
			Note: fmt.Sprintf("%.1f MB, at most %.0f MB of memory more than before", many.size/1e6, many.memory)},
	}, nil
}

// exports is how long exporting some people took, in ms, and the size of the last archive: bytes,
// and MB of memory in use while it was written.
type exports struct {
	took         []float64
	size, memory float64
}

// exports loads n attempts of some people and exports a few of them.
func (h *house) exports(ctx context.Context, exporter dsar.Exporter, name string, n, people, chosen int) (exports, error) {
	var found exports
	e, err := writeExam(ctx, h.store, h.authority, name, 1)
	if err != nil {
		return found, err
	}
	err = e.load(ctx, h.super, n, people, remediatedDays)
	if err != nil {
		return found, err
	}
	var persons []ids.ID
	for i := range chosen {
		persons = append(persons, e.user(i))
		for _, table := range []string{"sessions", "submissions"} {
			_, err := h.super.Exec(ctx, fmt.Sprintf(ownSQL, table), uuid(e.operator.Tenant), uuid(e.user(i)), uuids(persons))
			if err != nil {
				return found, err
			}
		}
	}
	_, err = h.super.Exec(ctx, "vacuum analyze")
	if err != nil {
		return found, err
	}
	for _, person := range persons {
		watch := newWatch()
		start := time.Now()
		_, err := exporter.Write(ctx, dsar.Order{Tenant: e.operator.Tenant, Subject: person, JobID: ids.New(), RequestedBy: "system:bench", At: start}, watch)
		if err != nil {
			return found, err
		}
		found.took = append(found.took, float64(time.Since(start).Microseconds())/1000)
		found.size, found.memory = float64(watch.written), float64(watch.most-watch.before)/(1<<20)
	}
	return found, nil
}

// watch discards everything written to it and checks now and then how much memory is in use.
type watch struct {
	written, looked int64
	before, most    uint64
}

func newWatch() *watch {
	runtime.GC()
	w := &watch{}
	w.look()
	w.before = w.most
	return w
}

func (w *watch) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most = max(w.most, m.HeapAlloc)
}

func (w *watch) Write(p []byte) (int, error) {
	w.written += int64(len(p))
	if w.written-w.looked > 64<<10 {
		w.looked = w.written
		w.look()
	}
	return io.Discard.Write(p)
}

// evidence opens a store of files in a folder of its own.
func (h *house) evidence(ctx context.Context) (*evidence.Files, func(), error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, nil, err
	}
	blobs, err := blob.Open(ctx, "file://"+filepath.Join(dir, "blob"))
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		blobs.Close()     //nolint:errcheck // nothing was written to it
		os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	}
	return evidence.NewFiles(h.store, blobs, config.Default().Blob), done, nil
}
