package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"assess/pkg/kernel/db"
	"assess/pkg/surface/intake"
)

// cargo is a file, how it is imported, and the tables that this writes, in an order that
// foreign keys allow; wake are further tables that must be emptied with them.
type cargo struct {
	file         []byte
	commit       func(ctx context.Context, tx *db.Tx, in intake.Input) (intake.Commit, error)
	tables, wake []string
}

func questionCargo(n int) cargo {
	return cargo{bank(n), intake.CommitQuestions,
		[]string{"questions", "question_versions", "question_terms", "question_search", "ledger_events"},
		[]string{"ledger_heads", "evaluation_items", "evaluation_pins"}}
}

// bank gives a file of questions with four options and two tags each; every fourth is
// Markdown.
func bank(n int) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"externalId", "qtype", "format", "stem", "optionA", "optionB", "optionC", "optionD", "correct", "tags", "explanation"})
	for i := range n {
		format, stem := "plain", fmt.Sprintf("Which of the following statements about subject %d is true, as far as the chapter says?", i)
		if i%4 == 0 {
			format, stem = "markdown", fmt.Sprintf("What does this **print**?\n\n```go\nfor i := range %d {\n\tfmt.Println(i)\n}\n```\n", i)
		}
		_ = w.Write([]string{fmt.Sprintf("q%06d", i), "mcq", format, stem, "The first of them, which is long enough", "The second", "The third one",
			"None of those that were named above", string("ABCD"[i%4]), fmt.Sprintf("chapter %d;level %d", i%40, i%5), "It follows from the definition."})
	}
	w.Flush()
	return out.Bytes()
}

// measureImport compares a commit with a COPY of the same rows that it writes: no parsing, no
// checks, no hashes, no policies. It also measures the memory of previews.
func measureImport(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "import", 1)
	if err != nil {
		return nil, err
	}
	e.operator.All = false
	questions := questionCargo(h.size.imported)
	rates, err := h.race(ctx, e.operator, questions, h.size.projectionRounds, h.size.imported)
	if err != nil {
		return nil, err
	}
	speed := compared(fmt.Sprintf("import of %d questions", h.size.imported), "questions/s", rates["import"], rates["hand"], 0)
	few, err := h.previewMemory(ctx, &e, 10_000)
	if err != nil {
		return nil, err
	}
	many, err := h.previewMemory(ctx, &e, 100_000)
	if err != nil {
		return nil, err
	}
	return []result{speed,
		{Name: "the same, alone", Unit: "questions/s", Value: speed.Value, AtLeast: 5000},
		{Name: "memory beside the file to preview 100,000 questions, beside 10,000", Unit: "MiB", Value: many, Beside: few, Ratio: many / few, AtMost: 2},
	}, h.empty(ctx, e.operator, questions)
}

// race lets an import and a COPY of the rows that it writes take turns, and gives the rates
// of both in rows of the file a second.
func (h *house) race(ctx context.Context, as db.Scope, c cargo, rounds, n int) (map[string][]float64, error) {
	copies, err := h.copies(ctx, as, c)
	if err != nil {
		return nil, err
	}
	empty := func(ctx context.Context, _ int) error { return h.empty(ctx, as, c) }
	rates, err := contest(ctx, rounds, 1, 1,
		contender{"hand", empty, func(ctx context.Context, _, _ int) error { return h.paste(ctx, copies) }},
		contender{"import", empty, func(ctx context.Context, _, _ int) error { return h.unload(ctx, as, c) }})
	for _, turns := range rates {
		for i := range turns {
			turns[i] *= float64(n)
		}
	}
	return rates, err
}

func (h *house) unload(ctx context.Context, as db.Scope, c cargo) error {
	return h.store.Write(ctx, as, func(tx *db.Tx) error {
		_, err := c.commit(ctx, tx, intake.Input{Data: c.file, CreateTerms: true})
		return err
	})
}

// tableCopy is the rows of a table as COPY writes them; into names the table and its columns.
type tableCopy struct {
	into string
	rows []byte
}

// writtenColumns lists the columns of a table that take values: COPY refuses generated ones.
const writtenColumns = `
	select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
	where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''`

// copies imports a file and gives what it wrote, table by table, as COPY writes it.
func (h *house) copies(ctx context.Context, as db.Scope, c cargo) ([]tableCopy, error) {
	err := h.empty(ctx, as, c)
	if err != nil {
		return nil, err
	}
	err = h.unload(ctx, as, c)
	if err != nil {
		return nil, err
	}
	conn, err := h.super.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var all []tableCopy
	for _, table := range c.tables {
		var columns string
		err := conn.QueryRow(ctx, writtenColumns, table).Scan(&columns)
		if err != nil {
			return nil, err
		}
		var rows bytes.Buffer
		sql := fmt.Sprintf("copy (select %s from %s where tenant_id = '%s') to stdout", columns, table, as.Tenant)
		_, err = conn.Conn().PgConn().CopyTo(ctx, &rows, sql)
		if err != nil {
			return nil, err
		}
		all = append(all, tableCopy{into: table + " (" + columns + ")", rows: rows.Bytes()})
	}
	return all, nil
}

// paste writes the same rows by hand, in one transaction.
func (h *house) paste(ctx context.Context, copies []tableCopy) error {
	return h.super.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
		conn := pooled.Conn()
		_, err := conn.Exec(ctx, "begin")
		if err != nil {
			return err
		}
		for _, c := range copies {
			_, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(c.rows), "copy "+c.into+" from stdin")
			if err != nil {
				return err
			}
		}
		_, err = conn.Exec(ctx, "commit")
		return err
	})
}

// empty deletes what an import wrote, past the triggers that keep the ledger.
func (h *house) empty(ctx context.Context, as db.Scope, c cargo) error {
	conn, err := h.super.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, "set session_replication_role = replica")
	for _, table := range slices.Concat(c.wake, c.tables) {
		if err == nil {
			_, err = conn.Exec(ctx, fmt.Sprintf("delete from %s where tenant_id = $1", table), uuid(as.Tenant))
		}
	}
	if err == nil {
		_, err = conn.Exec(ctx, "set session_replication_role = origin")
	}
	if err != nil {
		return err
	}
	return h.calm(ctx, c.tables...)
}

// previewMemory gives how much the heap grows at most while a file is previewed, in MiB.
func (h *house) previewMemory(ctx context.Context, e *exam, rows int) (float64, error) {
	in := intake.Input{Data: bank(rows), CreateTerms: true}
	runtime.GC()
	before, most := heap(), uint64(0)
	stop, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	err := h.store.DryRun(ctx, e.operator, func(tx *db.Tx) error {
		_, err := intake.PreviewQuestions(ctx, tx, in)
		return err
	})
	close(stop)
	<-watched
	return float64(most-min(most, before)) / (1 << 20), err
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
