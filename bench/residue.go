package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/residue"
)

// The rows that are searched: events of sessions that no one has, a hundred each.
const scannedSQL = `
insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
select $1, lpad(to_hex(g / 100), 32, '0')::uuid, lpad(to_hex(g), 32, '0')::uuid, $2, 'focus_lost', timestamptz '2026-01-01 08:00Z' + g * interval '1 second'
from generate_series(1, $3::int) g`

// sought is a person that nobody here knows.
const sought = "zyx.quorvath@example.net"

// measureResidue searches a tenant of many rows for a person, compares it with grep over a copy of the same rows, and
// looks at the memory of searching a tenth of them and all.
func measureResidue(ctx context.Context, h *house) ([]result, error) {
	few, err := h.searched(ctx, "search-few", h.size.scanned/10)
	if err != nil {
		return nil, err
	}
	many, err := h.searched(ctx, "search", h.size.scanned)
	if err != nil {
		return nil, err
	}
	return []result{
		{Name: fmt.Sprintf("searching %d rows for a person, beside COPY into grep -i", h.size.scanned), Unit: "rows/s", Value: many.rate, Beside: many.grep,
			Ratio: many.rate / many.grep, Note: "five identifiers in ten forms each, beside one in one form"},
		{Name: "memory of searching ten times the rows", Unit: "MiB", Value: many.memory, Beside: few.memory, AtMost: few.memory + 32,
			Note: "the most of the heap in use while searching"},
	}, nil
}

type searched struct{ rate, grep, memory float64 }

func (h *house) searched(ctx context.Context, name string, rows int) (searched, error) {
	var found searched
	e, err := writeExam(ctx, h.store, h.authority, name, 1)
	if err != nil {
		return found, err
	}
	tx, err := h.super.Begin(ctx)
	if err != nil {
		return found, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // it has ended by then
	_, err = tx.Exec(ctx, "set local session_replication_role = replica")
	if err == nil {
		_, err = tx.Exec(ctx, scannedSQL, uuid(e.operator.Tenant), uuid(e.operator.OrgUnit), rows)
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err == nil {
		_, err = h.super.Exec(ctx, "vacuum analyze session_events")
	}
	if err != nil {
		return found, err
	}
	identifiers := residue.Complete([]residue.Identifier{{Kind: residue.Name, Value: "Zyxa Quorvath"}, {Kind: residue.Email, Value: sought},
		{Kind: residue.ExternalID, Value: "badge-77-quorvath"}})
	var most atomic.Uint64
	runtime.GC()
	start := time.Now()
	report, err := residue.Scan(ctx, h.store, db.System(e.operator.Tenant, "bench"), nil, residue.Input{Identifiers: identifiers, Follow: func(*residue.State) error {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapInuse))
		return nil
	}})
	if err == nil && (report.Rows < int64(rows) || report.Residue > 0) {
		err = fmt.Errorf("%d rows were searched, %d findings", report.Rows, report.Residue)
	}
	if err != nil {
		return found, err
	}
	found.rate, found.memory = float64(report.Rows)/time.Since(start).Seconds(), float64(most.Load())/(1<<20)
	took, err := h.grep(ctx, e)
	found.grep = float64(rows) / took.Seconds()
	return found, err
}

// grep looks for the address in a copy of the events, as somebody would in a dump.
func (h *house) grep(ctx context.Context, e exam) (time.Duration, error) {
	conn, err := h.super.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	grep := exec.CommandContext(ctx, "grep", "-c", "-i", "-F", sought)
	in, err := grep.StdinPipe()
	if err != nil {
		return 0, err
	}
	counted, err := grep.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := grep.Start(); err != nil {
		return 0, err
	}
	_, err = conn.Conn().PgConn().CopyTo(ctx, in, "copy (select * from session_events where tenant_id = '"+e.operator.Tenant.String()+"') to stdout")
	if err != nil {
		return 0, err
	}
	if err := in.Close(); err != nil {
		return 0, err
	}
	n, err := io.ReadAll(counted)
	if err != nil {
		return 0, err
	}
	_ = grep.Wait() // 1 says that nothing was found
	if strings.TrimSpace(string(n)) != "0" {
		return 0, fmt.Errorf("grep counts %q", n)
	}
	return time.Since(start), nil
}
