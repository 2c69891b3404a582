package projection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Comparison counts how a live table differs from a rebuild from nothing.
type Comparison struct {
	Table     string `json:"table"`
	Rows      int64  `json:"rows" doc:"Rows of the live table"`
	Missing   int64  `json:"missing" doc:"Rows that a rebuild would add"`
	Surplus   int64  `json:"surplus" doc:"Rows that a rebuild would not make"`
	Different int64  `json:"different" doc:"Rows of the same key with other content"`
}

// Report is the outcome of Verify.
type Report struct {
	Tables      []Comparison `json:"tables" nullable:"false"`
	Differences int64        `json:"differences"`
}

// volatile columns tell when and how often a row was computed, and nothing about its content.
var volatile = []string{"last_computed_at", "percentiles_at", "percentiles_stale", "revision", "first_seen_at", "last_seen_at"}

// written are the columns that people write.
var written = map[string][]string{keptInPlace: {"state", "owner_user_id", "suppressed_until", "updated_at"}}

// Verify compares the live reporting tables of a tenant with the result of a rebuild from nothing, in a
// transaction that is rolled back. With an empty outbox it finds no difference. While it runs it blocks
// projection of the tenant, and candidates not at all.
//
// Percentiles and cells of skills that wait for their job are brought up to date first on both sides, so that
// waiting is no difference and a wrong median is one.
func Verify(ctx context.Context, store *db.Store, tenant ids.ID) (Report, error) {
	var r Report
	err := store.DryRun(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		r = Report{Tables: []Comparison{}}
		err := ownProjection(ctx, tx)
		if err != nil {
			return err
		}
		err = recomputeWithin(ctx, tx)
		if err != nil {
			return err
		}
		err = recomputeSkillsWithin(ctx, tx)
		if err != nil {
			return err
		}
		err = keepLive(ctx, tx)
		if err != nil {
			return err
		}
		err = rebuild(ctx, tx, nil)
		if err != nil {
			return err
		}
		for _, table := range Tables {
			c, err := compare(ctx, tx, table)
			if err != nil {
				return err
			}
			r.Tables = append(r.Tables, c)
			r.Differences += c.Missing + c.Surplus + c.Different
		}
		return nil
	})
	return r, err
}

// keepLive keeps what the live rows are like: the programs may not create tables, so one table of
// the schema keeps them all. It has rows only in this transaction, which is rolled back.
func keepLive(ctx context.Context, tx *db.Tx) error {
	for _, table := range Tables {
		digests, err := digestsOf(ctx, tx, table)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into report_live_rows (tenant_id, table_name, key, content) select $1, $2, key, content from "+digests+" d returning true", tx.Tenant(), table)
		if err != nil {
			return fmt.Errorf("keep %s: %w", table, err)
		}
	}
	return nil
}

func compare(ctx context.Context, tx *db.Tx, table string) (Comparison, error) {
	digests, err := digestsOf(ctx, tx, table)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Table: table}
	err = tx.QueryRow(ctx, `
		select count(l.key), count(*) filter (where l.key is null), count(*) filter (where r.key is null), count(*) filter (where l.content <> r.content)
		from (select key, content from report_live_rows where tenant_id = $1 and table_name = $2) l
		full join `+digests+` r on r.key = l.key`, tx.Tenant(), table).
		Scan(&c.Rows, &c.Missing, &c.Surplus, &c.Different)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare %s: %w", table, err)
	}
	return c, nil
}

// digestsOf is a sub-select of the keys of a table's rows and of a hash of their content, in which
// equal values are equal however they are written: 1.50 is 1.5. $1 is the tenant.
func digestsOf(ctx context.Context, tx *db.Tx, table string) (string, error) {
	keys, content, err := columnsOf(ctx, tx, table)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("(select row(%s)::text as key, hash_record_extended(row(%s), 0) as content from %s where tenant_id = $1)",
		strings.Join(keys, ", "), strings.Join(content, ", "), table), nil
}

// columnsOf gives the key columns of a table and the columns of its content.
func columnsOf(ctx context.Context, tx *db.Tx, table string) (keys, content []string, err error) {
	rows, err := tx.Query(ctx, `
		select a.attname, exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary
			and a.attnum = any(i.indkey))
		from pg_attribute a where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped
		order by a.attnum`, table)
	if err != nil {
		return nil, nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	var name string
	var isKey bool
	_, err = pgx.ForEachRow(rows, []any{&name, &isKey}, func() error {
		switch {
		case isKey:
			keys = append(keys, name)
		case !slices.Contains(volatile, name) && !slices.Contains(written[table], name):
			content = append(content, name)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	return keys, content, nil
}
