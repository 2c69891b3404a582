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

// volatile columns tell when and how often a row was computed, and nothing of its content.
var volatile = []string{"last_computed_at", "percentiles_at", "percentiles_stale", "revision"}

// Verify compares the live reporting tables of a tenant with what a rebuild from nothing
// gives, in a transaction that is rolled back. With an empty outbox it finds no
// difference. It holds off projection of the tenant while it runs, and candidates not at
// all.
//
// Percentiles that wait for their job are brought up to date first on both sides, so that
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

// keepLive copies the live rows into temporary tables. Their statements name tables that
// come and go, so they are not prepared.
func keepLive(ctx context.Context, tx *db.Tx) error {
	for _, table := range Tables {
		_, err := tx.NewRaw("create temporary table live_"+table+" on commit drop as select * from "+table+
			" where tenant_id = ?", tx.Tenant()).Exec(ctx)
		if err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	return nil
}

func compare(ctx context.Context, tx *db.Tx, table string) (Comparison, error) {
	keys, content, err := columnsOf(ctx, tx, table)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Table: table}
	err = tx.NewRaw(fmt.Sprintf(`
		select (select count(*) from live_%[1]s), count(*) filter (where l.tenant_id is null),
			count(*) filter (where r.tenant_id is null),
			count(*) filter (where l.tenant_id is not null and r.tenant_id is not null
				and (%[3]s) is distinct from (%[4]s))
		from live_%[1]s l full join (select * from %[1]s where tenant_id = ?) r on %[2]s`,
		table, equal(keys), prefixed("l", content), prefixed("r", content)), tx.Tenant()).
		Scan(ctx, &c.Rows, &c.Missing, &c.Surplus, &c.Different)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare %s: %w", table, err)
	}
	return c, nil
}

// columnsOf gives the key columns of a table and those of its content.
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
		case !slices.Contains(volatile, name):
			content = append(content, name)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	return keys, content, nil
}

func equal(keys []string) string {
	var all []string
	for _, k := range keys {
		all = append(all, "l."+k+" = r."+k)
	}
	return strings.Join(all, " and ")
}

// prefixed makes a row of the columns; row() of none is equal to itself.
func prefixed(side string, columns []string) string {
	if len(columns) == 0 {
		return "true"
	}
	return "row(" + side + "." + strings.Join(columns, ", "+side+".") + ")"
}
