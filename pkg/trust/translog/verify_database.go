package translog

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/compact"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// VerifyInput says what to verify besides the log itself.
type VerifyInput struct {
	Older []Older
	// Keys are the keys that count; without any, the keys of the database count.
	Keys []string
	// EventsOnly leaves the states of submissions out.
	EventsOnly bool
	// Progress may be nil.
	Progress func(done, total int64)
}

// Verify holds the ledger of a tenant against its log, its log against all its checkpoints and
// older ones, and submissions against their states in it. It reads at one snapshot, in pieces, with
// flat memory. Capability: compliance.read, for the whole tenant.
func Verify(ctx context.Context, tx *db.Tx, in VerifyInput) (Report, error) {
	if err := tx.Require(capability.ComplianceRead); err != nil {
		return Report{}, err
	}
	r := Report{Findings: []Finding{}, Source: "database", TrustedKeys: "given"}
	if len(in.Keys) == 0 {
		r.TrustedKeys = "database"
	}
	stored, err := ListKeys(ctx, tx)
	if err != nil {
		return r, err
	}
	keys := trusting(&r, stored.All(), in.Keys)
	if err := verifyPublished(ctx, tx, &r); err != nil {
		return r, err
	}
	older, err := opened(&r, keys, in.Older)
	if err != nil {
		return r, err
	}
	own, err := ownCheckpoints(ctx, tx, &r, keys)
	if err != nil {
		return r, err
	}
	if len(own) > 0 {
		r.Origin = own[0].Origin
	}
	a, err := newAudit(&r, append(own, older...))
	if err != nil {
		return r, err
	}
	err = verifyEvents(ctx, tx, a, in.Progress)
	if err == nil && !in.EventsOnly {
		err = verifySubmissions(ctx, tx, &r)
	}
	if err == nil && !in.EventsOnly {
		err = verifyRecords(ctx, tx, &r)
	}
	if err == nil && !in.EventsOnly {
		err = verifySnapshots(ctx, tx, &r)
	}
	return r, err
}

// verifyPublished looks at the mark up to which copies are outside: beyond the newest checkpoint it stops the copying.
func verifyPublished(ctx context.Context, tx *db.Tx, r *Report) error {
	at, err := GetStanding(ctx, tx)
	if err == nil && at.Beyond {
		r.add(Finding{Code: PublishedBeyond, Table: "ledger_logs", Field: "published",
			Message: "the mark of the copies outside is beyond the newest checkpoint, so no more copies are made"})
	}
	return err
}

// ownCheckpoints gives the checkpoints of the database whose signature holds: of each no more than size
// and root.
func ownCheckpoints(ctx context.Context, tx *db.Tx, r *Report, keys []string) ([]against, error) {
	n, err := newNotary(keys)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "select size, note from ledger_checkpoints where tenant_id = $1 order by size", tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	var good []against
	var size int64
	var text string
	_, err = pgx.ForEachRow(rows, []any{&size, &text}, func() error {
		c, holds := n.open(r, fmt.Sprintf("the checkpoint of %d events", size), text)
		if holds {
			good = append(good, against{Checkpoint: c})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return good, nil
}

// verifyEvents feeds an audit with the ledger and the stored hashes.
func verifyEvents(ctx context.Context, tx *db.Tx, a *audit, progress func(done, total int64)) error {
	sequenced, last, err := sizes(ctx, tx)
	if err != nil {
		return err
	}
	upper := map[tileID][]byte{}
	a.visit = func(n compact.NodeID, hash []byte) {
		if n.Level > 0 && n.Level%tileHeight == 0 {
			id, _ := tileOf(n)
			upper[id] = append(upper[id], hash...)
		}
	}
	for first := int64(0); first < sequenced; first += exportPiece {
		err := verifyPiece(ctx, tx, a, first, min(first+exportPiece, sequenced))
		if err != nil {
			return err
		}
		if progress != nil {
			progress(min(first+exportPiece, sequenced), sequenced)
		}
	}
	err = a.finish(sequenced)
	if err != nil {
		return err
	}
	err = verifyTail(ctx, tx, a.report, sequenced, last)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(a.report.Findings, func(f Finding) bool { return f.Code == StoredHashChanged }) {
		return nil // inner hashes follow from these
	}
	return verifyUpper(ctx, tx, a.report, upper)
}

// sizes gives the number of events in the log and the number of events in the ledger.
func sizes(ctx context.Context, tx *db.Tx) (int64, int64, error) {
	var sequenced, last int64
	err := tx.QueryRow(ctx, `select coalesce((select size from ledger_logs where tenant_id = $1), 0),
		coalesce((select last_seq from ledger_heads where tenant_id = $1), 0)`, tx.Tenant()).Scan(&sequenced, &last)
	if err != nil {
		return 0, 0, fmt.Errorf("read the size of the log: %w", err)
	}
	return sequenced, last, nil
}

func verifyPiece(ctx context.Context, tx *db.Tx, a *audit, first, last int64) error {
	tiles, err := leafTiles(ctx, tx, first, last)
	if err != nil {
		return err
	}
	batches, err := batchesOf(ctx, tx, first, last)
	if err != nil {
		return err
	}
	byTile := make([][]line, (last-first+tileWidth-1)/tileWidth)
	err = eachEvent(ctx, tx, first+1, last, func(e *event) error {
		leaf, err := e.leaf(tx.Tenant())
		if err != nil {
			return err
		}
		at := (e.Seq - first - 1) / tileWidth
		byTile[at] = append(byTile[at], line{e.Seq, leaf, hashLeaf(leaf)})
		return verifyBatch(a.report, e, batches)
	})
	for i, events := range byTile {
		begin := first + int64(i)*tileWidth
		hashes := split(tiles[begin/tileWidth])
		if wanted := int(min(tileWidth, last-begin)); err == nil && len(hashes) < wanted {
			a.report.event(StoredHashChanged, begin+int64(len(hashes))+1, "the stored hashes from event %d to %d are missing",
				begin+int64(len(hashes))+1, begin+int64(wanted))
			hashes = completed(hashes, events, begin, wanted)
		}
		if err == nil {
			err = a.tile(begin, events, hashes)
		}
	}
	return err
}

// completed fills in stored hashes that are missing with the hashes of the events as they are.
func completed(hashes [][]byte, events []line, begin int64, wanted int) [][]byte {
	all := slices.Concat(hashes, make([][]byte, wanted-len(hashes)))
	for _, e := range events {
		if at := int(e.seq - begin - 1); at >= len(hashes) {
			all[at] = e.hash
		}
	}
	for i, hash := range all {
		if hash == nil {
			all[i] = make([]byte, hashSize)
		}
	}
	return all
}

// verifyBatch holds the states of a batch against the event that names it.
func verifyBatch(r *Report, e *event, batches map[ids.ID]batchStates) error {
	if e.Type != BatchEvent {
		return nil
	}
	var p batchPayload
	err := decode(e.Payload, &p)
	if err != nil {
		return err
	}
	b, there := batches[e.ID]
	holds := false
	if there {
		holds, err = p.rootMatches(b.States)
	}
	if !holds {
		r.event(BatchChanged, e.Seq, "the states of batch %d are not those that event %d names", p.Batch, e.Seq)
	}
	return err
}

// verifyTail looks at the events that the log does not have yet: they are numbered without a gap,
// up to what the ledger's head says.
func verifyTail(ctx context.Context, tx *db.Tx, r *Report, sequenced, last int64) error {
	next := sequenced + 1
	err := eachEvent(ctx, tx, sequenced+1, 1<<62, func(e *event) error {
		r.Events++
		for ; next < e.Seq && next <= last; next++ {
			r.event(EventRemoved, next, "event %d was removed before the log had it", next)
		}
		if e.Seq > last {
			r.event(EventInserted, e.Seq, "event %d was inserted: the ledger has given out %d numbers", e.Seq, last)
		}
		next = e.Seq + 1
		return nil
	})
	if err == nil && next <= last {
		r.event(LogCutShort, next, "the ledger was cut short: the events from %d to %d are missing", next, last)
	}
	return err
}

// verifyUpper compares the stored inner nodes, which proofs are made of, with the nodes that
// follow from the leaves.
func verifyUpper(ctx context.Context, tx *db.Tx, r *Report, wanted map[tileID][]byte) error {
	rows, err := tx.Query(ctx, "select level, place, hashes from ledger_tiles where tenant_id = $1 and level > 0 order by level, place", tx.Tenant())
	if err != nil {
		return fmt.Errorf("read the hashes of the log: %w", err)
	}
	var id tileID
	var hashes []byte
	_, err = pgx.ForEachRow(rows, []any{&id.level, &id.place, &hashes}, func() error {
		if bytes.Equal(wanted[id], hashes) {
			delete(wanted, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the hashes of the log: %w", err)
	}
	for id := range wanted {
		r.event(StoredHashChanged, id.place<<(tileHeight*(id.level+1))+1, "the stored inner hashes of level %d, tile %d, do not follow from the leaves", id.level, id.place)
	}
	return nil
}
