package intake

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// chunk is how many rows are planned, and how many records go to the owning package, at
// once: few statements, and parameters of a size that PostgreSQL likes.
const chunk = 1_000

// kind is one kind of import. T is what its records are written from.
type kind[T any] struct {
	// name is the plural noun of the ledger event.
	name    string
	needs   []capability.Capability
	columns []column
	// key gives what the rows of one record have in common, empty for a row by itself. A file
	// is planned and applied in chunks that part no record; without a key, as a whole.
	key func(r row) string
	// plan turns the rows of a chunk (file.rows) into records and adds what is wrong to the
	// file; invalid rows become records too where they can be told apart.
	plan func(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[T], error)
	// apply writes the valid records of a chunk and counts what it did.
	apply func(ctx context.Context, tx *db.Tx, in Input, records []record[T], done *Commit) error
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

// allowed checks what an import asks of its caller.
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
	return nil
}

func (k kind[T]) preview(ctx context.Context, tx *db.Tx, in Input) (Preview, error) {
	err := k.allowed(tx, in)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{ImportID: in.importID(), Valid: []ValidRow{}, Rows: []PreviewRow{}}
	f, err := k.each(ctx, tx, in, func(f *file, records []record[T]) error {
		for _, r := range records {
			p.add(f, r.key, r.email, r.metadata, r.rows, r.bad())
		}
		return nil
	})
	if err != nil {
		return Preview{}, err
	}
	p.Total, p.ErrorCount, p.Errors, p.MoreErrors, p.Warnings = f.rowCount, len(f.first), f.errors, f.more, f.warnings
	return p, nil
}

func (p *Preview) add(f *file, key string, email *string, metadata map[string]any, rows []row, bad bool) {
	for _, one := range rows {
		if !bad {
			p.ValidCount++
		}
		if !bad && len(p.Valid) < maxListed {
			p.Valid = append(p.Valid, ValidRow{one.line, key})
		}
		if len(p.Rows) == maxPreviewRows {
			continue
		}
		shown := PreviewRow{Line: one.line, Key: key, Email: email, Metadata: metadata, Status: "valid"}
		if bad {
			shown.Status, shown.Message = "error", f.first[one.line]
		}
		if bad && shown.Message == "" {
			shown.Message = "another row of the same record has an error"
		}
		p.Rows = append(p.Rows, shown)
	}
}

// commit writes chunk by chunk. An error on the way, a row that is not valid included, ends
// the transaction and takes back what was written.
func (k kind[T]) commit(ctx context.Context, tx *db.Tx, in Input) (Commit, error) {
	err := k.allowed(tx, in)
	if err != nil {
		return Commit{}, err
	}
	done := Commit{ImportID: in.importID()}
	f, err := k.each(ctx, tx, in, func(f *file, records []record[T]) error {
		if f.refused(in) {
			return nil
		}
		valid := slices.DeleteFunc(records, record[T].bad)
		for _, r := range valid {
			done.Skipped -= len(r.rows)
		}
		return k.apply(ctx, tx, in, valid, &done)
	})
	if err != nil {
		return Commit{}, err
	}
	if f.refused(in) {
		return Commit{}, f.refusal()
	}
	done.Total, done.Errors, done.ErrorCount, done.MoreErrors, done.Warnings = f.rowCount, f.errors, len(f.first), f.more, f.warnings
	done.Skipped += f.rowCount
	return done, k.note(ctx, tx, done)
}

// refused says that nothing will be written.
func (f *findings) refused(in Input) bool {
	return f.unusable || f.broken || (len(f.first) > 0 && !in.SkipInvalid)
}

// note writes the ledger event; an import that changed nothing did not happen.
func (k kind[T]) note(ctx context.Context, tx *db.Tx, done Commit) error {
	if done.Created+done.Changed+done.Published == 0 {
		return nil
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: k.name + ".imported", SubjectType: "import", SubjectID: done.ImportID,
		Payload: map[string]any{"total": done.Total, "created": done.Created, "changed": done.Changed,
			"unchanged": done.Unchanged, "skipped": done.Skipped, "published": done.Published}})
}

// place says which row and column of a record a path of its input came from.
type place[T any] func(r record[T], path string) (row, string)

// report adds the problems of one record to its rows.
func report[T any](r record[T], problems []errs.Field, at place[T]) {
	for _, p := range problems {
		row, column := at(r, p.Path)
		row.problem(column, p.Code, p.Message)
	}
}

var recordPath = regexp.MustCompile(`^\w*\[(\d+)\]\.?(.*)$`)

// locate turns the problems of a package that was given records ("questions[3].stem") into
// those of lines. Other errors stay as they are.
func locate[T any](err error, records []record[T], at place[T]) error {
	problem := errs.Of(err)
	if problem.Code != errs.ValidationFailed {
		return err
	}
	found := newFindings()
	for _, field := range problem.Fields {
		m := recordPath.FindStringSubmatch(field.Path)
		if m == nil {
			return err
		}
		i, _ := strconv.Atoi(m[1])
		if i >= len(records) {
			return err
		}
		row, column := at(records[i], m[2])
		found.add(row.line, row.file.header.spelling(column), field.Code, field.Message)
	}
	return found.refusal()
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
