package intake

import (
	"context"
	"hash/maphash"

	"assess/pkg/kernel/db"
)

// ahead is the result of a first look at a file, so that a second one can take it in chunks.
type ahead struct {
	rows int
	// last gives the number of the last row of a record, by the hash of its key. Two keys of
	// one hash make a chunk larger than it need be, and nothing else.
	last map[uint64]int
	// broken says that the file as a whole will turn out to be unusable.
	broken bool
}

// look reads a file without keeping its rows, and gives it with the findings about the rows by themselves.
func (k kind[T]) look(in Input, seed maphash.Seed) (ahead, *file) {
	f := open(in, k.columns)
	found := ahead{last: map[uint64]int{}}
	for r := range f.scan() {
		if k.key == nil {
			continue
		}
		if key := k.key(r); key != "" {
			found.last[maphash.String(seed, key)] = f.rowCount
		}
	}
	found.rows, found.broken = f.rowCount, f.unusable
	return found, f
}

// runner runs the work on a chunk in a transaction.
type runner func(func(tx *db.Tx) error) error

// inside is for all chunks in one transaction.
func inside(tx *db.Tx) runner {
	return func(fn func(tx *db.Tx) error) error { return fn(tx) }
}

// each plans a file in chunks that split no record, and hands the records of each chunk to
// do. Memory can be freed after each call of do, so that it does not grow with the file as long as
// the rows of a record are next to each other.
func (k kind[T]) each(ctx context.Context, run runner, in Input, do func(tx *db.Tx, f *file, records []record[T]) error) (*file, error) {
	f := open(in, k.columns)
	if f.header.at == nil {
		return f, nil
	}
	seed := maphash.MakeSeed()
	found, looked := k.look(in, seed)
	if found.rows > maxRows {
		looked.sort()
		looked.locate()
		return looked, nil // nothing of it will be taken, so there is no need to look for more mistakes
	}
	f.broken = found.broken
	step := func() error {
		err := run(func(tx *db.Tx) error {
			records, err := k.plan(ctx, tx, in, f)
			if err != nil {
				return err
			}
			return do(tx, f, records)
		})
		f.chunk, f.told = nil, map[told]bool{}
		in.progress(f.rowCount, found.rows)
		return err
	}
	whole := 0
	for r := range f.scan() {
		if r.item != nil {
			r.take(in.FileLimit)
		}
		f.chunk = append(f.chunk, r)
		if k.key != nil {
			whole = max(whole, found.last[maphash.String(seed, k.key(r))])
		}
		if k.key == nil || len(f.chunk) < chunk || f.rowCount < whole {
			continue
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(f.chunk) > 0 {
		if err := step(); err != nil {
			return nil, err
		}
	}
	f.sort()
	f.locate()
	return f, nil
}

func (in Input) progress(done, total int) {
	if in.Progress != nil {
		in.Progress(done, total)
	}
}
