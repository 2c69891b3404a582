package intake

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
)

// commitInPieces checks the whole file first, in a read transaction, and then writes
// it chunk by chunk, each in a transaction of its own. If it is interrupted, it gives what it has
// written with the error; the same file again goes on from there, since records that are written
// do not change. Each piece has its event, under the one id of the import.
func (k kind[T]) commitInPieces(ctx context.Context, read, write runner, in Input) (Commit, error) {
	done := Commit{ImportID: in.importID()}
	looked, progress := in, in.Progress
	looked.Progress = nil
	var f *file
	err := read(func(tx *db.Tx) error {
		err := k.allowed(tx, in)
		if err != nil {
			return err
		}
		f, err = k.each(ctx, inside(tx), looked, func(*db.Tx, *file, []record[T]) error { return nil })
		return err
	})
	if err != nil {
		return Commit{}, err
	}
	if f.refused(in) {
		return Commit{}, f.refusal()
	}
	in.Progress = progress
	var written Commit
	f, err = k.each(ctx, func(fn func(tx *db.Tx) error) error {
		err := write(func(tx *db.Tx) error {
			written = done
			return fn(tx)
		})
		if err == nil {
			done = written
		}
		return err
	}, in, func(tx *db.Tx, f *file, records []record[T]) error {
		if f.refused(in) {
			return nil
		}
		err := k.write(ctx, tx, in, records, &written)
		if err != nil {
			return err
		}
		return k.note(ctx, tx, written.since(done), 0)
	})
	if err != nil {
		return done, err
	}
	if f.refused(in) {
		refusal := f.refusal()
		refusal.Message = "The file has errors on " + plural.Of(len(f.first), "line") + " by now; what stands before them was written."
		return done, refusal
	}
	done.tell(f)
	return done, nil
}

// since gives the part that was done after before.
func (c Commit) since(before Commit) Commit {
	c.Created, c.Changed, c.Unchanged = c.Created-before.Created, c.Changed-before.Changed, c.Unchanged-before.Unchanged
	c.Written, c.Records = c.Written-before.Written, c.Records-before.Records
	c.Total = c.Written
	return c
}
