package intake

import (
	"context"
	"slices"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// chunk is how many rows are planned, and how many records go to the owning package, at
// once: few statements, and parameters of a size that PostgreSQL likes.
const chunk = 1_000

// kind is one kind of import. T is the value that its records are written from.
type kind[T any] struct {
	// name is the plural noun of the ledger event.
	name    string
	needs   []capability.Capability
	columns []column
	// key gives the key that the rows of one record share, empty for a row by itself. A file
	// is planned and applied in chunks that split no record; without a key, as a whole.
	key func(r row) string
	// plan turns the rows of a chunk (file.rows) into records and adds every mistake to the
	// file, including the ones that only the database can tell; invalid rows become records
	// too if they can be told apart. It writes nothing.
	plan func(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[T], error)
	// apply writes valid records, all or none, and counts what it did. Its refusals have
	// paths that begin with the place of a record ("[3].email").
	apply func(ctx context.Context, tx *db.Tx, in Input, records []record[T], done *Commit) error
	// batch is how many records apply takes at once; 0 is a thousand, below it is all of a
	// chunk.
	batch int
	place place[T]
	// banks says that the file may be a question bank of another system, tests that it may hold the tests of one.
	banks, tests bool
}

// opened finds the format of a file.
func (k kind[T]) opened(in Input) Input {
	if k.banks {
		in.bank, _ = in.bankFormat()
	}
	if k.tests {
		in.bank, in.tests = in.testFormat()
	}
	return in
}

// record is one thing to be written, from one row or several.
type record[T any] struct {
	key   string
	rows  []row
	value T
	// email and metadata are for the preview of users.
	email    *string
	metadata map[string]any
}

func (r record[T]) bad() bool {
	return slices.ContainsFunc(r.rows, func(one row) bool { return one.file.bad(one.line) })
}

// allowed checks the rights that an import requires of its caller.
func (k kind[T]) allowed(tx *db.Tx, in Input) error {
	for _, c := range k.needs {
		err := tx.Require(c)
		if err != nil {
			return err
		}
	}
	return in.check()
}

func (in Input) check() error {
	if in.Delimiter != 0 && !slices.Contains(delimiters, in.Delimiter) {
		return errs.Invalid(errs.Field{Path: "delimiter", Code: "invalid_choice", Message: "expected comma, semicolon or tab"})
	}
	if in.Decimal != "" && in.Decimal != DecimalComma && in.Decimal != DecimalPoint {
		return errs.Invalid(errs.Field{Path: "decimal", Code: "invalid_choice", Message: "expected comma or point"})
	}
	if !in.hasFormat() {
		return errs.Invalid(errs.Field{Path: "format", Code: "invalid_choice", Message: wantedFormat()})
	}
	return nil
}

func (k kind[T]) preview(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	err := k.allowed(tx, in)
	if err != nil {
		return Preview{}, err
	}
	in = k.opened(in)
	in.rehearsal = true
	p := Preview{ImportID: in.importID(), Valid: []ValidRow{}, Rows: []PreviewRow{}}
	f, err := k.each(ctx, inside(tx), in, func(_ *db.Tx, f *file, records []record[T]) error {
		for _, r := range records {
			p.add(f, r.key, r.email, r.metadata, r.rows, r.bad())
		}
		return nil
	})
	if err != nil {
		return Preview{}, err
	}
	p.tell(f, f.rowCount)
	return p, nil
}

// tell sums up the rows as a whole.
func (p *Preview) tell(f *file, rows int) {
	p.Total, p.InvalidCount = rows, rows-p.ValidCount
	p.Errors, p.ErrorCount, p.MoreErrors, p.Warnings = f.errors, len(f.first), f.more, f.warnings
	p.Notices = f.noticesOf()
	if f.places == nil {
		return
	}
	for i, v := range p.Valid {
		p.Valid[i].Item, p.Valid[i].Line = f.placeOf(v.Line)
	}
	for i, r := range p.Rows {
		p.Rows[i].Item, p.Rows[i].Line = f.placeOf(r.Line)
	}
}

func (p *Preview) add(f *file, key string, email *string, metadata map[string]any, rows []row, bad bool) {
	if !bad {
		p.Records++
	}
	for _, one := range rows {
		if !bad {
			p.ValidCount++
		}
		if !bad && len(p.Valid) < maxListed {
			p.Valid = append(p.Valid, ValidRow{Line: one.line, Key: key})
		}
		if len(p.Rows) == maxPreviewRows {
			continue
		}
		shown := PreviewRow{Line: one.line, Key: key, Email: email, Metadata: metadata, Numbers: f.numbersOf(one.line), Status: "valid"}
		if bad {
			shown.Status, shown.Message = "error", f.first[one.line]
		}
		if bad && shown.Message == "" {
			shown.Message = f.blame()
		}
		p.Rows = append(p.Rows, shown)
	}
}

// commit writes chunk by chunk. An error on the way, such as a row that is not valid, ends
// the transaction and rolls back what was written.
func (k kind[T]) commit(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	err := k.allowed(tx, in)
	if err != nil {
		return Commit{}, err
	}
	in = k.opened(in)
	done := Commit{ImportID: in.importID()}
	f, err := k.each(ctx, inside(tx), in, func(tx *db.Tx, f *file, records []record[T]) error {
		if f.refused(in) {
			return nil
		}
		return k.write(ctx, tx, in, records, &done)
	})
	if err != nil {
		return Commit{}, err
	}
	if f.refused(in) {
		return Commit{}, f.refusal()
	}
	done.tell(f)
	return done, k.note(ctx, tx, done, f.accepted)
}

// tell sums up the rows as a whole.
func (c *Commit) tell(f *file) {
	c.Total, c.Errors, c.ErrorCount, c.MoreErrors, c.Warnings = f.rowCount, f.errors, len(f.first), f.more, f.warnings
	c.Skipped = f.rowCount - c.Written
	c.Notices = f.noticesOf()
}

// write writes the valid records, batch by batch.
func (k kind[T]) write(ctx context.Context, tx *db.Tx, in Input, records []record[T], done *Commit) error {
	valid := slices.DeleteFunc(records, record[T].bad)
	size := k.batch
	switch {
	case size < 0:
		size = max(len(valid), 1)
	case size == 0:
		size = chunk
	}
	for some := range slices.Chunk(valid, size) {
		err := k.writeBatch(ctx, tx, in, some, done)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBatch leaves out records that apply refuses: somebody may have changed what a record refers to
// since the plan was made.
func (k kind[T]) writeBatch(ctx context.Context, tx *db.Tx, in Input, valid []record[T], done *Commit) error {
	for len(valid) > 0 {
		part := *done
		err := tx.Try(ctx, func() error { return k.apply(ctx, tx, in, valid, &part) })
		if err == nil {
			*done = part
			for _, r := range valid {
				done.Written += len(r.rows)
			}
			return nil
		}
		if !locate(err, valid, k.place) {
			return err
		}
		if !in.SkipInvalid {
			return nil
		}
		valid = slices.DeleteFunc(slices.Clone(valid), record[T].bad)
	}
	return nil
}

// refused says that nothing will be written.
func (f *findings) refused(in Input) bool {
	return f.unusable || f.broken || (len(f.first) > 0 && !in.SkipInvalid)
}

// note writes the ledger event; an import that changed nothing did not happen.
func (k kind[T]) note(ctx context.Context, tx *db.Tx, done Commit, accepted int) error {
	if done.Created+done.Changed+done.Published == 0 {
		return nil
	}
	payload := map[string]any{"total": done.Total, "created": done.Created, "changed": done.Changed,
		"unchanged": done.Unchanged, "skipped": done.Skipped, "published": done.Published}
	if accepted > 0 {
		payload["scoringChanges"] = accepted
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: k.name + ".imported", SubjectType: "import", SubjectID: done.ImportID, Payload: payload})
}

// distinct keeps the first of equal ids.
func distinct(all []ids.ID) []ids.ID {
	seen := make(map[ids.ID]bool, len(all))
	return slices.DeleteFunc(all, func(id ids.ID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}
