package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"assess/pkg/db"
	"assess/pkg/intake"
)

// importedTables are what an import of questions writes, in an order that foreign keys
// allow.
var importedTables = []string{"questions", "question_versions", "question_terms", "question_search", "ledger_events"}

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

// measureImport compares a commit with a COPY of the very rows that it writes: no parsing,
// no checks, no hashes, no policies. It also measures the memory of previews.
func measureImport(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "import")
	if err != nil {
		return nil, err
	}
	e.operator.All = false
	file := bank(h.size.imported)
	copies, err := h.copies(ctx, &e, file)
	if err != nil {
		return nil, err
	}
	empty := func(ctx context.Context, _ int) error { return h.emptyBank(ctx, &e) }
	rates, err := contest(ctx, h.size.projectionRounds, 1, 1,
		contender{"hand", empty, func(ctx context.Context, _, _ int) error { return h.paste(ctx, copies) }},
		contender{"import", empty, func(ctx context.Context, _, _ int) error { return h.importBank(ctx, &e, file) }})
	if err != nil {
		return nil, err
	}
	for _, turns := range rates {
		for i := range turns {
			turns[i] *= float64(h.size.imported)
		}
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
	}, h.emptyBank(ctx, &e)
}

func (h *house) importBank(ctx context.Context, e *exam, file []byte) error {
	return h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
		_, err := intake.CommitQuestions(ctx, tx, intake.Input{Data: file})
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
func (h *house) copies(ctx context.Context, e *exam, file []byte) ([]tableCopy, error) {
	err := h.emptyBank(ctx, e)
	if err != nil {
		return nil, err
	}
	err = h.importBank(ctx, e, file)
	if err != nil {
		return nil, err
	}
	conn, err := h.super.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	var all []tableCopy
	for _, table := range importedTables {
		var columns string
		err := conn.QueryRow(ctx, writtenColumns, table).Scan(&columns)
		if err != nil {
			return nil, err
		}
		var rows bytes.Buffer
		sql := fmt.Sprintf("copy (select %s from %s where tenant_id = '%s') to stdout", columns, table, e.operator.Tenant)
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

// emptyBank deletes what an import wrote, past the triggers that keep the ledger.
func (h *house) emptyBank(ctx context.Context, e *exam) error {
	conn, err := h.super.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, "set session_replication_role = replica")
	for _, table := range append([]string{"ledger_heads", "evaluation_items", "evaluation_pins"}, importedTables...) {
		if err == nil {
			_, err = conn.Exec(ctx, fmt.Sprintf("delete from %s where tenant_id = $1", table), uuid(e.operator.Tenant))
		}
	}
	if err == nil {
		_, err = conn.Exec(ctx, "set session_replication_role = origin")
	}
	if err != nil {
		return err
	}
	return h.calm(ctx, importedTables...)
}

// previewMemory gives how much the heap grows at most while a file is previewed, in MiB.
func (h *house) previewMemory(ctx context.Context, e *exam, rows int) (float64, error) {
	in := intake.Input{Data: bank(rows)}
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
	err := h.store.Read(ctx, e.operator, func(tx *db.Tx) error {
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
