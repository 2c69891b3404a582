package translog

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"

	"assess/pkg/kernel/db"
)

// A tile holds up to tileWidth hashes of one level: the hashes of eight levels of the tree follow from
// it, so that a proof reads as many tiles as the tree has levels, divided by eight, twice at most.
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	hashSize   = 32
)

var factory = &compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

type tileID struct {
	level int
	place int64
}

// tileOf gives the tile that a node follows from, and where in it the hashes below the node begin.
func tileOf(n compact.NodeID) (tileID, int) {
	first := n.Index << (n.Level % tileHeight)
	return tileID{int(n.Level / tileHeight), int64(first >> tileHeight)}, int(first % tileWidth)
}

// node computes a node of the tree from its tile.
func node(n compact.NodeID, tile []byte) ([]byte, error) {
	_, first := tileOf(n)
	count := 1 << (n.Level % tileHeight)
	if len(tile) < (first+count)*hashSize {
		return nil, fmt.Errorf("the stored hashes of the log end before node %d of level %d", n.Index, n.Level)
	}
	return perfectRoot(tile[first*hashSize:][:count*hashSize]), nil
}

// perfectRoot is the root over a power of two of hashes.
func perfectRoot(hashes []byte) []byte {
	level := bytes.Clone(hashes)
	for n := len(level) / hashSize; n > 1; n /= 2 {
		for i := range n / 2 {
			pair := level[2*i*hashSize:]
			copy(level[i*hashSize:], rfc6962.DefaultHasher.HashChildren(pair[:hashSize], pair[hashSize:2*hashSize]))
		}
	}
	return level[:hashSize]
}

// tilesSQL looks tiles up one by one: a hash or merge join would read all of the tenant's.
const tilesSQL = `
select wanted.level, wanted.place, tile.hashes from unnest($2::int[], $3::bigint[]) as wanted (level, place)
cross join lateral (select t.hashes from ledger_tiles t
	where t.tenant_id = $1 and t.level = wanted.level and t.place = wanted.place offset 0) tile`

func readTiles(ctx context.Context, tx *db.Tx, wanted map[tileID]bool) (map[tileID][]byte, error) {
	var levels []int
	var places []int64
	for id := range wanted {
		levels, places = append(levels, id.level), append(places, id.place)
	}
	rows, err := tx.Query(ctx, tilesSQL, tx.Tenant(), levels, places)
	if err != nil {
		return nil, fmt.Errorf("read the hashes of the log: %w", err)
	}
	found := map[tileID][]byte{}
	var id tileID
	var hashes []byte
	_, err = pgx.ForEachRow(rows, []any{&id.level, &id.place, &hashes}, func() error {
		found[id] = bytes.Clone(hashes)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the hashes of the log: %w", err)
	}
	return found, nil
}

// nodes gives nodes of the stored tree.
func nodes(ctx context.Context, tx *db.Tx, wanted []compact.NodeID) ([][]byte, error) {
	ids := map[tileID]bool{}
	for _, n := range wanted {
		id, _ := tileOf(n)
		ids[id] = true
	}
	tiles, err := readTiles(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	hashes := make([][]byte, len(wanted))
	for i, n := range wanted {
		id, _ := tileOf(n)
		hashes[i], err = node(n, tiles[id])
		if err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// frontier gives the compact range over the first events of the stored tree, from which its root
// follows, and to which more can be appended.
func frontier(ctx context.Context, tx *db.Tx, size int64) (*compact.Range, error) {
	hashes, err := nodes(ctx, tx, compact.RangeNodes(0, uint64(size), nil))
	if err != nil {
		return nil, err
	}
	return factory.NewRange(0, uint64(size), hashes)
}

// storedRoot is the root of the stored tree when it had this size.
func storedRoot(ctx context.Context, tx *db.Tx, size int64) ([]byte, error) {
	r, err := frontier(ctx, tx, size)
	if err != nil {
		return nil, err
	}
	return rootOf(r)
}

// rootOf is the root of a range from the first event on; the root of an empty range is the hash
// of nothing.
func rootOf(r *compact.Range) ([]byte, error) {
	if r.End() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	return r.GetRootHash(nil)
}

const storeTilesSQL = `
insert into ledger_tiles (tenant_id, level, place, hashes)
select $1, level, place, hashes from unnest($2::int[], $3::bigint[], $4::bytea[]) as t (level, place, hashes)
on conflict (tenant_id, level, place) do update set hashes = excluded.hashes`

// appendLeaves adds leaf hashes behind the first size ones of the stored tree.
func appendLeaves(ctx context.Context, tx *db.Tx, size int64, leaves [][]byte) error {
	edge := map[tileID]bool{}
	for level := range 8 {
		if n := size >> (tileHeight * level); n > 0 {
			edge[tileID{level, n / tileWidth}] = true // absent where its level ends with a full tile
		}
	}
	tiles, err := readTiles(ctx, tx, edge)
	if err != nil {
		return err
	}
	r, err := frontier(ctx, tx, size)
	if err != nil {
		return err
	}
	changed := map[tileID]bool{}
	fits := true
	add := func(n compact.NodeID, hash []byte) {
		if n.Level%tileHeight == 0 {
			id, first := tileOf(n)
			fits = fits && len(tiles[id]) == first*hashSize
			tiles[id] = append(tiles[id], hash...)
			changed[id] = true
		}
	}
	for _, leaf := range leaves {
		err := r.Append(leaf, add)
		if err != nil {
			return fmt.Errorf("append to the log: %w", err)
		}
	}
	if !fits {
		return fmt.Errorf("the stored hashes of the log do not end with event %d", size)
	}
	var levels []int
	var places []int64
	var hashes [][]byte
	for id := range changed {
		levels, places, hashes = append(levels, id.level), append(places, id.place), append(hashes, tiles[id])
	}
	_, err = tx.Exec(ctx, storeTilesSQL, tx.Tenant(), levels, places, hashes)
	if err != nil {
		return fmt.Errorf("store the hashes of the log: %w", err)
	}
	return nil
}
