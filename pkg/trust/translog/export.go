package translog

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// ExportFormat is the first field of the first line of an export.
const ExportFormat = "assess-ledger-export/v1"

// exportHeader is the first line of an export. The lines that follow are
//
//	{"actor":...}                     an event, in canonical JSON: the leaf of the log
//	{"batch":{"number":1,"states":[]}}  after an event submissions.sequenced: the leaves of its batch
//	{"hashes":"..."}                  after 256 events, and after the last: their leaf hashes as they
//	                                  were stored, joined, in base64
type exportHeader struct {
	Format     string `json:"format"`
	TenantID   ids.ID `json:"tenantId"`
	Origin     string `json:"origin"`
	Size       int64  `json:"size"`
	Checkpoint string `json:"checkpoint"`
	Keys       []Key  `json:"keys"`
}

type batchLine struct {
	Batch batchStates `json:"batch"`
}

type batchStates struct {
	Number int64   `json:"number"`
	States []State `json:"states"`
}

type hashesLine struct {
	Hashes string `json:"hashes"`
}

// exportPiece is how many events are read at a time: whole tiles.
const exportPiece = 32 * tileWidth

// Export writes the log up to its newest checkpoint as NDJSON and gives the number of events.
// Memory does not grow with the log. progress may be nil. Capability: compliance.read, for the
// whole tenant. Errors: not_found before the first checkpoint.
func Export(ctx context.Context, tx *db.Tx, to io.Writer, progress func(done, total int64)) (int64, error) {
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return 0, err
	}
	c, err := NewestCheckpoint(ctx, tx)
	if err != nil {
		return 0, err
	}
	keys, err := ListKeys(ctx, tx)
	if err != nil {
		return 0, err
	}
	w := &exporter{tx: tx, Writer: bufio.NewWriterSize(to, 1<<16)}
	err = w.json(exportHeader{ExportFormat, tx.Tenant(), c.Origin, c.Size, c.Note, keys.All()})
	for first := int64(0); err == nil && first < c.Size; first += exportPiece {
		err = w.piece(ctx, first, min(first+exportPiece, c.Size))
		if progress != nil {
			progress(min(first+exportPiece, c.Size), c.Size)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return 0, fmt.Errorf("export the log: %w", err)
	}
	return c.Size, nil
}

type exporter struct {
	*bufio.Writer
	tx *db.Tx
}

func (w *exporter) json(v any) error {
	line, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	return w.line(line)
}

func (w *exporter) line(text []byte) error {
	_, err := w.Write(text)
	if err == nil {
		err = w.WriteByte('\n')
	}
	return err
}

// piece writes the events behind first up to last, each tile followed by its hashes.
func (w *exporter) piece(ctx context.Context, first, last int64) error {
	tiles, err := leafTiles(ctx, w.tx, first, last)
	if err != nil {
		return err
	}
	batches, err := batchesOf(ctx, w.tx, first, last)
	if err != nil {
		return err
	}
	end := func(seq int64) error {
		return w.json(hashesLine{base64.StdEncoding.EncodeToString(tiles[(seq-1)/tileWidth])})
	}
	next := first + tileWidth // the last event of the tile that is being written
	err = eachEvent(ctx, w.tx, first+1, last, func(e *event) error {
		for ; e.Seq > next; next += tileWidth {
			err := end(next)
			if err != nil {
				return err
			}
		}
		leaf, err := e.leaf(w.tx.Tenant())
		if err == nil {
			err = w.line(leaf)
		}
		batch, there := batches[e.ID]
		if err == nil && there {
			err = w.json(batchLine{batch})
		}
		return err
	})
	for ; err == nil && next-tileWidth < last; next += tileWidth {
		err = end(min(next, last))
	}
	return err
}

// leafTiles gives the stored leaf hashes of the events behind first up to last, by tile: no more
// than these.
func leafTiles(ctx context.Context, tx *db.Tx, first, last int64) (map[int64][]byte, error) {
	rows, err := tx.Query(ctx, "select place, hashes from ledger_tiles where tenant_id = $1 and level = 0 and place between $2 and $3",
		tx.Tenant(), first/tileWidth, (last-1)/tileWidth)
	if err != nil {
		return nil, fmt.Errorf("read the hashes of the log: %w", err)
	}
	tiles := map[int64][]byte{}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var at int64
		var hashes []byte
		err := row.Scan(&at, &hashes)
		most := (last - at*tileWidth) * hashSize
		tiles[at] = hashes[:min(int64(len(hashes)), max(most, 0))]
		return struct{}{}, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the hashes of the log: %w", err)
	}
	return tiles, nil
}

// batchesSQL finds the batches whose events are among some of the ledger.
const batchesSQL = `
select b.event_id, b.number, s.submission_id, s.state_hash, s.state_scheme, s.score_version, s.status, s.erased, s.cause, s.execution
from (
	select (payload ->> 'batch')::bigint as number from ledger_events
	where tenant_id = $1 and seq > $2 and seq <= $3 and event_type = $4 and payload ->> 'batch' ~ '^[0-9]{1,18}$' offset 0
) e
cross join lateral (select * from ledger_batches b where b.tenant_id = $1 and b.number = e.number offset 0) b
cross join lateral (select * from ledger_states s where s.tenant_id = $1 and s.batch = b.number offset 0) s
order by b.number, s.position`

// batchesOf gives the batches that are named by the events behind first up to last, by event.
func batchesOf(ctx context.Context, tx *db.Tx, first, last int64) (map[ids.ID]batchStates, error) {
	rows, err := tx.Query(ctx, batchesSQL, tx.Tenant(), first, last, BatchEvent)
	if err != nil {
		return nil, fmt.Errorf("read batches: %w", err)
	}
	batches := map[ids.ID]batchStates{}
	var event ids.ID
	var number int64
	var s State
	_, err = pgx.ForEachRow(rows, []any{&event, &number, &s.SubmissionID, &s.StateHash, &s.StateScheme, &s.ScoreVersion, &s.Status, &s.Erased, &s.Cause, &s.Execution}, func() error {
		b := batches[event]
		b.Number, b.States = number, append(b.States, s)
		batches[event] = b
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read batches: %w", err)
	}
	return batches, nil
}

// batchPayload is what the event of a batch says.
type batchPayload struct {
	Batch       int64  `json:"batch"`
	Root        string `json:"root"`
	Scheme      string `json:"scheme"`
	Submissions int    `json:"submissions"`
}

// rootMatches holds the states of a batch against the event.
func (p batchPayload) rootMatches(states []State) (bool, error) {
	leaves, err := leavesOf(states)
	if err != nil {
		return false, err
	}
	root, err := rootOver(leaves)
	return inHex(root) == p.Root && p.Scheme == batchScheme, err
}

// canonical gives the canonical form of JSON that somebody sent on.
func canonical(raw json.RawMessage) ([]byte, error) { return content.Canonical(raw) }
